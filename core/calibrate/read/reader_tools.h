// What the readers of measurements share: numbers that are checked as they are read, and findings that name the place.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostics/finding.h"

namespace stallcast {

// Allowed values of a number in the file's own unit.
struct NumberRange {
  double min = 0.0;
  double max = 1e18;
};

// Collects what is wrong with one file.
class ReaderFindings {
 public:
  explicit ReaderFindings(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  Findings& list() { return findings_; }
  void error(const char* code, std::string pointer, std::string got, std::string allowed, std::string fix = "",
             std::string why = "");
  void warn(const char* code, std::string pointer, std::string got, std::string allowed, std::string fix = "",
            std::string why = "");

  // Whether `text` is UTF-8; a finding where it is not.
  bool is_utf8(std::string_view text);
  // A number of a JSON object. Errors "missing_key" (only if `needed`), "wrong_type", "out_of_range".
  std::optional<double> number(const nlohmann::ordered_json& object, const std::string& key, const std::string& pointer,
                               bool needed, NumberRange range = {});
  // A number written as text, all of it. Errors "not_a_number" and "out_of_range", which covers nan and inf.
  std::optional<double> number(std::string_view text, const std::string& pointer, NumberRange range = {});

 private:
  std::optional<double> within(double value, const std::string& got, const std::string& pointer, NumberRange range);

  std::string file_;
  Findings findings_;
};

// The object's value of this name in any mix of cases, or null.
const nlohmann::ordered_json* find_any_case(const nlohmann::ordered_json& object, std::string_view key);

// The object's number of this name; `otherwise` when it has none. For figures that only help to judge others.
double number_or(const nlohmann::ordered_json& object, const char* key, double otherwise);

inline constexpr double kNanosecond = 1e-9;  // s

// `text` cut at each `separator`.
std::vector<std::string_view> split(std::string_view text, char separator);

double mean_of(const std::vector<double>& values);                // 0 when empty
double standard_deviation_of(const std::vector<double>& values);  // of a sample; 0 for fewer than two

// The 90 % interval of a mean as factors of it, from the scatter of `values`: exp(+-1.645 sd / (mean sqrt(n))).
// (1, 1) for fewer than three values.
std::pair<double, double> mean_interval(const std::vector<double>& values);

}  // namespace stallcast
