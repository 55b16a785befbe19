// Numbers of a scenario, read with their unit and within their range, and findings about values that are wrong.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/scenario/fields/field_table.h"

namespace stallcast {

// A value as a finding shows it: on one line, text in quotes.
std::string written_json(const nlohmann::ordered_json& json);

// Everything that is read is at a pointer `at` of one file; what is wrong with it is a finding there. `counted` is what
// a rate counts, as in format_quantity. The text of `file` has to stay.
class MeasureReader {
 public:
  MeasureReader(const std::string& file, Findings& findings) : file_(file), findings_(findings) {}

  // A bare number where `dimension` has no unit, else text with its unit; a fraction may be either.
  // **Errors** those of parse_quantity, "wrong_type", "out_of_range"
  std::optional<double> measure(const std::string& at, Dimension dimension, const FieldRange& range,
                                const nlohmann::ordered_json& json, std::string_view counted = "");

  // The same from its text. `got` is what the finding shows; the text may come from the command line.
  std::optional<double> measure_text(const std::string& at, Dimension dimension, const FieldRange& range,
                                     std::string_view text, const std::string& got, std::string_view counted);

  // `base` where it is within `range`.
  std::optional<double> in_range(const std::string& at, Dimension dimension, const FieldRange& range, double base,
                                 const std::string& got, std::string_view counted);

  // True if every key of `object` is one of `known`.
  bool only_known(const std::string& at, const nlohmann::ordered_json& object, const std::vector<std::string>& known);

  std::nullopt_t wrong_type(const std::string& at, const nlohmann::ordered_json& json, std::string allowed,
                            std::string fix = "");
  void error(std::string code, const std::string& at, std::string got, std::string allowed, std::string fix = "",
             std::string why = "");

 private:
  const std::string& file_;
  Findings& findings_;
};

}  // namespace stallcast
