#include "core/plan/explain/ruled_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/plan/evaluate/evaluation.h"
#include "core/plan/explain/curve_values.h"
#include "core/scenario/check/check.h"
#include "core/scenario/fields/field_table.h"

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
  for (const Assignment& one : set) {
    std::string name = one.pointer.substr(1);
    std::replace(name.begin(), name.end(), '/', '.');
    out += fmt::format("{}{} to {}", out.empty() ? "" : ", ", name, one.text);
  }
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
    // Of a job whose interval between checkpoints was searched for and is kept, it is searched for again.
    const CheckpointCadence cadence = ruled.value->scenario.checkpoint.cadence;
    if (cadence == CheckpointCadence::kOptimal && is_of_checkpoints(one.set)) changed.checkpoint.cadence = cadence;
    if (check_scenario(changed, {}, "").has_errors()) continue;
    std::string phrase = phrase_of(one.set);
    out.push_back(
        {std::move(one.name), ChangeKind::kSetting, std::move(phrase), std::move(changed), std::move(one.set)});
  }
  return out;
}

}  // namespace stallcast
