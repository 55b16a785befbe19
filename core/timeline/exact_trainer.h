// Training simulated step by step between two interruptions, every rank and every checkpoint of it: the reference that
// the paced trainer is held to.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "core/scenario/scenario.h"
#include "core/timeline/run_timeline.h"

namespace stallcast {

// The interval between checkpoints is that of `input`; all else comes from the model. The input and the scenario must
// outlive it. Once `stop` is requested its sessions are stopped.
std::unique_ptr<Trainer> exact_trainer(const Scenario& scenario, const TimelineInput& input, std::uint64_t seed,
                                       std::uint64_t replication, std::stop_token stop = {});

}  // namespace stallcast
