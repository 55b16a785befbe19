// What a comparison says, whatever it is written in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/compare/comparison.h"

namespace stallcast {

// "78.6 %", "543 samples/s"; "unknown" without a value.
std::string mean_text(const Kpi& kpi, const std::optional<Estimate>& value);

// "-55.1 +- 0.2 points": of an interval that is not even, the longer half; "same" of no difference, "" where it is not
// known.
std::string difference_text(const Kpi& kpi, const std::optional<Estimate>& difference);

// Whether the interval holds 0.
bool is_within_noise(const Estimate& difference);

// Whether a scenario or the command line says it in any of them.
bool is_given(const InputDifference& input);

// Those in which the scenario numbered `other` differs from the first: what somebody gave first.
std::vector<const InputDifference*> differing_inputs(const Comparison& comparison, std::size_t other);

}  // namespace stallcast
