// Inputs that are known to an interval only: "storage.read_bandwidth 0.94..1.06".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/scenario/field_table.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// One entry of run.uncertain: a field and the 90 % interval of its true value, as factors of the value given. A
// distribution is scaled as a whole, a law with several numbers in all of them.
struct UncertainInput {
  std::string pointer;                         // "/storage/read_bandwidth"
  double low_factor = 1.0, high_factor = 1.0;  // 0 < low <= 1 <= high
};

// "storage.read_bandwidth 0.94..1.06"
std::string uncertain_input_text(const UncertainInput& input);

// The entries of `texts`; findings name the entry under /run/uncertain and what is allowed.
Loaded<std::vector<UncertainInput>> parse_uncertain_inputs(const std::vector<std::string>& texts,
                                                           const std::string& file);

// `scenario` with the field at `pointer` multiplied by `factor`, kept in its range.
// **Errors** InvariantError for a field that is no quantity, number or distribution.
Scenario scaled(const Scenario& scenario, std::string_view pointer, double factor);

}  // namespace stallcast
