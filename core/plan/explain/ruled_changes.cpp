#include "core/plan/explain/ruled_changes.h"

#include <fmt/format.h>

#include <utility>

#include "core/plan/evaluate/evaluation.h"
#include "core/plan/explain/curve_values.h"
#include "core/scenario/check/check.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

// `now` with every field that differs between `before` and `after` as `after` has it.
Scenario with_differences(const Scenario& now, const Scenario& before, const Scenario& after) {
  Scenario out = now;
  for (const Field& field : field_table())
    if (text_of_field(before, field.pointer) != text_of_field(after, field.pointer)) field.set(out, field.get(after));
  return out;
}

// "dataset.layout to shards, dataset.samples_per_shard to 833"
std::string phrase_of(const Point& set) {
  std::string out;
  for (const Assignment& one : set)
    out += fmt::format("{}{} to {}", out.empty() ? "" : ", ", dotted_name(one.pointer), one.text);
  return out;
}

}  // namespace

std::vector<Change> ruled_changes(const std::vector<Rule>& rules, const ScenarioFile& file,
                                  const ResolvedScenario& resolved, const Catalogue& catalogue, const Scenario& now,
                                  const RunResult& result) {
  ResolvedScenario there = resolved;
  there.scenario = now;
  std::vector<Change> out;
  for (Recommendation& one : applying_rules(rules, there, evaluate(there, result), catalogue)) {
    const Loaded<ResolvedScenario> ruled = resolve_at(file, one.set, catalogue);
    if (one.set.empty() || !ruled.ok()) continue;
    Scenario changed = with_differences(now, resolved.scenario, ruled.value->scenario);
    if (check_scenario(changed, {}, "").has_errors()) continue;
    std::string phrase = phrase_of(one.set);
    out.push_back(
        {std::move(one.name), ChangeKind::kSetting, std::move(phrase), std::move(changed), std::move(one.set)});
  }
  return out;
}

MoreChanges changes_by_rules(const std::vector<Rule>& rules, const ScenarioFile& file, const ResolvedScenario& resolved,
                             const Catalogue& catalogue) {
  return [&](const Scenario& now, const RunResult& result) {
    return ruled_changes(rules, file, resolved, catalogue, now, result);
  };
}

}  // namespace stallcast
