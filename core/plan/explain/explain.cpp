#include "core/plan/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>

#include "core/cost/price_run.h"
#include "core/model/resource_graph.h"
#include "core/plan/evaluate/changed_job.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/explain/bound_gap.h"
#include "core/scenario/data_path.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100.0 * fraction); }

double lost_to(const RunResult& result, LostTime cause) {
  return result.lost_fraction[static_cast<std::size_t>(cause)];
}

// The change against `cause` that buys back most; null where none was tried.
const Counterfactual* best_against(const Explanation& explanation, LostTime cause) {
  for (const Counterfactual& change : explanation.counterfactuals)
    if (cause_against(change.name) == cause) return &change;
  return nullptr;
}

double gain_against(const Explanation& explanation, LostTime cause) {
  const Counterfactual* const change = best_against(explanation, cause);
  return change != nullptr ? change->gain : 0.0;
}

LostTime largest_loss(const RunResult& result) {
  const auto largest = std::max_element(result.lost_fraction.begin(), result.lost_fraction.end());
  return static_cast<LostTime>(largest - result.lost_fraction.begin());
}

// Of the causes whose taking away buys back most; nothing where no change buys anything.
std::optional<LostTime> most_bought_back(const Explanation& explanation) {
  for (const Counterfactual& change : explanation.counterfactuals) {
    if (change.gain < kSmallestGain) return std::nullopt;
    if (const auto cause = cause_against(change.name)) return cause;
  }
  return std::nullopt;
}

// One change that names its part ("metadata_rate") is preferred to one that takes away several ("request_rate").
std::string change_that_names(const Explanation& explanation, LostTime cause) {
  const Counterfactual* const best = best_against(explanation, cause);
  if (best == nullptr) return "";
  for (const Counterfactual& change : explanation.counterfactuals) {
    const bool whole = change.name == lost_time_name(cause);
    if (cause_against(change.name) == cause && !whole && change.gain >= (1.0 - kTie) * best->gain) return change.name;
  }
  return best->name;
}

double gain_of(const Explanation& explanation, std::string_view name) {
  for (const Counterfactual& change : explanation.counterfactuals)
    if (change.name == name) return change.gain;
  return 0.0;
}

// What decoding lacks.
std::string decode_reason(const Explanation& explanation) {
  constexpr double kShare = 0.25;
  const double enough = std::max(kSmallestGain, kShare * gain_of(explanation, "cpu_decode"));
  if (std::max(gain_of(explanation, "double_workers"), gain_of(explanation, "quadruple_workers")) >= enough)
    return "too few workers";
  return gain_of(explanation, "double_cores") >= enough ? "cores full" : "";
}

void sort_by_gain(Explanation& explanation) {
  std::stable_sort(explanation.counterfactuals.begin(), explanation.counterfactuals.end(),
                   [](const Counterfactual& a, const Counterfactual& b) { return a.gain > b.gain; });
}

// Of what can be set, what brings most for the least effort; nothing where that is too little.
std::optional<std::size_t> best_setting(const Explanation& explanation) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < explanation.counterfactuals.size(); ++i) {
    const Counterfactual& change = explanation.counterfactuals[i];
    if (change.kind != ChangeKind::kSetting || change.gain < kSmallestGain) continue;
    if (!best || is_as_good_and_cheaper(change, explanation.counterfactuals[*best])) best = i;
  }
  return best;
}

// What is told first is told as the changed job itself then says it: with its own checkpoints, by a run of its own.
void tell_best_in_full(Explanation& explanation, const ResolvedScenario& resolved, const RunOptions& options,
                       const Simulation& run) {
  Scenario given = resolved.scenario;
  given.run.uncertain.clear();
  const std::vector<Change> changes = possible_changes(given);
  const double now = explanation.result.gpu_utilization.mean;
  std::set<std::string> told;
  while (!options.stop.stop_requested()) {
    const std::optional<std::size_t> at = best_setting(explanation);
    if (!at) return;
    Counterfactual& best = explanation.counterfactuals[*at];
    const auto change =
        std::find_if(changes.begin(), changes.end(), [&](const Change& c) { return c.name == best.name; });
    if (change == changes.end() || !told.insert(best.name).second) return;
    const RunResult full = run(change->scenario, one_of_many(options));
    if (options.stop.stop_requested()) return;
    best.gpu_utilization = full.gpu_utilization;
    best.gain = full.gpu_utilization.mean - now;
    add_worth(best, now, explanation.cost, explanation.result.totals);
    const CostBreakdown after = price_run(change->scenario, price_records(resolved), full);
    if (const auto total = explanation.cost.total(), then = after.total(); best.usd && total && then)
      best.usd = total->to_double() - then->to_double();
    sort_by_gain(explanation);
  }
}

}  // namespace

Counterfactual counterfactual(const Change& change, const Scenario& scenario) {
  Counterfactual out;
  out.name = change.name;
  out.kind = change.kind;
  out.phrase = change.phrase;
  if (change.kind == ChangeKind::kSetting)
    out.settings = change.settings.empty() ? settings_between(scenario, change.scenario) : change.settings;
  return out;
}

bool is_as_good_and_cheaper(const Counterfactual& one, const Counterfactual& best) {
  const double alike = best.name == "quadruple_workers" ? kTie * best.gain : kSmallestGain;
  return one.gain >= best.gain - alike && effort_of(one.name) < effort_of(best.name);
}

std::vector<std::optional<Estimate>> try_changes(const Scenario& job, const RunResult& now,
                                                 const std::vector<Change>& changes, const RunOptions& options,
                                                 const Simulation& run, double events) {
  constexpr double kSharp = 0.05;  // half-width of a gain, relative, that needs no other run
  std::vector<std::optional<Estimate>> found(changes.size());
  const PairedTrials trials(job, now, options, run);
  // Of `which`, what `utilization` makes of the changed scenario.
  const auto for_each_of = [&](const std::vector<std::size_t>& which, const auto& utilization) {
    parallel_for(static_cast<std::int64_t>(which.size()), options.threads, [&](std::int64_t k) {
      if (options.stop.stop_requested()) return;
      const std::size_t i = which[static_cast<std::size_t>(k)];
      const Estimate value = utilization(changes[i].scenario);
      found[i] = options.stop.stop_requested() ? std::nullopt : std::optional(value);
    });
  };
  std::vector<std::size_t> all(changes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  // What takes longest goes first, so that no core is idle in the end.
  const auto ahead = [&](std::size_t i) { return batches_ahead(changes[i].scenario); };
  std::stable_sort(all.begin(), all.end(), [&](std::size_t i, std::size_t j) { return ahead(i) > ahead(j); });
  for_each_of(all, [&](const Scenario& changed) { return trials.utilization(trials.of(changed)); });
  if (!trials.coarse()) return found;
  const auto difference = [&](std::size_t i) { return std::abs(found[i]->mean - now.gpu_utilization.mean); };
  std::erase_if(all, [&](std::size_t i) {
    return !found[i] || difference(i) < kWorthTelling ||
           found[i]->half_width() <= std::max(job.run.precision, kSharp * difference(i));
  });
  std::stable_sort(all.begin(), all.end(), [&](std::size_t i, std::size_t j) { return difference(i) > difference(j); });
  const double affordable = events / std::max(1.0, static_cast<double>(now.events));
  if (static_cast<double>(all.size()) > affordable) all.resize(static_cast<std::size_t>(affordable));
  RunOptions as_long = one_of_many(options);
  as_long.affordable_samples = std::min(as_long.affordable_samples, static_cast<double>(now.samples));
  for_each_of(all, [&](const Scenario& changed) { return run(changed, as_long).gpu_utilization; });
  return found;
}

std::string change_first(const Explanation& explanation, const std::vector<Recommendation>& recommended) {
  const double now = explanation.result.gpu_utilization.mean;
  if (explanation.bottleneck.cause == "gpu") return "Nothing: the GPUs are the limit. Only faster GPUs train faster.";
  const std::vector<Counterfactual>& changes = explanation.counterfactuals;
  const Counterfactual* const best =
      !changes.empty() && changes.front().gain >= kSmallestGain ? &changes.front() : nullptr;
  const std::optional<std::size_t> at = best_setting(explanation);
  const Counterfactual* const setting = at ? &changes[*at] : nullptr;
  const Recommendation* rule = nullptr;  // where it is better than any setting
  double least = kSmallestGain + (setting != nullptr ? setting->gain : 0.0);
  for (const Recommendation& one : recommended) {
    if (one.outcome != RuleOutcome::kSaid || one.gain < least) continue;
    rule = &one;
    least = one.gain;
  }
  if (best == nullptr && rule == nullptr) return "No single change buys anything: several parts must change together.";
  const auto outcome = [&](double after) {
    return fmt::format("GPU utilization {} -> {}", percent(now), percent(after));
  };
  // What can be set costs nothing to try, so it comes first unless it leaves most of the gain on the table.
  const double most = best != nullptr ? best->gain : 0.0;
  if (rule != nullptr && rule->gain >= 0.5 * most) return fmt::format("{}. {}.", rule->say, outcome(now + rule->gain));
  const Counterfactual& first = setting != nullptr && setting->gain >= 0.5 * most ? *setting : *best;
  if (first.kind == ChangeKind::kSetting)
    return fmt::format("Set {}: {}.", first.phrase, outcome(first.gpu_utilization.mean));
  std::string name = first.name;
  std::replace(name.begin(), name.end(), '_', ' ');
  return fmt::format("The largest lever is {}: if {}, {}.", name, first.phrase, outcome(first.gpu_utilization.mean));
}

void add_worth(Counterfactual& change, double utilization, const CostBreakdown& cost, const RunTotals& totals) {
  const std::optional<Money> rate = cost.per_hour.total();
  if (!rate || change.gpu_utilization.mean <= 0.0) return;
  const double saved = 1.0 - utilization / change.gpu_utilization.mean;
  change.usd_per_hour = saved * rate->to_double();
  if (cost.run_is_sized) change.usd = *change.usd_per_hour * totals.training_s / 3600.0;
}

Bottleneck name_bottleneck(const Explanation& explanation) {
  const RunResult& result = explanation.result;
  Bottleneck found;
  if (bottleneck_name(result) == "gpu") return found;
  LostTime cause = largest_loss(result);
  const std::optional<LostTime> bought = most_bought_back(explanation);
  if (bought && gain_against(explanation, *bought) > gain_against(explanation, cause) + kSmallestGain) cause = *bought;
  found.cause = lost_time_name(cause);
  found.change = change_that_names(explanation, cause);
  if (cause == LostTime::kCpuDecode) found.reason = decode_reason(explanation);

  std::set<LostTime> ties;
  const double most_lost = lost_to(result, cause), most_bought = gain_against(explanation, cause);
  for (std::size_t c = 0; c < static_cast<std::size_t>(LostTime::kCount); ++c) {
    const auto other = static_cast<LostTime>(c);
    const double gain = gain_against(explanation, other);
    const bool loses_alike =
        lost_to(result, other) >= (1.0 - kTie) * most_lost && gain >= (1.0 - kTie) * most_bought - kSmallestGain;
    const bool buys_alike = gain >= kSmallestGain && gain >= (1.0 - kTie) * most_bought;
    if (loses_alike || buys_alike) ties.insert(other);
  }
  if (explanation.bound.tied.size() > 1) {
    for (const std::string& resource : explanation.bound.tied) {
      const LostTime other = causes_of(resource).front();
      if (lost_to(result, other) >= kSmallestGain) ties.insert(other);
    }
  }
  ties.erase(cause);
  for (const LostTime tie : ties) found.ties.emplace_back(lost_time_name(tie));
  return found;
}

Explanation explain(const ResolvedScenario& resolved, const RunOptions& options, const Simulation& run) {
  const Scenario& scenario = resolved.scenario;
  Explanation explanation;
  explanation.bound = utilization_bound(scenario);
  RunOptions first = options;
  first.find_optimal_interval = true;
  explanation.result = run(scenario, first);
  explanation.cost = price_run(resolved, explanation.result);
  explanation.gap_reason = gap_reason(explanation.result, explanation.bound);
  explanation.checkpoint_interval = explain_interval(scenario, explanation.result);

  const double now = explanation.result.gpu_utilization.mean;
  const Scenario as_given = for_changes(scenario, explanation.result);
  const std::vector<Change> changes = possible_changes(as_given);
  const std::vector<std::optional<Estimate>> utilization =
      try_changes(as_given, explanation.result, changes, options, run);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!utilization[i]) {
      explanation.complete = false;
      continue;
    }
    Counterfactual found = counterfactual(changes[i], as_given);
    found.gpu_utilization = *utilization[i];
    found.gain = found.gpu_utilization.mean - now;
    add_worth(found, now, explanation.cost, explanation.result.totals);
    explanation.counterfactuals.push_back(std::move(found));
  }
  sort_by_gain(explanation);
  tell_best_in_full(explanation, resolved, options, run);
  explanation.bottleneck = name_bottleneck(explanation);
  explanation.change_first = change_first(explanation, {});
  return explanation;
}

Explanation explain(const ResolvedScenario& resolved, const RunOptions& options) {
  return explain(resolved, options, simulate);
}

}  // namespace stallcast
