// One run from start to end, simulated whole many times where something interrupts it.
#pragma once

#include <cstdint>
#include <memory>

#include "core/model/loader/draws.h"
#include "core/result/run_result.h"
#include "core/result/timeline_result.h"
#include "core/result/trace.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// One run of `scenario` with the luck of `seed`, without replications of it (options.replications are of its timeline).
// run.uncertain is not looked at. `trace` is filled when not null.
//
//   affordable: outline_of (all of it) ---> walk -> account -+-> ledger -> (extrapolate: simulated runs) -> set_figures
//   longer:     outline_of (parts of it) -> walk -> account -+
//                      again with twice as many steps until the precision is reached
RunResult simulate_once(const Scenario& scenario, std::uint64_t seed, const RunOptions& options, Trace* trace);

// The first part of it: the steps and their checkpoints, as nothing interrupts them. with_interruptions() is the rest.
struct Undisturbed {
  RunResult result;  // of the run that is interrupted: without its checkpoints
  CheckpointBehaviour checkpoint;
  double half_width = 0.0;  // of utilization, 95 %
};
Undisturbed simulate_undisturbed(const Scenario& scenario, std::uint64_t seed, const RunOptions& options, Trace* trace);
RunResult with_interruptions(const Scenario& scenario, const Undisturbed& undisturbed, const RunOptions& options);

// The run of a scenario with the given draws instead of random ones: what validation needs. Every step is simulated.
RunResult simulate_replaying(const Scenario& scenario, const std::shared_ptr<const ReplayedDraws>& replay,
                             std::uint64_t seed);

}  // namespace stallcast
