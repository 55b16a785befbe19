// What hosts that load a model, and jobs on one storage, measured, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "core/result/serving_result.h"
#include "core/result/shared_result.h"

namespace stallcast {

// {"time_to_ready_s": {"first", "median", "mean", "last"}, "last_byte_s", "hosts", "simulated_hosts", "read_bytes",
// "bytes_per_s", "requests", "refused_requests", "lost_time_fraction": {cause: fraction of the streams' time},
// "bottleneck", "bound": {"time_to_ready_s", "binding_resource"}, "storage_busy_fraction", "events", "wall_s",
// "converged", "stopped"}
nlohmann::ordered_json serving_result_to_json(const ServingResult& result);

// [{"start_s", "end_s", "jobs": [{"job", "rate", "read_bytes_per_s", "gpu_utilization"}]}], in order; times that are
// infinite are null. "job" is the index in the list of jobs.
nlohmann::ordered_json spans_to_json(const SharedResult& result);

}  // namespace stallcast
