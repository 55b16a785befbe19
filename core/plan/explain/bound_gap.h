// Why a simulated utilization is not the bound.
#pragma once

#include <string>
#include <vector>

#include "core/result/bound.h"
#include "core/result/run_result.h"

namespace stallcast {

// The causes of lost time that a binding resource of a bound shows up as, most likely first.
std::vector<LostTime> causes_of(const std::string& resource);

// One sentence: why the simulated value is not the bound.
// **Model** what the bound's resource must cost, 1 - bound, is taken off the causes it shows up as; the largest of what
// is left says what mean rates do not see.
std::string gap_reason(const RunResult& result, const Bound& bound);

}  // namespace stallcast
