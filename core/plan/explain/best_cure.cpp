#include "core/plan/explain/best_cure.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>
#include <vector>

#include "core/catalogue/capacity_rule.h"
#include "core/catalogue/records/records.h"
#include "core/diagnostics/finding.h"
#include "core/plan/evaluate/changed_job.h"
#include "core/plan/explain/changes.h"
#include "core/plan/explain/curve.h"
#include "core/plan/explain/curve_values.h"
#include "core/plan/explain/worded_change.h"
#include "core/plan/pairs/paired_evaluations.h"
#include "core/result/estimate.h"
#include "core/result/run_result.h"
#include "core/scenario/scenario.h"
#include "core/steps/parallel.h"
#include "core/units/quantity.h"

namespace stallcast {
namespace {

constexpr const char* kCapacity = "/storage/capacity";
constexpr std::size_t kSizes = 9;  // around the present one
constexpr double kAsGood = 0.01;   // relative

struct TriedCure {
  std::string name;
  Point point;
  std::string phrase;
  std::optional<KpiValues> after;
  bool in_full = false;  // after is of a full run
};

TriedCure tried(std::string name, Point point) {
  std::string phrase = settings_phrase(point);
  return {std::move(name), std::move(point), std::move(phrase), std::nullopt};
}

std::vector<TriedCure> settings(const Scenario& now) {
  std::vector<TriedCure> out;
  for (const Change& change : possible_changes(now))
    if (change.kind == ChangeKind::kSetting) out.push_back(tried(change.name, settings_between(now, change.scenario)));
  std::stable_sort(out.begin(), out.end(),
                   [](const TriedCure& a, const TriedCure& b) { return effort_of(a.name) < effort_of(b.name); });
  return out;
}

// Larger ones than the present, ascending.
std::vector<TriedCure> sizes(const ScenarioFile& file, const Scenario& now, const Catalogue& catalogue) {
  std::vector<TriedCure> out;
  const auto tier = catalogue.tiers.find(now.storage.tier);
  if (tier == catalogue.tiers.end() || !is_provisioned(tier->second)) return out;
  for (const std::string& text : usual_values(file, catalogue, kCapacity, kSizes)) {
    const std::optional<double> size = number_of_text(kCapacity, text);
    if (size && *size > now.storage.capacity.base()) out.push_back(tried("capacity", {{kCapacity, text}}));
  }
  return out;
}

// "write fewer checkpoints" of "Write fewer checkpoints: nothing is known to ..."
std::string instruction_of(const std::string& say) {
  std::string text = say.substr(0, say.find(": "));
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

// What rules say to set.
std::vector<TriedCure> ruled(const std::vector<Rule>& rules, const ResolvedScenario& resolved, const Evaluation& now,
                             const Catalogue& catalogue) {
  std::vector<TriedCure> out;
  for (const Recommendation& one : applying_rules(rules, resolved, now, catalogue))
    if (!one.set.empty()) out.push_back({one.name, one.set, instruction_of(one.say), std::nullopt});
  return out;
}

// The one that pays best of those that cure something; null where none does.
TriedCure* best_of(std::vector<TriedCure>& all, const KpiValues& now) {
  const Kpi &busy = *find_kpi("gpu_utilization"), &price = *find_kpi("effective_usd_per_useful_gpu_hour");
  std::vector<TriedCure*> cures;
  for (TriedCure& one : all)
    if (one.after && mean_of(busy, *one.after) - mean_of(busy, now) >= kLeastCure) cures.push_back(&one);
  const bool is_priced = std::isfinite(mean_of(price, now)) &&
                         std::all_of(cures.begin(), cures.end(),
                                     [&](const TriedCure* one) { return std::isfinite(mean_of(price, *one->after)); });
  // Of which less is better.
  const auto value = [&](const KpiValues& values) {
    return is_priced ? mean_of(price, values) : -mean_of(busy, values);
  };
  // What lifts utilization for more than that is worth pays nothing.
  std::erase_if(cures, [&](const TriedCure* one) { return value(*one->after) >= value(now); });
  double best = value(now);
  for (const TriedCure* one : cures) best = std::min(best, value(*one->after));
  const auto found = std::find_if(cures.begin(), cures.end(), [&](const TriedCure* one) {
    return value(*one->after) <= best + kAsGood * std::abs(best);
  });
  return found == cures.end() ? nullptr : *found;
}

}  // namespace

std::optional<Cure> best_cure(const ScenarioFile& file, const ResolvedScenario& resolved, const Evaluation& now,
                              const std::vector<Rule>& rules, const Catalogue& catalogue, const RunOptions& options) {
  if (now.result.gpu_utilization.mean >= kNothingToCure || options.stop.stop_requested()) return std::nullopt;
  ResolvedScenario job = resolved;
  job.scenario = for_changes(resolved.scenario, now.result);
  std::vector<TriedCure> all = settings(resolved.scenario);
  for (TriedCure& one : ruled(rules, resolved, now, catalogue)) all.push_back(std::move(one));
  for (TriedCure& size : sizes(file, resolved.scenario, catalogue)) all.push_back(std::move(size));
  RunOptions quiet = one_of_many(options);
  quiet.seed = now.result.seed;
  PairedEvaluations pairs(job, now, quiet);
  parallel_for(std::ssize(all), options.threads, [&](std::int64_t i) {
    TriedCure& one = all[static_cast<std::size_t>(i)];
    const Loaded<ResolvedScenario> changed = changed_job(file, one.point, now.result, catalogue);
    if (changed.ok() && !options.stop.stop_requested()) one.after = pairs.of(*changed.value);
  });
  // The best is told only as it is in full; where that makes another one the best, that one.
  while (!options.stop.stop_requested()) {
    TriedCure* const best = best_of(all, pairs.now());
    if (best == nullptr) return std::nullopt;
    if (best->in_full) return Cure{best->point, best->phrase, pairs.now(), *best->after};
    best->after = pairs.in_full(*changed_job(file, best->point, now.result, catalogue).value);
    best->in_full = true;
  }
  return std::nullopt;
}

}  // namespace stallcast
