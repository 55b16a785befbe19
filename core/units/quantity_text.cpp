#include "core/units/quantity_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/units/plain_text.h"

namespace stallcast {
namespace {

// One spelling of one unit. base = number * 10^exponent * factor, where the power of ten is applied to the decimal text
// and `factor` is exact in binary (powers of two) or only printed for whole numbers (60, 3600, 86400).
struct Unit {
  std::string text;
  Dimension dimension;
  int exponent = 0;
  double factor = 1.0;
};

struct DecimalPrefix {
  std::string_view text;
  int exponent;
};
constexpr std::array<DecimalPrefix, 7> kDecimalPrefixes = {
    {{"", 0}, {"k", 3}, {"M", 6}, {"G", 9}, {"T", 12}, {"P", 15}, {"E", 18}}};
constexpr std::array<std::string_view, 5> kBinaryPrefixes = {"Ki", "Mi", "Gi", "Ti", "Pi"};
constexpr std::array<std::string_view, 22> kCounted = {
    "1",     "samples", "sample",  "images", "records", "files", "opens",  "requests", "req",    "operations", "ops",
    "steps", "tokens",  "batches", "rows",   "objects", "reads", "writes", "items",    "inputs", "sequences",  ""};

std::vector<Unit> make_units() {
  std::vector<Unit> units;
  const auto add = [&units](std::string text, Dimension dimension, int exponent, double factor = 1.0) {
    units.push_back({std::move(text), dimension, exponent, factor});
  };
  add("ns", Dimension::kTime, -9);
  add("us", Dimension::kTime, -6);
  add("\u00b5s", Dimension::kTime, -6);  // micro sign
  add("\u03bcs", Dimension::kTime, -6);  // Greek mu
  add("ms", Dimension::kTime, -3);
  add("s", Dimension::kTime, 0);
  add("min", Dimension::kTime, 0, 60);
  add("h", Dimension::kTime, 0, 3600);
  add("d", Dimension::kTime, 0, 86400);
  for (const auto& [prefix, exponent] : kDecimalPrefixes) {
    add(fmt::format("{}B", prefix), Dimension::kBytes, exponent);
    add(fmt::format("{}B/s", prefix), Dimension::kByteRate, exponent);
    add(fmt::format("{}bps", prefix), Dimension::kByteRate, exponent, 0.125);
    add(fmt::format("{}b/s", prefix), Dimension::kByteRate, exponent, 0.125);
    for (const std::string_view word : {"FLOP", "FLOPs"})
      add(fmt::format("{}{}", prefix, word), Dimension::kFlops, exponent);
    for (const std::string_view word : {"FLOP/s", "FLOPS", "FLOPs/s"}) {
      add(fmt::format("{}{}", prefix, word), Dimension::kFlopRate, exponent);
    }
  }
  double binary = 1.0;
  for (const std::string_view prefix : kBinaryPrefixes) {
    binary *= 1024.0;
    add(fmt::format("{}B", prefix), Dimension::kBytes, 0, binary);
    add(fmt::format("{}B/s", prefix), Dimension::kByteRate, 0, binary);
  }
  for (const auto& [prefix, exponent] :
       std::array<DecimalPrefix, 5>{{{"", 0}, {"k", 3}, {"k ", 3}, {"M", 6}, {"M ", 6}}}) {
    add(fmt::format("{}IOPS", prefix), Dimension::kRate, exponent);
    for (const std::string_view counted : kCounted) {
      if (counted == "1" && !prefix.empty()) continue;
      add(fmt::format("{}{}/s", prefix, counted), Dimension::kRate, exponent);
    }
  }
  add("USD", Dimension::kUsd, 0);
  add("$", Dimension::kUsd, 0);
  add("USD/h", Dimension::kUsdPerHour, 0);
  add("$/h", Dimension::kUsdPerHour, 0);
  add("%", Dimension::kFraction, -2);
  add("", Dimension::kFraction, 0);
  add("", Dimension::kNone, 0);
  add("", Dimension::kCount, 0);
  for (const auto& [prefix, exponent] : std::array<DecimalPrefix, 3>{{{"k", 3}, {"M", 6}, {"G", 9}}}) {
    add(std::string(prefix), Dimension::kCount, exponent);
  }
  return units;
}

const std::vector<Unit>& all_units() {
  static const std::vector<Unit> units = make_units();
  return units;
}

const Unit* find_unit(Dimension dimension, std::string_view text) {
  for (const Unit& unit : all_units()) {
    if (unit.dimension == dimension && unit.text == text) return &unit;
  }
  return nullptr;
}

const Unit* find_unit_anywhere(std::string_view text) {
  for (const Unit& unit : all_units()) {
    if (unit.text == text) return &unit;
  }
  return nullptr;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number at the start of a text, kept as text so that a unit's power of ten costs no rounding.
struct NumberText {
  std::string_view mantissa;  // "-12.5"
  long exponent = 0;
  std::size_t length = 0;  // characters used; 0 = there is no number
};

NumberText scan_number(std::string_view text) {
  std::size_t i = 0;
  if (i < text.size() && text[i] == '-') ++i;
  std::size_t digits = 0;
  while (i < text.size() && is_digit(text[i])) ++i, ++digits;
  if (i < text.size() && text[i] == '.') {
    ++i;
    while (i < text.size() && is_digit(text[i])) ++i, ++digits;
  }
  if (digits == 0) return {};
  NumberText number{text.substr(0, i), 0, i};
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    if (j < text.size() && (text[j] == '+' || text[j] == '-')) ++j;
    std::size_t end = j;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > j) {
      const bool negative = text[i + 1] == '-';
      long exponent = 0;
      for (std::size_t k = j; k < end; ++k) exponent = std::min(100000L, exponent * 10 + (text[k] - '0'));
      number.exponent = negative ? -exponent : exponent;
      number.length = end;
    }
  }
  return number;
}

// mantissa * 10^exponent, rounded once; nothing when it is too large for a double.
std::optional<double> number_value(const NumberText& number, int extra_exponent) {
  const std::string text = fmt::format("{}e{}", number.mantissa, number.exponent + extra_exponent);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    const bool tiny = number.exponent + extra_exponent < 0;
    if (!tiny) return std::nullopt;
    return 0.0;
  }
  return value;
}

QuantityReading failure(Dimension dimension, std::string code, std::string fix, std::string why = "") {
  return {std::nullopt, std::move(code), std::string(allowed_text(dimension)), std::move(fix), std::move(why)};
}

std::string did_you_mean(std::string_view text) { return fmt::format("did you mean \"{}\"?", text); }

// "12.5" and "GB/s" as one would write them together.
std::string with_unit(std::string_view number, std::string_view unit) {
  if (unit == "$") return fmt::format("${}", number);
  if (unit == "$/h") return fmt::format("${}/h", number);
  return fmt::format("{} {}", number, unit);
}

std::string_view usual_unit(Dimension dimension) {
  switch (dimension) {
    case Dimension::kTime:
      return "s";
    case Dimension::kBytes:
      return "GB";
    case Dimension::kByteRate:
      return "GB/s";
    case Dimension::kRate:
      return "/s";
    case Dimension::kFlops:
      return "GFLOP";
    case Dimension::kFlopRate:
      return "TFLOP/s";
    case Dimension::kUsd:
      return "$";
    case Dimension::kUsdPerHour:
      return "$/h";
    default:
      return "";
  }
}

bool ends_with_any(std::string* text, std::initializer_list<std::string_view> endings, std::string_view replacement) {
  for (const std::string_view ending : endings) {
    if (text->ends_with(ending)) {
      text->replace(text->size() - ending.size(), ending.size(), replacement);
      return true;
    }
  }
  return false;
}

// Words that people write for a unit, brought to the unit's own spelling; compared without regard to case.
std::string usual_spelling(std::string_view unit) {
  std::string text = lowered(unit);
  std::erase(text, ' ');
  ends_with_any(&text, {"/seconds", "/second", "/sec", "persecond"}, "/s") ||
      ends_with_any(&text, {"/hours", "/hour", "/hr", "perhour"}, "/h");
  static const std::array<std::pair<std::string_view, std::string_view>, 25> kWords = {
      {{"seconds", "s"}, {"second", "s"},    {"secs", "s"},      {"sec", "s"},           {"milliseconds", "ms"},
       {"msec", "ms"},   {"millis", "ms"},   {"usec", "us"},     {"microseconds", "us"}, {"nanoseconds", "ns"},
       {"nsec", "ns"},   {"minutes", "min"}, {"minute", "min"},  {"mins", "min"},        {"hours", "h"},
       {"hour", "h"},    {"hrs", "h"},       {"hr", "h"},        {"days", "d"},          {"day", "d"},
       {"bytes", "b"},   {"byte", "b"},      {"dollars", "usd"}, {"percent", "%"},       {"qps", "req/s"}}};
  for (const auto& [word, spelling] : kWords) {
    if (text == word) return std::string(spelling);
  }
  return text;
}

// The unit of this dimension that `unit` most likely stands for, or "" if it is anyone's guess.
std::string likely_unit(Dimension dimension, std::string_view unit) {
  std::string spelled(unit);
  ends_with_any(&spelled, {"Bps", "BPS"}, "B/s");  // a capital B is bytes; small "gbps" is left to mean bits
  std::string wanted = usual_spelling(spelled);
  const auto look = [&]() -> std::string {
    for (const Unit& candidate : all_units()) {
      if (candidate.dimension == dimension && !candidate.text.empty() && lowered(candidate.text) == wanted)
        return candidate.text;
    }
    return "";
  };
  if (std::string found = look(); !found.empty()) return found;
  if (dimension == Dimension::kByteRate || dimension == Dimension::kFlopRate || dimension == Dimension::kRate) {
    wanted += "/s";
  } else if (dimension == Dimension::kUsdPerHour) {
    wanted += "/h";
  } else if (!ends_with_any(&wanted, {"/s", "/h", "ps"}, "")) {
    return "";
  }
  return look();
}

QuantityReading wrong_unit(Dimension dimension, std::string_view number, std::string_view unit) {
  const std::string likely = likely_unit(dimension, unit);
  const std::string fix = likely.empty() ? "" : did_you_mean(with_unit(number, likely));
  const Unit* as_rate = find_unit(Dimension::kByteRate, unit);
  if (as_rate == nullptr) as_rate = find_unit(Dimension::kByteRate, fmt::format("{}/s", unit));
  if (dimension == Dimension::kBytes && as_rate != nullptr && as_rate->factor == 0.125) {
    return failure(dimension, "wrong_unit", fix, "b is bits, for link rates only; B is bytes");
  }
  if (unit.empty()) {
    const std::string_view own = usual_unit(dimension);
    return failure(dimension, "missing_unit", did_you_mean(with_unit(number, own)), "a number here needs its unit");
  }
  if (const Unit* other = find_unit_anywhere(unit); other != nullptr && other->dimension != Dimension::kCount) {
    return failure(dimension, "wrong_unit", fix, fmt::format("{} is {}", unit, [&] {
                     switch (other->dimension) {
                       case Dimension::kTime:
                         return "a time";
                       case Dimension::kBytes:
                         return "a size";
                       case Dimension::kByteRate:
                         return "a byte rate";
                       case Dimension::kRate:
                         return "a rate";
                       case Dimension::kFlops:
                         return "a number of operations";
                       case Dimension::kFlopRate:
                         return "a rate of operations";
                       case Dimension::kUsd:
                         return "an amount of money";
                       case Dimension::kUsdPerHour:
                         return "an hourly price";
                       default:
                         return "a percentage";
                     }
                   }()));
  }
  if (!likely.empty() && lowered(likely) == lowered(unit)) {
    const bool bits_exist = dimension == Dimension::kByteRate || dimension == Dimension::kBytes;
    return failure(dimension, "wrong_case", fix,
                   bits_exist ? "case matters: B is bytes, b is bits, k is 1000, Ki is 1024" : "case matters");
  }
  if (dimension == Dimension::kNone || dimension == Dimension::kCount) {
    return failure(dimension, "wrong_unit", fmt::format("did you mean {}?", number), "this is a plain number");
  }
  return failure(dimension, "unknown_unit", fix, dimension == Dimension::kByteRate ? "B is bytes, b is bits" : "");
}

// Splits "$32.77/h" or "32.77 USD/h" or "12.5GB/s" into its number and its unit.
struct Parts {
  NumberText number;
  std::string number_text;  // as written
  std::string unit;
  bool ok = false;
};

Parts split(std::string_view text) {
  Parts parts;
  text = trimmed(text);
  std::string money;
  if (text.starts_with("$") || text.starts_with("-$")) {
    money = std::string(text);
    money.erase(money.find('$'), 1);
  }
  // The views in `number` must outlive this function: they point into `text` unless the dollar sign came first.
  const std::string_view source = money.empty() ? text : text.substr(text.find('$') + 1);
  const bool minus_before_dollar = text.starts_with("-$");
  parts.number = scan_number(source);
  if (parts.number.length == 0 || (minus_before_dollar && source.starts_with("-"))) return parts;
  parts.number_text = std::string(source.substr(0, parts.number.length));
  if (minus_before_dollar) parts.number_text.insert(0, "-");
  parts.unit = std::string(trimmed(source.substr(parts.number.length)));
  if (!money.empty()) parts.unit.insert(0, "$");
  parts.ok = true;
  return parts;
}

// x = 0.d1d2d3... as the digits and the power of ten of the last one: value = digits * 10^exponent.
struct Digits {
  bool negative = false;
  std::string digits;  // no leading or trailing zeros; "0" for zero
  int exponent = 0;
};

Digits shortest_digits(double value) {
  std::array<char, 40> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data()));
  Digits out;
  if (text.starts_with("-")) {
    out.negative = true;
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  for (const char c : text.substr(0, e)) {
    if (c != '.') out.digits.push_back(c);
  }
  out.exponent = std::atoi(std::string(text.substr(e + 1)).c_str()) - static_cast<int>(out.digits.size()) + 1;
  while (out.digits.size() > 1 && out.digits.back() == '0') {
    out.digits.pop_back();
    ++out.exponent;
  }
  if (out.digits == "0") out.exponent = 0, out.negative = false;
  return out;
}

// digits * 10^exponent as plain decimal text; scientific when that would be long.
std::string decimal_text(const Digits& d, int unit_exponent) {
  const int exponent = d.exponent - unit_exponent;
  const int count = static_cast<int>(d.digits.size());
  const std::string sign = d.negative ? "-" : "";
  const int point = count + exponent;  // digits before the point
  if (exponent >= 0 && point <= 15) return sign + d.digits + std::string(static_cast<std::size_t>(exponent), '0');
  if (exponent >= 0 || point < -5) {
    std::string mantissa = d.digits.substr(0, 1);
    if (count > 1) mantissa += "." + d.digits.substr(1);
    return fmt::format("{}{}e{}", sign, mantissa, point - 1);
  }
  if (point > 0) {
    return sign + d.digits.substr(0, static_cast<std::size_t>(point)) + "." +
           d.digits.substr(static_cast<std::size_t>(point));
  }
  return sign + "0." + std::string(static_cast<std::size_t>(-point), '0') + d.digits;
}

// The largest exponent of `choices` (ascending) at which the number is at least 1.
int suitable_exponent(const Digits& d, std::initializer_list<int> choices) {
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
  const Digits d = shortest_digits(base);
  const int exponent = suitable_exponent(d, {0, 3, 6, 9, 12, 15, 18});
  return fmt::format("{} {}{}", decimal_text(d, exponent), decimal_prefix(exponent), unit);
}

std::string format_bytes(double base, std::string_view unit) {
  std::string decimal = prefixed(base, unit);
  if (std::abs(base) < 1024.0 || std::abs(base) >= 0x1p63) return decimal;
  std::string binary;
  double factor = 1.0;
  for (const std::string_view prefix : kBinaryPrefixes) {
    factor *= 1024.0;
    const double whole = base / factor;  // exact: a power of two
    if (whole != std::trunc(whole)) break;
    binary = fmt::format("{} {}{}", format_number(whole), prefix, unit);
  }
  // "100 TiB" rather than "109.9511627776 TB", but "64 GB" rather than "62500000 KiB".
  return !binary.empty() && binary.find(' ') < decimal.find(' ') ? binary : decimal;
}

std::string format_time(double base) {
  const double size = std::abs(base);
  if (size >= 60.0 && size < 1e12 && base == std::trunc(base)) {
    for (const auto& [factor, unit] :
         std::array<std::pair<double, std::string_view>, 3>{{{86400, "d"}, {3600, "h"}, {60, "min"}}}) {
      if (std::fmod(size, factor) == 0.0) return fmt::format("{} {}", format_number(base / factor), unit);
    }
  }
  const Digits d = shortest_digits(base);
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

QuantityReading parse_quantity(Dimension dimension, std::string_view text) {
  const Parts parts = split(text);
  if (!parts.ok) {
    return failure(dimension, "not_a_quantity", fmt::format("write it like \"{}\"", example_text(dimension)));
  }
  const Unit* unit = find_unit(dimension, parts.unit);
  if (unit == nullptr) {
    if (parts.unit.starts_with(",")) {
      return failure(dimension, "not_a_quantity", fmt::format("write it like \"{}\"", example_text(dimension)),
                     "the decimal sign is a point, and thousands are not separated");
    }
    return wrong_unit(dimension, parts.number_text, parts.unit);
  }
  std::optional<double> number = number_value(parts.number, unit->exponent);
  if (!number || !std::isfinite(*number * unit->factor)) {
    return failure(dimension, "out_of_range", "", "it is too large for a number");
  }
  double base = *number * unit->factor;
  if (parts.number_text.starts_with("-") && !std::signbit(base)) base = -base;  // "-$5"
  if (base == 0.0) base = 0.0;                                                  // no negative zero
  if (dimension == Dimension::kFraction && (base < 0.0 || base > 1.0)) {
    const bool percent_meant = unit->exponent == 0 && base > 1.0 && base <= 100.0;
    const std::string fix =
        percent_meant ? fmt::format("did you mean {}?", decimal_text(shortest_digits(base), 2)) : "";
    return failure(dimension, "out_of_range", fix);
  }
  if (dimension == Dimension::kCount && (base < 0.0 || base != std::trunc(base))) {
    const std::string fix = base < 0.0 ? "" : fmt::format("did you mean {}?", format_number(std::round(base)));
    return failure(dimension, "out_of_range", fix);
  }
  return {base, "", "", "", ""};
}

std::string format_number(double value) { return decimal_text(shortest_digits(value), 0); }

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
  for (const Unit& unit : all_units()) {
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
