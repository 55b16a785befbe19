// --input: an interval for an input that the catalogue does not give one for.
#pragma once

#include <string_view>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

// Reads PATH=LOW..HIGH, the 90 % interval of the true value of a field of `resolved`: as --set writes its values, or as
// factors of the value given, "storage.latency=x0.5..x2". It holds the value given; a distribution moves as a whole.
// **Errors** findings under the file name "--input": "not_an_interval", "no_value" (there is none to vary: 0, unlimited
// or several numbers, of which only factors can be given), "out_of_range" where the value given lies outside, and those
// of parse_quantity and parse_uncertain_inputs.
Loaded<UncertainInput> parse_input_range(std::string_view text, const ResolvedScenario& resolved);

// Those of run.uncertain, with `given` in the place of its entries for the same fields and behind it.
std::vector<UncertainInput> uncertain_inputs(const Scenario& scenario, const std::vector<UncertainInput>& given);

}  // namespace stallcast
