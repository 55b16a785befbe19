// The units that quantities are written in, each with all its spellings.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/quantity_text.h"

namespace stallcast {

// One spelling of one unit. base = number * 10^exponent * factor, where the power of ten is applied to the decimal text
// and `factor` is exact in binary (powers of two) or only printed for whole numbers (60, 3600, 86400).
struct UnitSpelling {
  std::string text;
  Dimension dimension;
  int exponent = 0;
  double factor = 1.0;
};

// "k" before a unit is 10^3 of it.
struct DecimalPrefix {
  std::string_view text;
  int exponent;
};
inline constexpr std::array<DecimalPrefix, 7> kDecimalPrefixes = {
    {{"", 0}, {"k", 3}, {"M", 6}, {"G", 9}, {"T", 12}, {"P", 15}, {"E", 18}}};
inline constexpr std::array<std::string_view, 5> kBinaryPrefixes = {"Ki", "Mi", "Gi", "Ti", "Pi"};  // powers of 1024

// Every unit of every dimension; those of one dimension in the order in which they are suggested.
const std::vector<UnitSpelling>& unit_spellings();

// The unit that is spelled exactly so, or null.
const UnitSpelling* find_unit(Dimension dimension, std::string_view text);

// The same among all dimensions: the first one.
const UnitSpelling* find_unit_anywhere(std::string_view text);

}  // namespace stallcast
