#include "core/calibrate/read/reader_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "core/diagnostics/json_input.h"
#include "core/units/plain_text.h"
#include "core/units/quantity_text.h"

namespace stallcast {

void ReaderFindings::error(const char* code, std::string pointer, std::string got, std::string allowed, std::string fix,
                           std::string why) {
  findings_.add({Severity::kError, code, file_, std::move(pointer), std::move(got), std::move(allowed), std::move(fix),
                 std::move(why)});
}

void ReaderFindings::warn(const char* code, std::string pointer, std::string got, std::string allowed, std::string fix,
                          std::string why) {
  findings_.add({Severity::kWarning, code, file_, std::move(pointer), std::move(got), std::move(allowed),
                 std::move(fix), std::move(why)});
}

std::optional<double> ReaderFindings::within(double value, const std::string& got, const std::string& pointer,
                                             NumberRange range) {
  if (std::isfinite(value) && value >= range.min && value <= range.max) return value;
  error("out_of_range", pointer, got, fmt::format("{} to {}", format_number(range.min), format_number(range.max)));
  return std::nullopt;
}

bool ReaderFindings::is_utf8(std::string_view text) {
  auto problem = utf8_problem(text, file_);
  if (!problem) return true;
  findings_.add(*std::move(problem));
  return false;
}

std::optional<double> ReaderFindings::number(const nlohmann::ordered_json& object, const std::string& key,
                                             const std::string& pointer, bool needed, NumberRange range) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  const std::string place = pointer + "/" + key;
  if (found == object.end()) {
    if (needed) error("missing_key", place, "nothing", "a number");
    return std::nullopt;
  }
  if (!found->is_number()) {
    error("wrong_type", place, found->dump().substr(0, 60), "a number");
    return std::nullopt;
  }
  return within(found->get<double>(), found->dump(), place, range);
}

std::optional<double> ReaderFindings::number(std::string_view text, const std::string& pointer, NumberRange range) {
  const std::string_view digits = trimmed(text);
  double value = 0.0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem == std::errc::result_out_of_range) value = HUGE_VAL;
  if (problem == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    error("not_a_number", pointer, fmt::format("\"{}\"", digits.substr(0, 60)), "a number");
    return std::nullopt;
  }
  return within(value, std::string(digits), pointer, range);
}

const nlohmann::ordered_json* find_any_case(const nlohmann::ordered_json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const std::string wanted = lowered(key);
  for (const auto& [name, value] : object.items()) {
    if (lowered(name) == wanted) return &value;
  }
  return nullptr;
}

double number_or(const nlohmann::ordered_json& object, const char* key, double otherwise) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

double mean_of(const std::vector<double>& values) {
  if (values.empty()) return 0.0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0.0;
  const double mean = mean_of(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::pair<double, double> mean_interval(const std::vector<double>& values) {
  constexpr double kNinetyPercent = 1.645;  // of a normal distribution, two-sided
  const double mean = mean_of(values);
  if (values.size() < 3 || mean <= 0) return {1.0, 1.0};
  const double error = standard_deviation_of(values) / mean / std::sqrt(static_cast<double>(values.size()));
  return {std::exp(-kNinetyPercent * error), std::exp(kNinetyPercent * error)};
}

}  // namespace stallcast
