#include "core/units/quantity_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "core/units/decimal_text.h"
#include "core/units/rounded.h"
#include "core/units/unit_table.h"

namespace stallcast {
namespace {

// The largest exponent of `choices` (ascending) at which the number is at least 1.
int suitable_exponent(const DecimalDigits& d, std::initializer_list<int> choices) {
  const int magnitude = static_cast<int>(d.digits.size()) + d.exponent - 1;
  int best = *choices.begin();
  for (const int choice : choices) {
    if (magnitude >= choice) best = choice;
  }
  return d.digits == "0" ? 0 : best;
}

std::string_view decimal_prefix(int exponent) {
  for (const DecimalPrefix& prefix : kDecimalPrefixes) {
    if (prefix.exponent == exponent) return prefix.text;
  }
  return "";
}

std::string prefixed(double base, std::string_view unit) {
  const DecimalDigits d = shortest_digits(base);
  const int exponent = suitable_exponent(d, {0, 3, 6, 9, 12, 15, 18});
  return fmt::format("{} {}{}", decimal_text(d, exponent), decimal_prefix(exponent), unit);
}

// "100 TiB" rather than "109.9511627776 TB", "9.6 TiB" rather than "10.5553116266496 TB", but "64 GB" rather than
// "62500000 KiB".
std::string format_bytes(double base, std::string_view unit) {
  const std::string decimal = prefixed(base, unit);
  if (std::abs(base) < 1024.0 || std::abs(base) >= 0x1p63) return decimal;
  std::string whole;  // in the largest binary unit that counts it
  std::string part;   // in that with the fewest digits, where it is no whole number
  const auto digits = [](const std::string& text) { return text.find(' '); };
  double factor = 1.0;
  for (const std::string_view prefix : kBinaryPrefixes) {
    factor *= 1024.0;
    const double size = base / factor;  // exact: a power of two
    if (std::abs(size) < 1.0) break;
    std::string text = fmt::format("{} {}{}", format_number(size), prefix, unit);
    if (size == std::trunc(size)) {
      whole = std::move(text);
    } else if (part.empty() || digits(text) < digits(part)) {
      part = std::move(text);
    }
  }
  const std::string& binary = whole.empty() ? part : whole;
  return !binary.empty() && digits(binary) < digits(decimal) ? binary : decimal;
}

std::string format_time(double base) {
  const double size = std::abs(base);
  if (size >= 60.0 && size < 1e12 && base == std::trunc(base)) {
    for (const auto& [factor, unit] :
         std::array<std::pair<double, std::string_view>, 3>{{{86400, "d"}, {3600, "h"}, {60, "min"}}}) {
      if (std::fmod(size, factor) == 0.0) return fmt::format("{} {}", format_number(base / factor), unit);
    }
  }
  const DecimalDigits d = shortest_digits(base);
  const int exponent = suitable_exponent(d, {-9, -6, -3, 0});
  const std::string_view unit = exponent == 0 ? "s" : exponent == -3 ? "ms" : exponent == -6 ? "us" : "ns";
  return fmt::format("{} {}", decimal_text(d, exponent), unit);
}

}  // namespace

std::string_view allowed_text(Dimension dimension) {
  switch (dimension) {
    case Dimension::kNone:
      return "a number";
    case Dimension::kTime:
      return "a time in ns, us, ms, s, min, h or d";
    case Dimension::kBytes:
      return "a size in B, kB, MB, GB, TB, PB or KiB, MiB, GiB, TiB, PiB";
    case Dimension::kByteRate:
      return "a rate in B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, or Mbps, Gbps (bits)";
    case Dimension::kRate:
      return "a rate in /s, samples/s, req/s, ops/s or IOPS";
    case Dimension::kFlops:
      return "a number of operations in MFLOP, GFLOP, TFLOP or PFLOP";
    case Dimension::kFlopRate:
      return "a rate in GFLOP/s, TFLOP/s or PFLOP/s";
    case Dimension::kUsd:
      return "an amount like \"$32.77\" or \"32.77 USD\"";
    case Dimension::kUsdPerHour:
      return "a price like \"$32.77/h\" or \"32.77 USD/h\"";
    case Dimension::kFraction:
      return "0 to 1, or \"0 %\" to \"100 %\"";
    case Dimension::kCount:
      return "a whole number >= 0";
  }
  return "";
}

std::string_view example_text(Dimension dimension) {
  switch (dimension) {
    case Dimension::kNone:
      return "1.5";
    case Dimension::kTime:
      return "2.5 ms";
    case Dimension::kBytes:
      return "100 TiB";
    case Dimension::kByteRate:
      return "12.5 GB/s";
    case Dimension::kRate:
      return "2400 samples/s";
    case Dimension::kFlops:
      return "8.2 GFLOP";
    case Dimension::kFlopRate:
      return "989 TFLOP/s";
    case Dimension::kUsd:
      return "$100";
    case Dimension::kUsdPerHour:
      return "$32.77/h";
    case Dimension::kFraction:
      return "0.95";
    case Dimension::kCount:
      return "8";
  }
  return "";
}

std::string format_number(double value) { return decimal_text(shortest_digits(value), 0); }

std::string byte_rate_text(double bytes_per_s) { return format_quantity(Dimension::kByteRate, rounded(bytes_per_s)); }

std::string format_quantity(Dimension dimension, double base, std::string_view counted) {
  switch (dimension) {
    case Dimension::kNone:
    case Dimension::kFraction:
    case Dimension::kCount:
      return format_number(base);
    case Dimension::kTime:
      return format_time(base);
    case Dimension::kBytes:
      return format_bytes(base, "B");
    case Dimension::kByteRate:
      return format_bytes(base, "B/s");
    case Dimension::kRate:
      return counted == "IOPS" ? fmt::format("{} IOPS", format_number(base))
                               : fmt::format("{} {}/s", format_number(base), counted);
    case Dimension::kFlops:
      return prefixed(base, "FLOP");
    case Dimension::kFlopRate:
      return prefixed(base, "FLOP/s");
    case Dimension::kUsd:
    case Dimension::kUsdPerHour: {
      const std::string size = format_number(std::abs(base));
      return fmt::format("{}${}{}", base < 0.0 ? "-" : "", size, dimension == Dimension::kUsd ? "" : "/h");
    }
  }
  return format_number(base);
}

std::string quantity_pattern(Dimension dimension) {
  std::string units;
  for (const UnitSpelling& unit : unit_spellings()) {
    if (unit.dimension != dimension || unit.text.starts_with('$')) continue;
    if (!units.empty()) units += "|";
    units += unit.text;
  }
  constexpr std::string_view kNumber = "[0-9]*\\.?[0-9]+([eE][+-]?[0-9]+)?";
  const std::string with_unit = fmt::format("^\\s*-?{} ?({})\\s*$", kNumber, units);
  if (dimension != Dimension::kUsd && dimension != Dimension::kUsdPerHour) return with_unit;
  return fmt::format("{}|^\\s*-?\\${}{}\\s*$", with_unit, kNumber, dimension == Dimension::kUsd ? "" : "/h");
}

}  // namespace stallcast
