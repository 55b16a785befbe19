// How long a run takes at the least: its compute, which nothing that stands in its way can shorten.
#pragma once

#include <cstdint>

#include "core/scenario/scenario.h"

namespace stallcast {

// Mean compute of one step of one rank, all its micro-steps, what returning from them takes a core included. **Units**
// s; 0 where it is not stated.
double step_compute_s(const Scenario& scenario);

// Shards that an iterable loader reads for one rank in an epoch; 0 where neither they nor the samples are stated.
std::int64_t shards_per_rank(const Scenario& scenario);

// Batches that the workers of an iterable loader make for one rank in an epoch: each of its own shards, without the
// rest that fills none.
std::int64_t iterable_batches(const Scenario& scenario);

// Steps per rank of an epoch; 0 where neither they nor the samples are stated. An iterable loader has no more than its
// shards hold, whatever run.steps_per_epoch says.
double epoch_steps(const Scenario& scenario);

// The validation pass at the end of each epoch. **Units** s
double validation_s(const Scenario& scenario);

// Compute of all epochs. **Units** s; 0 where the length of the run is not stated.
double run_compute_s(const Scenario& scenario);

}  // namespace stallcast
