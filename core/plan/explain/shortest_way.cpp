#include "core/plan/explain/shortest_way.h"

#include <optional>
#include <utility>

#include "core/cost/price_run.h"

namespace stallcast {
namespace {

// The place of the change to make next; nothing where none helps.
std::optional<std::size_t> next_change(const std::vector<Counterfactual>& tried) {
  std::optional<std::size_t> setting, ideal;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (tried[i].gain < kSmallestGain) continue;
    std::optional<std::size_t>& best = tried[i].kind == ChangeKind::kSetting ? setting : ideal;
    if (!best || tried[i].gain > tried[*best].gain) best = i;
  }
  if (!setting) return ideal;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (tried[i].kind == ChangeKind::kSetting && is_as_good_and_cheaper(tried[i], tried[*setting])) setting = i;
  }
  return setting;
}

}  // namespace

ShortestWay shortest_way(const ResolvedScenario& resolved, const Explanation& explanation, double target,
                         const RunOptions& options, const Simulation& run) {
  ShortestWay way;
  way.target = target;
  Scenario scenario = for_changes(resolved.scenario, explanation.result);
  double now = explanation.result.gpu_utilization.mean;
  while (now < target && way.steps.size() < kMostWaySteps) {
    const std::vector<Change> changes = possible_changes(scenario);
    const std::vector<std::optional<RunResult>> results = run_changes(changes, options, run);
    std::vector<Counterfactual> tried;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (!results[i]) {
        way.complete = false;
        return way;
      }
      tried.push_back({changes[i].name,
                       changes[i].kind,
                       changes[i].phrase,
                       results[i]->gpu_utilization,
                       results[i]->gpu_utilization.mean - now,
                       {},
                       {}});
    }
    const std::optional<std::size_t> next = next_change(tried);
    if (!next) break;
    add_worth(tried[*next], now, explanation.cost, explanation.result.totals);
    now = tried[*next].gpu_utilization.mean;
    scenario = changes[*next].scenario;
    way.steps.push_back(std::move(tried[*next]));
  }
  way.reached = now >= target;
  return way;
}

ShortestWay shortest_way(const ResolvedScenario& resolved, const Explanation& explanation, double target,
                         const RunOptions& options) {
  return shortest_way(resolved, explanation, target, options, simulate);
}

}  // namespace stallcast
