// When a loader made the batch that a rank takes.
#pragma once

#include "core/engine/sim_time.h"

namespace stallcast {

struct BatchTimes {
  SimTime busy_since = 0;  // since when its maker has loaded without waiting for a place in the queue
  SimTime made = 0;        // since when it can be had
};

}  // namespace stallcast
