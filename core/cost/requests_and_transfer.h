// What storage charges for being used: requests, and bytes that move.
#pragma once

#include <string>
#include <vector>

#include "core/cost/bill.h"
#include "core/cost/price_run.h"
#include "core/result/run_totals.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Adds to `bill` what the storage, the bucket behind it and the regional cache charge for what the run counted, all of
// it during `job`, and to `notes` what that leaves out.
void charge_requests_and_transfer(const Scenario& s, const PriceRecords& records, const RunTotals& totals,
                                  ChargedSpan job, Bill& bill, std::vector<std::string>& notes);

}  // namespace stallcast
