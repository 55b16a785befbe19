// Inputs that are known to an interval only: "storage.read_bandwidth 0.94..1.06".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// One entry of run.uncertain: a field and the 90 % interval of its true value, as factors of the value given. A
// distribution is scaled as a whole, a law with several numbers in all of them.
struct UncertainInput {
  std::string pointer;                         // "/storage/read_bandwidth"
  double low_factor = 1.0, high_factor = 1.0;  // kLeastFactor <= low <= 1 <= high <= kMostFactor

  bool operator==(const UncertainInput&) const = default;
};
inline constexpr double kLeastFactor = 0.001;
inline constexpr double kMostFactor = 1000.0;

// "storage.read_bandwidth" of "/storage/read_bandwidth", as people name a field.
std::string dotted_name(std::string_view pointer);

// Its inverse; "/storage/read_bandwidth" itself is taken as well.
std::string field_pointer(std::string_view dotted);

// "storage.read_bandwidth 0.94..1.06"
std::string uncertain_input_text(const UncertainInput& input);

// Whether a factor can change the field at `pointer`: a quantity, number, distribution, curve or linear cost that says
// nothing of how to simulate.
bool can_be_uncertain(std::string_view pointer);

// The entry for an interval that was measured: factors of three digits, more than the ends of an interval have, kept in
// kLeastFactor..kMostFactor. Nothing where both are 1: the interval is not known, or no wider than its digits.
std::optional<std::string> measured_interval_text(const std::string& pointer, double low_factor, double high_factor);

// The entries of `texts`; findings name the entry under /run/uncertain and what is allowed. A field may be named by
// dots or as a pointer. Those of the group run say how to simulate, and are no inputs.
Loaded<std::vector<UncertainInput>> parse_uncertain_inputs(const std::vector<std::string>& texts,
                                                           const std::string& file);

// `scenario` with the field at `pointer` multiplied by `factor`, kept in its range: of a distribution all that has its
// unit, of a curve the times, of a linear cost both members. A count is rounded, and one that is not 0 does not become
// 0: that would be another setting.
// **Range** factor > 0
// **Errors** InvariantError for a field that is no quantity, number, distribution, curve or linear cost.
// **Checked by** tests/core/scenario/uncertain_input_test.cpp
Scenario scaled(const Scenario& scenario, std::string_view pointer, double factor);

}  // namespace stallcast
