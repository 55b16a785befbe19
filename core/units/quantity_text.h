// The one place where quantities become text and text becomes quantities: "12.5 GB/s", "100 TiB", "30 min", "$32.77/h".
//
// k M G T P E are powers of 1000 and Ki Mi Gi Ti Pi powers of 1024; case matters; b is bits and is for link rates only.
// Numbers are read and written independently of the locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stallcast {

// What a text may measure; the comment names the base unit.
enum class Dimension {
  kNone,        // a plain number
  kTime,        // s
  kBytes,       // byte
  kByteRate,    // byte/s
  kRate,        // 1/s: samples, requests, operations
  kFlops,       // floating-point operation
  kFlopRate,    // floating-point operation/s
  kUsd,         // US dollar
  kUsdPerHour,  // US dollar/hour
  kFraction,    // 0 to 1; "95 %" is read as 0.95
  kCount,       // a whole number, >= 0
};

// A value in base units, or what is wrong with the text in the words of a Finding.
struct QuantityReading {
  std::optional<double> base;
  std::string
      error_code;       // "not_a_quantity", "missing_unit", "wrong_unit", "wrong_case", "unknown_unit", "out_of_range"
  std::string allowed;  // the units or range that would do
  std::string fix;      // a clause: did you mean "12.5 GB/s"?
  std::string why;      // one clause, or ""
};

// Reads `text`, which is a number and a unit with or without a space between them. The number is rounded once, so
// "2.5 ms" is exactly the double 0.0025.
QuantityReading parse_quantity(Dimension dimension, std::string_view text);

// Writes `base`, finite, in the unit that suits its size: decimal prefixes, or binary ones where those are whole and
// shorter, and min, h, d where they are whole. Reading it back gives exactly `base`. `counted` is what a kRate counts:
// "samples" gives "2400 samples/s", "IOPS" gives "30000 IOPS", "" gives "2400 /s".
std::string format_quantity(Dimension dimension, double base, std::string_view counted = "");

// "20 GB/s", "54.3 kB/s": to the three digits that people are told.
std::string byte_rate_text(double bytes_per_s);

// The shortest decimal text that reads back as exactly `value`, without a unit and without an exponent where it is
// short.
std::string format_number(double value);

// "a time in ns, us, ms, s, min, h or d": what a text of this dimension looks like.
std::string_view allowed_text(Dimension dimension);

// "2.5 ms": one text of this dimension, for help and suggestions.
std::string_view example_text(Dimension dimension);

// A regular expression (ECMA-262) that matches the texts parse_quantity reads, for JSON Schema.
std::string quantity_pattern(Dimension dimension);

}  // namespace stallcast
