// A result as scripts read it: the JSON object of `--format json`, and the same numbers as CSV.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/cost/cost_breakdown.h"
#include "core/plan/explain/advice.h"
#include "core/plan/explain/explain.h"
#include "core/result/bound.h"
#include "core/result/run_result.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

inline constexpr int kResultFormatVersion = 2;

// {pointer: {"origin": "file" | "override" | "catalogue" | "default", "record"?, "source"?, "kind"?, "note"?}}
nlohmann::ordered_json provenance_to_json(const std::map<std::string, Provenance>& provenance);

// {"directory", "overlays": [...], "hash"}: what the numbers of a result come from.
nlohmann::ordered_json catalogue_to_json(const CatalogueIdentity& catalogue);

// One object: format_version, program_version, seed, scenario (`scenario`, every default written out), then everything
// run_result_to_json() has, bound, cost (cost_to_json()) and effective_usd_per_useful_gpu_hour: all dollars over the
// GPU-hours that computed, null when a price is missing. input_uncertainty has "cost" as well: Estimates "total_usd"
// and "effective_usd_per_useful_gpu_hour", null when a price is missing.
// **Units** as the suffix of a key says; fractions are 0..1. Numbers that are infinite are null.
// **Checked by** tests/core/report/result_document_test.cpp
nlohmann::ordered_json result_document(const RunResult& result, const Bound& bound, const CostBreakdown& cost,
                                       nlohmann::ordered_json scenario, nlohmann::ordered_json provenance);

// result_document(), "explanation" (explanation_to_json()) and "advice" (advice_to_json()).
nlohmann::ordered_json explanation_document(const Explanation& explanation, const Advice& advice,
                                            nlohmann::ordered_json scenario, nlohmann::ordered_json provenance);

// A header row and a row of values: the numbers of a result_document(), nested keys joined by ".", scenario/name first.
// The lines of the bill, the intervals that were tried and the list of uncertain inputs are left out. Lists are joined
// by spaces, null is empty. Rows end in "\n"; cells are quoted as RFC 4180 says.
std::string result_csv(const nlohmann::ordered_json& document);

}  // namespace stallcast
