// Options that take a quantity, like --time "30 s".
#pragma once

#include <optional>
#include <string>

#include "core/diagnostics/finding.h"
#include "core/units/quantity_text.h"

namespace stallcast {

// What an option takes, in base units, and the same as people read it: "5 s to 1 h".
struct OptionRange {
  double low, high;
  const char* text;
};

inline constexpr OptionRange kPositive = {1e-300, 1e300, "more than 0"};

// The value of `option` in base units; nothing, and a finding that names the option, when `text` is none in `range`.
std::optional<double> quantity_option(const char* option, Dimension dimension, const std::string& text,
                                      const OptionRange& range, Findings& findings);

}  // namespace stallcast
