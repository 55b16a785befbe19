#include "core/plan/advice.h"

namespace stallcast {

Advice advise(const ScenarioFile& file, const ResolvedScenario& resolved, const Explanation& explanation,
              const Catalogue& catalogue, const RunOptions& options) {
  Advice advice;
  advice.next_units = value_next_units(file, resolved, explanation.result, catalogue, options);
  advice.workers = worker_curve(resolved.scenario, explanation.result, options);
  return advice;
}

}  // namespace stallcast
