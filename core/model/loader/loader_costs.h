// What a loader's own machinery costs beside reading and decoding, by the measured curves of its record.
#pragma once

#include <cstdint>

#include "core/engine/sim_time.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Seconds of a cost that grows with the workers. **Range** >= 0.
double cost_s(const LinearCost& cost, std::int64_t workers);

// Seconds that next() takes with a batch ready after `idle`: linear between the points of the measured curve, level
// outside them.
double hand_over_s(const LoaderSpec& loader, SimTime idle);

// What the first batch of a new pool takes beyond start-up and an ordinary hand-over: threads and connections that are
// made on first use.
double first_batch_extra_s(const LoaderSpec& loader);

}  // namespace stallcast
