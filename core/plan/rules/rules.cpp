#include "core/plan/rules/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

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

}  // namespace

std::vector<Recommendation> recommend(const std::vector<Rule>& rules, const ScenarioFile& file,
                                      const ResolvedScenario& resolved, const Evaluation& evaluation,
                                      PairedEvaluations& pairs, const Catalogue& catalogue, const RunOptions& options) {
  const RuleFacts facts = rule_facts(resolved, evaluation, catalogue);
  std::vector<const Rule*> applying;
  for (const Rule& rule : rules)
    if (applies(rule, resolved.scenario, facts)) applying.push_back(&rule);
  std::vector<Recommendation> found(applying.size());
  parallel_for(static_cast<std::int64_t>(applying.size()), options.threads, [&](std::int64_t i) {
    const Rule& rule = *applying[static_cast<std::size_t>(i)];
    Recommendation& one = found[static_cast<std::size_t>(i)];
    one = begin(rule, facts);
    if (rule.better == nullptr) {
      one.outcome = RuleOutcome::kSaid;  // a risk: its conditions are figures of the simulation
      return;
    }
    if (options.stop.stop_requested()) return;
    const Loaded<ResolvedScenario> changed = resolve_at(file, one.set, catalogue);
    if (!changed.ok()) {
      one.outcome = RuleOutcome::kImpossible;
      return;
    }
    const KpiValues after = pairs.of(*changed.value);
    if (options.stop.stop_requested()) return;
    one.outcome = judged(rule, pairs.now(), after);
    one.before = known_mean(*rule.better, pairs.now());
    one.after = known_mean(*rule.better, after);
  });
  return found;
}

}  // namespace stallcast
