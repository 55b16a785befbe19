// What uncertain inputs do to a bill.
#pragma once

#include "core/cost/cost_breakdown.h"
#include "core/cost/price_run.h"
#include "core/result/run_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Fills total_interval and price_interval of `cost`, the bill of `result`, where `result` has draws of uncertain
// inputs.
// **Model** every draw gets a bill of its own, with its own prices where a price is uncertain; its dollars over those
// of the inputs as given widen what the simulation leaves open of the time (widened() in result/input_spread.h).
// **Cost** one price_run() per draw.
// **Checked by** tests/core/cost/cost_interval_test.cpp
void add_intervals(CostBreakdown& cost, const Scenario& scenario, const PriceRecords& records, const RunResult& result);

}  // namespace stallcast
