#include "core/plan/explain/shortest_way.h"

#include <algorithm>
#include <optional>

#include "core/cost/price_run.h"
#include "core/model/resource_graph.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/explain/bound_gap.h"

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

// Where no change helps by itself, the one that takes away what the bound is set by: another limit is close behind, and
// the next step finds it. Nothing where that is no change.
std::optional<std::size_t> against_bound(const std::vector<Counterfactual>& tried, const Scenario& scenario) {
  for (const LostTime cause : causes_of(utilization_bound(scenario).binding_resource))
    for (std::size_t i = 0; i < tried.size(); ++i)
      if (cause_against(tried[i].name) == cause) return i;
  return std::nullopt;
}

// Every change to a job whose answer is `result`; fewer where a stop was requested.
std::vector<Counterfactual> tried_on(const Scenario& scenario, const RunResult& result,
                                     const std::vector<Change>& changes, const RunOptions& options,
                                     const Simulation& run) {
  const auto utilization = try_changes(scenario, result, changes, options, run, 0.0);
  std::vector<Counterfactual> tried;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!utilization[i]) continue;
    const double gain = utilization[i]->mean - result.gpu_utilization.mean;
    tried.push_back({changes[i].name, changes[i].kind, changes[i].phrase, *utilization[i], gain, {}, {}});
  }
  return tried;
}

}  // namespace

ShortestWay shortest_way(const ResolvedScenario& resolved, const Explanation& explanation, double target,
                         const RunOptions& options, const Simulation& run) {
  ShortestWay way;
  way.target = target;
  way.complete = explanation.complete;
  Scenario scenario = for_changes(resolved.scenario, explanation.result);
  RunResult result = explanation.result;
  std::vector<Counterfactual> tried = explanation.counterfactuals;
  bool lifted = false;  // the last step took away the bound and bought nothing by itself
  while (way.complete && result.gpu_utilization.mean < target && way.steps.size() < kMostWaySteps) {
    const double now = result.gpu_utilization.mean;
    const std::vector<Change> changes = possible_changes(scenario);
    if (!way.steps.empty()) tried = tried_on(scenario, result, changes, options, run);
    way.complete = tried.size() == changes.size();
    if (!way.complete) break;
    std::optional<std::size_t> next = next_change(tried);
    const bool lifts = !next && !lifted;
    if (lifts) next = against_bound(tried, scenario);
    if (!next) break;
    lifted = lifts;
    scenario = std::find_if(changes.begin(), changes.end(), [&](const Change& change) {
                 return change.name == tried[*next].name;
               })->scenario;
    result = run(scenario, one_of_many(options));
    way.complete = !options.stop.stop_requested();
    if (!way.complete) break;
    Counterfactual& step = way.steps.emplace_back(tried[*next]);
    step.gpu_utilization = result.gpu_utilization;
    step.gain = result.gpu_utilization.mean - now;
    add_worth(step, now, explanation.cost, explanation.result.totals);
  }
  if (lifted && !way.steps.empty() && way.steps.back().gain < kSmallestGain) way.steps.pop_back();
  way.reached = result.gpu_utilization.mean >= target;
  return way;
}

ShortestWay shortest_way(const ResolvedScenario& resolved, const Explanation& explanation, double target,
                         const RunOptions& options) {
  return shortest_way(resolved, explanation, target, options, simulate);
}

}  // namespace stallcast
