// How texts are read as quantities, and what is suggested where they are none.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "core/units/decimal_text.h"
#include "core/units/plain_text.h"
#include "core/units/quantity_text.h"
#include "core/units/unit_table.h"

namespace stallcast {
namespace {

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
    for (const UnitSpelling& candidate : unit_spellings()) {
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
  const UnitSpelling* as_rate = find_unit(Dimension::kByteRate, unit);
  if (as_rate == nullptr) as_rate = find_unit(Dimension::kByteRate, fmt::format("{}/s", unit));
  if (dimension == Dimension::kBytes && as_rate != nullptr && as_rate->factor == 0.125) {
    return failure(dimension, "wrong_unit", fix, "b is bits, for link rates only; B is bytes");
  }
  if (unit.empty()) {
    const std::string_view own = usual_unit(dimension);
    return failure(dimension, "missing_unit", did_you_mean(with_unit(number, own)), "a number here needs its unit");
  }
  if (const UnitSpelling* other = find_unit_anywhere(unit); other != nullptr && other->dimension != Dimension::kCount) {
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

// "1,281,167" without its commas, for counts; any other text as it is.
std::string without_thousands(std::string_view text) {
  text = trimmed(text);
  std::string digits;
  std::size_t group = 0;  // digits since the last comma
  bool commas = false;
  for (const char c : text) {
    if (c == ',' && (commas ? group == 3 : group >= 1 && group <= 3)) {
      commas = true;
      group = 0;
    } else if (is_digit(c)) {
      digits.push_back(c);
      ++group;
    } else {
      return std::string(text);
    }
  }
  return commas && group == 3 ? digits : std::string(text);
}

}  // namespace

QuantityReading parse_quantity(Dimension dimension, std::string_view given) {
  // A count has no decimals, so that its commas can only part thousands.
  const std::string text = dimension == Dimension::kCount ? without_thousands(given) : std::string(given);
  const Parts parts = split(text);
  if (!parts.ok) {
    return failure(dimension, "not_a_quantity", fmt::format("write it like \"{}\"", example_text(dimension)));
  }
  const UnitSpelling* unit = find_unit(dimension, parts.unit);
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

}  // namespace stallcast
