// One stretch of a run on the engine: until the asked precision, or to its end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/model/draws.h"
#include "core/model/read_plan.h"
#include "core/result/run_result.h"
#include "core/result/trace.h"
#include "core/run/regimes.h"
#include "core/run/simulate.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// What one run of the model is given besides its scenario.
struct Setup {
  std::uint64_t seed = 0;
  const RunOptions& options;
  Trace* trace = nullptr;
  std::shared_ptr<const ReplayedDraws> replay = nullptr;
  const ReadPlan* plan = nullptr;
  const Regime* regime = nullptr;  // the one that is simulated
};

// One stretch: a result, and of a regime what its steps took.
struct Stretch {
  RunResult result;
  std::vector<double> walls;  // of the measured steps
  LevelShares served{};
  double copied = 1.0;           // share of the dataset that is there at its end
  std::optional<double> tail_s;  // from an epoch's last step to the start of the next; none if that was not simulated
};

Stretch simulate_stretch(const Scenario& job, const Setup& setup);

}  // namespace stallcast
