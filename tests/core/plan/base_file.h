// What plans are tested with, beside the shipped catalogue: a scenario file and variables from text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/diagnostics/json_input.h"
#include "core/plan/space/space.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/core/shipped_catalogue.h"  // IWYU pragma: export

namespace stallcast {

inline ScenarioFile scenario_file(const std::string& text) {
  return parse_scenario(*parse_json_text(text, "job.json").value, "job.json").value.value();
}

inline std::vector<Variable> variables(const ScenarioFile& base, const std::vector<std::string>& texts) {
  std::vector<Variable> all;
  for (const std::string& text : texts) {
    const Loaded<Variable> one = parse_variable(text, base);
    EXPECT_TRUE(one.ok()) << text;
    if (one.value) all.push_back(*one.value);
  }
  return all;
}

inline std::string code_of(const Findings& findings) { return findings.empty() ? "" : findings.list().front().code; }

}  // namespace stallcast
