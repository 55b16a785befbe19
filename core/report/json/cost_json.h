// A bill as scripts read it.
#pragma once

#include <nlohmann/json.hpp>

#include "core/cost/cost_breakdown.h"

namespace stallcast {

// {"total_usd", "compute_usd", "storage_usd", "requests_usd", "transfer_usd", "overheads_usd", "wasted_usd",
// "by_cause": {cause: dollars}, "per_epoch_usd", "per_million_samples_usd", "usd_per_hour": {"compute_usd",
// "storage_usd", "total_usd"}, "unknown": [text], "notes": [text], "lines": [{"what", "category", "quantity", "per",
// "list_price_usd", "discount", "list_usd", "usd", "provider", "service", "region", "resource", "source", "kind",
// "start_s", "end_s"}]}
//
// Sums are numbers, null when not known: a price is missing, which `unknown` names, or the length of the run is not
// given, when only usd_per_hour is there. In `lines` quantities and dollars are texts with every decimal, so that
// nothing is lost in reading them; they add up to the sums exactly.
nlohmann::ordered_json cost_to_json(const CostBreakdown& cost);

}  // namespace stallcast
