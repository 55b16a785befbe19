// What uncertain inputs do to a bill.
#pragma once

#include <optional>

#include "core/cost/cost_breakdown.h"
#include "core/cost/price_run.h"
#include "core/result/input_spread.h"
#include "core/result/run_result.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Fills total_interval and price_interval of `cost`, the bill of `result`, where `result` has draws of uncertain
// inputs.
// **Model** every draw gets a bill of its own, with its own prices where a price is uncertain; its dollars over those
// of the inputs as given widen what the simulation leaves open of the time (widened() in result/input_spread.h).
// **Cost** one price_run() per draw.
// **Checked by** tests/core/cost/cost_interval_test.cpp
void add_intervals(CostBreakdown& cost, const Scenario& scenario, const PriceRecords& records, const RunResult& result);

// What the whole bill of `result` is with the inputs of `draw`; none when it is unknown.
// **Model** the bill of `result` times that of `draw` over that of `as_given`, the inputs as given simulated as `draw`
// was.
std::optional<double> drawn_total_usd(const DrawnRun& draw, const DrawnRun& as_given, const CostBreakdown& cost,
                                      const ResolvedScenario& resolved, const RunResult& result);

}  // namespace stallcast
