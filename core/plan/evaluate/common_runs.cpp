#include "core/plan/evaluate/common_runs.h"

#include <utility>

#include "core/plan/evaluate/evaluation.h"

namespace stallcast {

RunResult CommonRuns::simulate(const Scenario& scenario, const RunOptions& options) {
  std::string key = simulation_key(scenario);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = results_.find(key); found != results_.end()) return found->second;
  }
  RunResult result = stallcast::simulate(scenario, options);
  // A run that was cut short is nobody's result.
  if (options.stop.stop_requested()) return result;
  const std::lock_guard lock(mutex_);
  results_.emplace(std::move(key), result);
  return result;
}

std::int64_t CommonRuns::runs() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(results_.size());
}

}  // namespace stallcast
