// The interval between checkpoints beside the closed forms, as a person reads it.
#pragma once

#include <string>

#include "core/timeline/interval_explanation.h"

namespace stallcast {

// A row for each interval with the effective training time it gives, then a row for each reason why simulation and
// formulas differ, with its size.
std::string render_interval(const IntervalExplanation& interval);

}  // namespace stallcast
