// From a model that has run to its result, and runs with replayed draws: what validation needs beside simulate().
#pragma once

#include <memory>

#include "core/model/training_model.h"
#include "core/result/run_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// The result over the first `steps` steps; `whole` when the run ended by itself. With `sweep` steps to run through the
// positions of an epoch, utilization is that of whole sweeps. **Range** steps <= finished steps.
RunResult measure(const Scenario& scenario, TrainingModel& model, std::size_t steps, bool whole, std::size_t sweep = 0);

// simulate() with the given draws instead of random ones.
RunResult simulate_replaying(const Scenario& scenario, const std::shared_ptr<const ReplayedDraws>& replay,
                             std::uint64_t seed);

}  // namespace stallcast
