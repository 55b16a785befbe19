// Training simulated step by step between two interruptions, every rank and every checkpoint of it: the reference that
// the paced trainer is held to.
#pragma once

#include <cstdint>
#include <memory>

#include "core/scenario/scenario.h"
#include "core/timeline/run_timeline.h"

namespace stallcast {

// The interval between checkpoints is that of `input`; all else comes from the model. The input and the scenario must
// outlive it.
std::unique_ptr<Trainer> exact_trainer(const Scenario& scenario, const TimelineInput& input, std::uint64_t seed,
                                       std::uint64_t replication);

}  // namespace stallcast
