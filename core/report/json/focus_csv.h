// A bill that has not come yet, in the columns of one that has: FOCUS, the FinOps Open Cost and Usage
// Specification 1.2.
#pragma once

#include <chrono>
#include <string>

#include "core/cost/cost_breakdown.h"

namespace stallcast {

// One row per line and billing period (calendar month, UTC) of a job that starts at 00:00 on `start`, header first.
// What lasts over months is divided by time.
//
// **Columns** those of FOCUS 1.2 that a forecast can fill, but never BilledCost: nobody has billed it, and a forecast
// that has it could pass as a bill. EffectiveCost and ContractedCost are what is expected to be paid, ListCost what it
// would be without discounts. BillingAccountId is "forecast". x_PriceSource and x_PriceKind say where the price is
// from. PricingCategory is Standard, Dynamic (spot) or Committed (reserved; its price is the list price of the
// commitment).
// **Units** dollars and quantities with every decimal: list price times quantity is ListCost exactly, and EffectiveCost
// sums to CostBreakdown::total() exactly. Lines with an unknown price are not there.
// **Source** FOCUS 1.2, columns and attributes (unit_format, numeric_format)
// **Checked by** tests/core/report/focus_csv_test.cpp
std::string focus_csv(const CostBreakdown& cost, const std::string& scenario_name, std::chrono::sys_days start);

}  // namespace stallcast
