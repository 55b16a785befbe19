#include "core/plan/evaluate/evaluation.h"

#include <utility>

#include "core/cost/price_run.h"
#include "core/model/resource_graph.h"
#include "core/plan/space/point_file.h"
#include "core/run/simulate.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/resolve/resolve.h"

namespace stallcast {
namespace {

// As if nobody had given the field at `pointer`.
void take_away(ScenarioFile& file, const std::string& pointer) {
  static const Scenario kDefaults;
  if (const Field* field = find_field(pointer)) field->set(file.scenario, field->get(kDefaults));
  file.given.erase(pointer);
  file.overridden.erase(pointer);
}

}  // namespace

Loaded<ScenarioFile> scenario_file_at(const ScenarioFile& base, const Point& point) {
  Loaded<ScenarioFile> out{base, {}};
  for (const Assignment& assignment : point) {
    if (assignment.text.empty()) {
      take_away(*out.value, assignment.pointer);
    } else {
      apply_override(*out.value, assignment.pointer + "=" + assignment.text, out.findings);
    }
  }
  if (out.findings.has_errors()) out.value.reset();
  return out;
}

Loaded<ResolvedScenario> resolve_at(const ScenarioFile& base, const Point& point, const Catalogue& catalogue) {
  Loaded<ScenarioFile> file = scenario_file_at(base, point);
  if (!file.value) return {std::nullopt, std::move(file.findings)};
  return resolve(*file.value, catalogue);
}

Evaluation evaluate(const ResolvedScenario& resolved, RunResult result) {
  Evaluation evaluation;
  evaluation.bound = utilization_bound(resolved.scenario);
  evaluation.cost = price_run(resolved, result);
  evaluation.result = std::move(result);
  return evaluation;
}

Evaluation evaluate(const ResolvedScenario& resolved, const RunOptions& options) {
  return evaluate(resolved, simulate(resolved.scenario, options));
}

RunOptions one_of_many(RunOptions options) {
  options.trace = nullptr;
  options.progress = nullptr;
  options.journal.clear();
  options.threads = 1;
  return options;
}

ResolvedScenario with_inputs_as_given(ResolvedScenario resolved) {
  resolved.scenario.run.uncertain.clear();
  return resolved;
}

}  // namespace stallcast
