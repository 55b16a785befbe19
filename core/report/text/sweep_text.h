// What a sweep says of itself while it runs and when it ends.
#pragma once

#include <string>

#include "core/plan/sweep/sweep.h"

namespace stallcast {

// "1234 of 10000 points, 12.3 points/s, 12 min left, 3 cannot be".
std::string progress_text(const SweepProgress& progress);

// "10000 of 10000 points, 3 of them cannot be; 8766 computed now in 12 min, 12.3 points/s".
std::string summary_text(const SweepProgress& progress);

// "1000000000 points, about 120 ms each on one core: about 1389 d in all".
std::string estimate_text(const SweepEstimate& estimate);

}  // namespace stallcast
