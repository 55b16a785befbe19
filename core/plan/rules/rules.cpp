#include "core/plan/rules/rules.h"

#include <algorithm>
#include <cmath>

#include "core/plan/evaluate/changed_job.h"
#include "core/plan/rules/rule_facts.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

// "{cores_per_gpu}" is the text of that name, anything else itself; nothing when there is no such text.
std::optional<std::string> filled_in(const std::string& text, const RuleFacts& facts) {
  if (!text.starts_with('{') || !text.ends_with('}') || text.find('"') != std::string::npos) return text;
  const auto found = facts.texts.find(text.substr(1, text.size() - 2));
  if (found == facts.texts.end()) return std::nullopt;
  return found->second;
}

bool applies(const Rule& rule, const Scenario& scenario, const RuleFacts& facts) {
  for (const Assertion& condition : rule.when) {
    const auto number = facts.numbers.find(condition.path);
    if (number == facts.numbers.end() || !holds(condition, number->second)) return false;
  }
  for (const auto& [pointer, values] : rule.fields) {
    const Field* const field = find_field(pointer);
    const std::string text = value_text(*field, field->get(scenario));
    if (std::find(values.begin(), values.end(), text) == values.end()) return false;
  }
  return std::all_of(rule.set.begin(), rule.set.end(),
                     [&](const Assignment& one) { return filled_in(one.text, facts).has_value(); });
}

// How much better `after` is: of a fraction in itself, of anything else relative to `before`.
double improvement(const Kpi& kpi, double before, double after) {
  const double up = kpi.better == Better::kHigher ? after - before : before - after;
  if (kpi.dimension == Dimension::kFraction) return up;
  return before != 0.0 ? up / std::abs(before) : 0.0;
}

// Improvements of what is not known are none.
RuleOutcome judged(const Rule& rule, const KpiValues& before, const KpiValues& after) {
  const auto gain = [&](const Kpi& kpi) { return improvement(kpi, mean_of(kpi, before), mean_of(kpi, after)); };
  if (!(gain(*rule.better) >= rule.by)) return RuleOutcome::kSilenced;
  const bool is_kept = rule.keep == nullptr || gain(*rule.keep) >= -rule.within;
  return is_kept ? RuleOutcome::kSaid : RuleOutcome::kSilenced;
}

// Nothing where it is not known.
std::optional<double> known_mean(const Kpi& kpi, const KpiValues& values) {
  const std::optional<Estimate>& value = value_of(kpi, values);
  return value ? std::optional(value->mean) : std::nullopt;
}

Recommendation begin(const Rule& rule, const RuleFacts& facts) {
  Recommendation found;
  found.name = rule.name;
  found.say = rule.say;
  found.kpi = rule.better;
  found.source_title = rule.source_title;
  found.source_locator = rule.source_locator;
  found.source_read = rule.source_read;
  for (const Assignment& one : rule.set) found.set.push_back({one.pointer, *filled_in(one.text, facts)});
  return found;
}

// Those of `rules` that apply, each as a recommendation that is not tried yet.
struct Applying {
  std::vector<const Rule*> rules;
  std::vector<Recommendation> found;
};

Applying applying(const std::vector<Rule>& rules, const ResolvedScenario& resolved, const Evaluation& evaluation,
                  const Catalogue& catalogue) {
  const RuleFacts facts = rule_facts(resolved, evaluation, catalogue);
  Applying out;
  for (const Rule& rule : rules) {
    if (!applies(rule, resolved.scenario, facts)) continue;
    out.rules.push_back(&rule);
    out.found.push_back(begin(rule, facts));
  }
  return out;
}

}  // namespace

std::vector<Recommendation> applying_rules(const std::vector<Rule>& rules, const ResolvedScenario& resolved,
                                           const Evaluation& evaluation, const Catalogue& catalogue) {
  return applying(rules, resolved, evaluation, catalogue).found;
}

std::vector<Recommendation> recommend(const std::vector<Rule>& rules, const ScenarioFile& file,
                                      const ResolvedScenario& resolved, const Evaluation& evaluation,
                                      PairedEvaluations& pairs, const Catalogue& catalogue, const RunOptions& options) {
  const Kpi &total = *find_kpi("cost.total_usd"), &busy = *find_kpi("gpu_utilization");
  auto [asking, found] = applying(rules, resolved, evaluation, catalogue);
  parallel_for(std::ssize(found), options.threads, [&, &asking = asking, &found = found](std::int64_t i) {
    const Rule& rule = *asking[static_cast<std::size_t>(i)];
    Recommendation& one = found[static_cast<std::size_t>(i)];
    if (rule.better == nullptr) {
      one.outcome = RuleOutcome::kSaid;  // a risk: its conditions are figures of the simulation
      return;
    }
    if (options.stop.stop_requested()) return;
    const Loaded<ResolvedScenario> changed = changed_job(file, one.set, evaluation.result, catalogue);
    if (!changed.ok()) {
      one.outcome = RuleOutcome::kImpossible;
      return;
    }
    KpiValues after = pairs.of(*changed.value);
    // What is said has to be so in full, too.
    if (judged(rule, pairs.now(), after) == RuleOutcome::kSaid && !options.stop.stop_requested())
      after = pairs.in_full(*changed.value);
    if (options.stop.stop_requested()) return;
    one.outcome = judged(rule, pairs.now(), after);
    one.before = known_mean(*rule.better, pairs.now());
    one.after = known_mean(*rule.better, after);
    one.gain = mean_of(busy, after) - mean_of(busy, pairs.now());
    if (const double saved = mean_of(total, pairs.now()) - mean_of(total, after); std::isfinite(saved))
      one.saved_usd = saved;
  });
  return found;
}

}  // namespace stallcast
