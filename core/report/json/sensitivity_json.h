// What results depend on, as scripts read it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/plan/sensitivity/sensitivity_study.h"

namespace stallcast {

inline constexpr int kSensitivityFormatVersion = 1;

// One object: format_version, program_version, seed, complete, scenarios [{"label", "scenario", "provenance"}], figures
// [name], as_given {figure: value}, tornado [{"input", "low_factor", "high_factor", "value", "unit", "at_low": {figure:
// value}, "at_high"}], sobol {"samples", "runs", "indices": {figure: [{"input", "first_order": Estimate, "total":
// Estimate}] or null where it does not vary}}, break_even {"by", "condition", "as_given": [value], "advice",
// "furthest_factor", "runs", "inputs": [{"input", "scenario", "value", "unit", "below": {"factor", "value", "advice"}
// or null, "above"}]}. An advice is the label of the best scenario or, of a single one, whether the condition is true;
// null where nothing is known. `scenario` of an input is null where it moves in all. as_given, tornado and sobol are
// null without uncertain inputs and for several scenarios; of those there are "each" [{"label", "as_given", "tornado",
// "sobol"}] and "difference" {"best", "other", "as_given", "tornado", "sobol"}, every value that of the scenario
// `other` less that of `best`, with the "scenario" of each input; null where no two can be told.
// **Units** values are in base units; `unit` is the suffix that a name would have, "bytes_per_s", "" for counts.
// **Checked by** tests/core/report/sensitivity_report_test.cpp
nlohmann::ordered_json sensitivity_document(const SensitivityStudy& study);

// "as_given", "tornado" and "sobol" of one analysis, as above.
nlohmann::ordered_json sensitivity_to_json(const std::vector<const Kpi*>& figures, const Sensitivity& sensitivity);

// A header and a row for each of tornado, sobol, difference_tornado, difference_sobol (by figure) and break_even: kind,
// figure, input, scenario, low, high, at_low, at_high, first_order, total, below, above, below_advice, above_advice.
// What a kind has not is empty; low, high, below and above are factors.
std::string sensitivity_csv(const SensitivityStudy& study);

}  // namespace stallcast
