#include "core/plan/evaluate/common_runs.h"

#include <utility>

#include "core/run/simulate_once.h"

namespace stallcast {

CommonRuns::CommonRuns(std::uint64_t seed, const RunOptions& options) : seed_(seed) {
  options_.exact = options.exact;
  options_.affordable_samples = options.affordable_samples;
  options_.replications = options.replications;
  options_.stop = options.stop;
  options_.threads = 1;
}

Evaluation CommonRuns::evaluate(const ResolvedScenario& resolved) {
  std::string key = simulation_key(resolved.scenario);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = results_.find(key); found != results_.end())
      return stallcast::evaluate(resolved, found->second);
  }
  RunResult result = simulate_once(resolved.scenario, seed_, options_, nullptr);
  Evaluation evaluation = stallcast::evaluate(resolved, result);
  // A run that was cut short is nobody's result.
  if (options_.stop.stop_requested()) return evaluation;
  const std::lock_guard lock(mutex_);
  results_.emplace(std::move(key), std::move(result));
  return evaluation;
}

}  // namespace stallcast
