// A bill as a person reads it.
#pragma once

#include <string>

#include "core/cost/cost_breakdown.h"
#include "core/report/words/text_layout.h"

namespace stallcast {

// The lines that cost something, their sum, dollars per useful GPU-hour, epoch and million samples, what stalls cost,
// and what is not known; or, when the length of the run is not given, what runs by the hour. 80 columns.
std::string render_cost(const CostBreakdown& cost, const TextStyle& style);

}  // namespace stallcast
