// Doubles as decimal text that reads back as exactly the same double.
#pragma once

#include <string>

namespace stallcast {

// A number as decimal digits and the power of ten of the last one: value = digits * 10^exponent.
struct DecimalDigits {
  bool negative = false;
  std::string digits;  // no leading or trailing zeros; "0" for zero
  int exponent = 0;
};

// The fewest digits that read back as exactly `value`, finite.
DecimalDigits shortest_digits(double value);

// digits * 10^exponent / 10^unit_exponent as plain decimal text; scientific when that would be long. The power of ten
// costs no rounding.
std::string decimal_text(const DecimalDigits& d, int unit_exponent);

}  // namespace stallcast
