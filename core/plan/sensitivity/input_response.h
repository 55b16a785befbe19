// How a scenario answers to factors of its inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/plan/evaluate/common_runs.h"
#include "core/plan/evaluate/kpi.h"
#include "core/run/simulate.h"
#include "core/run/uncertainty.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

// **Model** Runs at a quarter of the cost of a simulation (coarse_run in run/uncertainty.h), all with the same seed, so
// that what differs is the inputs; what only a price changes is not simulated again.
class InputResponse {
 public:
  // Simulates the scenario once as given, to know how long such a run is.
  // **Errors** as simulate()
  InputResponse(const ResolvedScenario& resolved, std::uint64_t seed, const RunOptions& options);

  // The means of `figures` with each of `inputs` at its factor; not finite where not known. Factors that make no
  // possible job are moved towards 1 until they do. Safe from several threads.
  std::vector<double> at(const std::vector<UncertainInput>& inputs, const std::vector<double>& factors,
                         const std::vector<const Kpi*>& figures);

  std::int64_t runs() const { return runs_.runs(); }

 private:
  ResolvedScenario given_;
  CoarseRun coarse_;
  CommonRuns runs_;
};

}  // namespace stallcast
