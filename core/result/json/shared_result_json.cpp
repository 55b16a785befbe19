#include "core/result/json/shared_result_json.h"

#include <string>

#include "core/result/json/finite_json.h"

namespace stallcast {

using nlohmann::ordered_json;

ordered_json serving_result_to_json(const ServingResult& result) {
  ordered_json causes = ordered_json::object();
  for (std::size_t i = 0; i < result.time_fraction.size(); ++i)
    causes[std::string(lost_time_name(static_cast<LostTime>(i)))] = result.time_fraction[i];
  return {{"time_to_ready_s",
           {{"first", result.first_ready_s},
            {"median", result.median_ready_s},
            {"mean", result.mean_ready_s},
            {"last", result.last_ready_s}}},
          {"last_byte_s", result.last_byte_s},
          {"hosts", result.hosts},
          {"simulated_hosts", result.simulated_hosts},
          {"read_bytes", result.read_bytes},
          {"bytes_per_s", result.bytes_per_s},
          {"requests", result.requests},
          {"refused_requests", result.refused_requests},
          {"lost_time_fraction", std::move(causes)},
          {"bottleneck", std::string(serving_limit(result))},
          {"bound", {{"time_to_ready_s", result.bound_s}, {"binding_resource", result.bound_resource}}},
          {"storage_busy_fraction", result.storage_busy_fraction},
          {"events", result.events},
          {"wall_s", result.wall_s},
          {"converged", result.complete},
          {"stopped", result.stopped}};
}

ordered_json spans_to_json(const SharedResult& result) {
  ordered_json spans = ordered_json::array();
  for (const SharedSpan& span : result.spans) {
    ordered_json parts = ordered_json::array();
    for (const SharedSpan::Part& part : span.parts) {
      parts.push_back({{"job", part.job},
                       {"rate", part.rate},
                       {"read_bytes_per_s", part.read_bytes_per_s},
                       {"gpu_utilization", part.gpu_utilization}});
    }
    spans.push_back({{"start_s", span.start_s}, {"end_s", finite_or_null(span.end_s)}, {"jobs", std::move(parts)}});
  }
  return spans;
}

}  // namespace stallcast
