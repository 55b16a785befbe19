// What the next unit of each knob is worth: one more worker, the next size of the storage, a minute between
// checkpoints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/plan/pairs/paired_evaluations.h"
#include "core/plan/space/space.h"
#include "core/result/estimate.h"
#include "core/result/run_result.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/steps/run_options.h"

namespace stallcast {

// One knob turned by one unit, everything else and the luck the same.
struct NextUnit {
  std::string name;       // "worker", "prefetch", "capacity", "nic", "core", "checkpoint_minute"
  std::string phrase;     // "loader.num_workers 8 to 9"
  Point point;            // what to set
  bool complete = false;  // simulated; false when it cannot be, or was stopped
  Estimate gpu_utilization;
  double gain = 0.0;                // of GPU utilization
  std::optional<double> total_usd;  // change of the bill, its price included; nothing without a price or a length
  std::optional<double> price_usd;  // change of dollars per useful GPU-hour
};

// The knobs that this scenario has, not simulated yet.
std::vector<NextUnit> next_units(const ResolvedScenario& resolved, const RunResult& result, const Catalogue& catalogue);

// Tries and prices each beside the answer of `pairs`, the inputs as given and interruptions included; `result` is of
// it.
// **Units** a worker and a batch of prefetch per GPU; the next capacity that the tier is sold in; a NIC and a storage
// client a tenth faster; one core more per node; one minute more between checkpoints. NIC and core have no price.
// **Errors** as simulate(). **Cost** up to 6 coarse simulations
std::vector<NextUnit> value_next_units(const ScenarioFile& file, const ResolvedScenario& resolved,
                                       const RunResult& result, PairedEvaluations& pairs, const Catalogue& catalogue,
                                       const RunOptions& options);

}  // namespace stallcast
