// What to do about a job, beside why it runs as it does: what the next unit of each knob is worth, and how many workers
// are enough.
#pragma once

#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/plan/explain.h"
#include "core/plan/next_unit.h"
#include "core/plan/worker_curve.h"
#include "core/scenario/scenario_file.h"

namespace stallcast {

struct Advice {
  std::vector<NextUnit> next_units;
  WorkerCurve workers;
};

// **Errors** as simulate(). **Cost** about 20 simulations, half of them coarse; ends early when options.stop is asked
// to
Advice advise(const ScenarioFile& file, const ResolvedScenario& resolved, const Explanation& explanation,
              const Catalogue& catalogue, const RunOptions& options);

}  // namespace stallcast
