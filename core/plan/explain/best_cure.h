// The one change to a job that pays best, of those that a person can make today.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/kpi.h"
#include "core/plan/rules/rules.h"
#include "core/plan/space/space.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/steps/run_options.h"

namespace stallcast {

struct Cure {
  Point point;           // what to set
  std::string phrase;    // "use 8 loader workers per GPU", "turn off in-order delivery", "write fewer checkpoints"
  KpiValues now, after;  // with the inputs as given and the same luck
};

// Gain of GPU utilization from which on a change is a cure.
inline constexpr double kLeastCure = 0.01;
// GPU utilization from which on none is looked for.
inline constexpr double kNothingToCure = 0.99;

// Nothing where no single change cures anything, or when stopped. `now` is the answer of `resolved`, which
// is of `file`.
// **Model** Tries the settings of possible_changes(), what those of `rules` that apply say to set, and larger sizes
//   that the storage is sold in, each by a coarse run beside `now` (evaluate/paired_evaluations.h). The best has the
//   lowest price of a useful GPU-hour, or, where a price is missing, the busiest GPUs; one that makes the price higher
//   is none. Of those that come within a hundredth of the best the one that takes least: of the loader (effort_of()),
//   of rules, and storage last. What is best coarsely is simulated in full before it is told.
// **Range** one training job. **Errors** as simulate(). **Cost** up to 25 coarse simulations and seldom more than one
// full one
// **Checked by** tests/core/plan/best_cure_test.cpp
std::optional<Cure> best_cure(const ScenarioFile& file, const ResolvedScenario& resolved, const Evaluation& now,
                              const std::vector<Rule>& rules, const Catalogue& catalogue, const RunOptions& options);

}  // namespace stallcast
