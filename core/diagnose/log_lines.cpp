#include "core/diagnose/log_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <regex>
#include <sstream>
#include <string_view>

#include "core/diagnose/outcome.h"

namespace stallcast {
namespace {

struct Form {
  const char* pattern;  // its first group is the number
  std::string_view quantity;
  bool inverted;  // seconds for each step
};
constexpr std::array kForms{
    Form{R"(([0-9.]+) ?it/s)", "it_per_s", false},
    Form{R"(([0-9.]+) ?s/it)", "it_per_s", true},
    Form{R"((?:^|[^a-z_])data(?:_time)?['"]?[ :=]+([0-9]+\.[0-9]+))", "data_time", false},
    Form{R"((?:^|[^a-z_])(?:batch_|step_)?time['"]?[ :=]+([0-9]+\.[0-9]+))", "step_time", false},
    Form{R"(train_samples_per_second['"]?[ :=]+([0-9.]+))", "samples_per_s", false},
    Form{R"(train_steps_per_second['"]?[ :=]+([0-9.]+))", "it_per_s", false},
};
constexpr std::size_t kMostLine = 4096;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<Observation> read_log_lines(const std::string& text, const std::string& source) {
  std::map<std::string_view, std::vector<double>> values;
  std::vector<std::regex> patterns;
  for (const Form& form : kForms) patterns.emplace_back(form.pattern, std::regex::icase | std::regex::optimize);
  std::string lines = text;
  std::replace(lines.begin(), lines.end(), '\r', '\n');  // progress bars write over themselves
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    line.resize(std::min(line.size(), kMostLine));
    for (std::size_t f = 0; f < kForms.size(); ++f) {
      std::smatch found;
      if (!std::regex_search(line, found, patterns[f])) continue;
      const double number = std::strtod(found[1].str().c_str(), nullptr);
      const bool can_be_zero = find_outcome_kind(kForms[f].quantity)->can_be_zero;
      if (number > 0.0 || can_be_zero) values[kForms[f].quantity].push_back(kForms[f].inverted ? 1.0 / number : number);
    }
  }
  std::vector<Observation> out;
  for (auto& [quantity, all] : values) {
    if (all.size() >= 3) all.erase(all.begin());
    const double middle = median_of(all);
    std::vector<double> off;
    for (const double value : all) off.push_back(std::abs(value - middle));
    // The deviation of a median, from the median distance to it: 1.48 for a normal distribution.
    const double spread = all.size() > 1 ? 1.48 * median_of(off) / std::sqrt(static_cast<double>(all.size())) : 0.0;
    out.push_back({std::string(quantity), middle, spread,
                   fmt::format("{}, median of {} lines", find_outcome_kind(quantity)->definition, all.size()), source});
  }
  return out;
}

}  // namespace stallcast
