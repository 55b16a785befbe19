#include "core/plan/sweep/point_runner.h"

#include <memory>
#include <utility>

#include "core/plan/evaluate/evaluation.h"
#include "core/plan/sweep/sweep_point.h"
#include "core/run/simulate.h"
#include "core/scenario/fields/simulation_key.h"

namespace stallcast {

std::vector<FinishedPoint> PointRunner::run(std::int64_t index) {
  std::vector<FinishedPoint> finished;
  std::vector<std::int64_t> next = {index};
  while (!next.empty() && !stop_.stop_requested()) {
    const std::int64_t one = next.back();
    next.pop_back();
    run_one(one, finished, next);
  }
  return finished;
}

void PointRunner::run_one(std::int64_t index, std::vector<FinishedPoint>& finished, std::vector<std::int64_t>& next) {
  const Point point = space_.point(index);
  Loaded<ResolvedScenario> loaded = resolve_at(base_, point, catalogue_);
  if (!loaded.ok()) {
    finished.push_back({index, false, point_line(index, point, loaded.findings)});
    return;
  }
  const ResolvedScenario resolved = with_inputs_as_given(std::move(*loaded.value));
  const std::string key = simulation_key(resolved.scenario);
  SharedRuns::Claim claim = runs_.claim(key, index);
  if (claim.is_yours) {
    RunOptions options;
    options.threads = 1;
    options.stop = stop_;
    auto result = std::make_shared<const RunResult>(simulate(resolved.scenario, options));
    if (stop_.stop_requested()) return runs_.give_up(key);  // it may have ended early
    ++simulations_;
    claim.result = result;
    const std::vector<std::int64_t> waiting = runs_.finish(key, std::move(result));
    next.insert(next.end(), waiting.begin(), waiting.end());
  }
  if (!claim.result) return;
  finished.push_back({index, true, point_line(index, point, evaluate(resolved, RunResult(*claim.result)))});
}

}  // namespace stallcast
