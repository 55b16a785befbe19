// A comparison as scripts read it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/plan/compare/comparison.h"

namespace stallcast {

inline constexpr int kComparisonFormatVersion = 2;

// The result_document() of one of the scenarios, as simulate writes it.
nlohmann::ordered_json scenario_result(const Compared& compared);

// One object: format_version, program_version, seed, pairs, draws, complete, scenarios [{"label", and all that
// scenario_result() has}], inputs [{"input", "values": [{"value", "origin", "record"?, "source"?, ...}]}], figures
// [{"name", "better", "values": [Estimate or null], "differences": [null, Estimate or null, ...]}],
// lost_time_fraction {part: [fraction]} with "computing", cost_usd and lost_usd {part: [dollars or null]}, advice
// {"by", "best", "second", "ahead": Estimate, "told_apart", "sentence"}. Lists are in the order of the scenarios.
// **Units** as in a result; infinite numbers are null.
// **Checked by** tests/core/report/comparison_report_test.cpp
nlohmann::ordered_json comparison_document(const Comparison& comparison);

// A header and a row for each figure and scenario: figure, scenario, mean, ci95_low, ci95_high, difference,
// difference_ci95_low, difference_ci95_high. What is not known is empty.
std::string comparison_csv(const Comparison& comparison);

}  // namespace stallcast
