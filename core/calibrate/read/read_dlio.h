// Results of DLIO and of MLPerf Storage: summary.json and per_epoch_stats.json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/calibrate/read/measurements.h"

namespace stallcast {

bool looks_like_dlio_summary(const nlohmann::ordered_json& root);
bool looks_like_dlio_epochs(const nlohmann::ordered_json& root);

// A summary: what came out as observations (au_mlperf, samples_per_s, read_bytes_per_s, checkpoint_s, restore_s), what
// went in as fields (nodes, GPUs per node, memory of a node, samples, samples per file). Keys are found in any mix of
// cases. "GB" and "MB" of DLIO are powers of 1024: its code divides by 1024 three times and twice.
// **Errors** findings "missing_key" when there is neither utilization nor throughput nor a checkpoint's duration,
// "wrong_type", "out_of_range".
// **Source** DLIO benchmark (argonne-lcf/dlio_benchmark), utils/statscounter.py; MLPerf Storage rules, "AU".
Loaded<Measurements> read_dlio_summary(const nlohmann::ordered_json& root, const std::string& file);

// Times of epochs, evaluations and checkpoints, which DLIO writes as texts of seconds: observations epoch_s, eval_s,
// checkpoint_s, restore_s, each a mean and its deviation.
// **Errors** findings "missing_key", "not_a_number", "out_of_range".
Loaded<Measurements> read_dlio_epochs(const nlohmann::ordered_json& root, const std::string& file);

}  // namespace stallcast
