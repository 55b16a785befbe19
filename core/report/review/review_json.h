// A review as scripts read it; what a report prints are numbers of this.
#pragma once

#include <nlohmann/json.hpp>

#include "core/plan/review/review.h"

namespace stallcast {

inline constexpr int kReviewFormatVersion = 2;

// One object: format_version, program_version, seed, complete, title, question, targets [{"figure", "limit"}],
// confidence, by, options [{"label", "name", "origin", "set": {pointer: text}, "keeps_targets", "missed", "main_risk",
// "verdict", "figures": {kpi: Estimate or null}, "data_loss": {"stated", "durability", "mean_time_s",
// "probability_fraction", "expected_usd"}, "result": as `simulate` has it}], the one recommended first; sizing
// (size_document) or null; curves {"precision_fraction", "of": [{"input", "now", "knee", "steps": [{"text", "value",
// "figures", "why_not"}]}]}; sensitivity (sensitivity_document: tornado and break_even) with "assumed_intervals" and
// "assumed_share_fraction"; break_even_between [label]; assumptions [{"input", "value", "number", "origin", "record"?,
// "source"?, "kind"?, "note"?, "moves": {kpi: [low, high]}?}]; unknowns, would_change, risks [text]; next_measurement;
// claims [{"name", "predicted": Estimate, "measured_by"}]; validation {"measured", "figures", "inputs": {"measured",
// "vendor", "assumed"}}; files [name]; reproduction {"program_version", "scenario_hash", "catalogue", "seed",
// "command"}.
// **Units** as in a result; infinite numbers are null.
// **Checked by** tests/core/report/review_report_test.cpp
nlohmann::ordered_json review_to_json(const Review& review);

}  // namespace stallcast
