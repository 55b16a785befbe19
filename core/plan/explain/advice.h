// What to do about a job, beside why it runs as it does: rules that the simulation agrees with, what the next unit of
// each knob is worth, how many workers are enough, how much slower the storage could be, and the loader's arguments.
#pragma once

#include <optional>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/plan/emit/loader_arguments.h"
#include "core/plan/explain/explain.h"
#include "core/plan/explain/next_unit.h"
#include "core/plan/explain/worker_curve.h"
#include "core/plan/rules/rules.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

// How many times slower all of the storage may get before GPU utilization drops by more than a point.
struct StorageSlack {
  bool searched = false;         // false where the storage costs a point already, or the search was stopped
  std::optional<double> factor;  // nothing: not up to kFurthestSlack
};
inline constexpr double kFurthestSlack = 100.0;

struct Advice {
  std::vector<Recommendation> recommendations;
  std::vector<NextUnit> next_units;
  WorkerCurve workers;
  StorageSlack storage;
  LoaderScript loader;
};

// What to change first, in `explanation`, may then be a rule.
// **Errors** as simulate(). **Cost** about 30 coarse simulations (evaluate/paired_evaluations.h); ends early when
// options.stop is asked to
Advice advise(const ScenarioFile& file, const ResolvedScenario& resolved, Explanation& explanation,
              const std::vector<Rule>& rules, const Catalogue& catalogue, const RunOptions& options);

}  // namespace stallcast
