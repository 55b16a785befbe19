#include "core/scenario/fields/measure_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/diagnostics/json_input.h"
#include "core/scenario/fields/field_value.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

// Bounds like 1e15 read better than "1000000000000000".
std::string bound_text(Dimension dimension, double bound, std::string_view counted) {
  const bool plain =
      dimension == Dimension::kNone || dimension == Dimension::kCount || dimension == Dimension::kFraction;
  if (plain && std::abs(bound) >= 1e6 && std::fmod(bound, 1e6) == 0.0) {
    const int power = static_cast<int>(std::floor(std::log10(std::abs(bound)) + 1e-9));
    return fmt::format("{}e{}", format_number(bound / std::pow(10.0, power)), power);
  }
  return format_quantity(dimension, bound, counted);
}

// "70B": a number that only a count's prefix makes one.
bool counted_number(std::string_view text) {
  return !parse_quantity(Dimension::kNone, text).base && parse_quantity(Dimension::kCount, text).base;
}

}  // namespace

std::string written_json(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string range_text(Dimension dimension, const FieldRange& range, std::string_view counted) {
  const std::string max = bound_text(dimension, range.max, counted);
  if (range.min == range.max) return max;
  const std::string min = bound_text(dimension, range.min, counted);
  return range.min_excluded ? fmt::format("more than {}, up to {}", min, max) : fmt::format("{} to {}", min, max);
}

std::optional<double> MeasureReader::measure(const std::string& at, Dimension dimension, const FieldRange& range,
                                             const Json& json, std::string_view counted) {
  const bool plain = dimension == Dimension::kNone;
  // Where a unit is missing, the parser knows which to suggest.
  if (json.is_number() || (json.is_string() && !plain)) {
    const std::string got = written_json(json);
    return measure_text(at, dimension, range, json.is_string() ? json.get<std::string>() : got, got, counted);
  }
  std::string fix;
  if (json.is_string()) {
    const std::string text = json.get<std::string>();
    if (counted_number(text)) return measure_text(at, dimension, range, text, written_json(json), counted);
    const QuantityReading reading = parse_quantity(dimension, json.get<std::string>());
    if (reading.base) fix = fmt::format("did you mean {}?", format_number(*reading.base));
  }
  wrong_type(at, json, plain ? "a number without quotes" : std::string(allowed_text(dimension)), fix);
  return std::nullopt;
}

std::optional<double> MeasureReader::measure_text(const std::string& at, Dimension dimension, const FieldRange& range,
                                                  std::string_view text, const std::string& got,
                                                  std::string_view counted) {
  QuantityReading reading = parse_quantity(dimension, text);
  if (dimension == Dimension::kNone && counted_number(text)) reading = parse_quantity(Dimension::kCount, text);
  if (!reading.base) {
    std::string allowed = reading.allowed;
    if (reading.error_code == "out_of_range") allowed = range_text(dimension, range, counted);
    if (dimension == Dimension::kCount) allowed = "a whole number, " + range_text(dimension, range, counted);
    error(reading.error_code, at, got, allowed, reading.fix, reading.why);
    return std::nullopt;
  }
  return in_range(at, dimension, range, *reading.base, got, counted);
}

std::optional<double> MeasureReader::in_range(const std::string& at, Dimension dimension, const FieldRange& range,
                                              double base, const std::string& got, std::string_view counted) {
  const bool inside = base <= range.max && (range.min_excluded ? base > range.min : base >= range.min);
  if (inside) return base;
  error("out_of_range", at, got, range_text(dimension, range, counted));
  return std::nullopt;
}

bool MeasureReader::only_known(const std::string& at, const Json& object, const std::vector<std::string>& known) {
  bool all_known = true;
  for (const auto& [key, unused] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    all_known = false;
    const std::string nearest = nearest_word(key, known);
    error("unknown_key", at + "/" + pointer_token(key), "\"" + key + "\"", name_list(key, known),
          nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest));
  }
  return all_known;
}

std::nullopt_t MeasureReader::wrong_type(const std::string& at, const Json& json, std::string allowed,
                                         std::string fix) {
  error("wrong_type", at, written_json(json), std::move(allowed), std::move(fix));
  return std::nullopt;
}

void MeasureReader::error(std::string code, const std::string& at, std::string got, std::string allowed,
                          std::string fix, std::string why) {
  findings_.add({Severity::kError, std::move(code), file_, at, std::move(got), std::move(allowed), std::move(fix),
                 std::move(why)});
}

}  // namespace stallcast
