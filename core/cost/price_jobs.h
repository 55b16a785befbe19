// What several jobs on one storage system cost: each its own machines, requests and transfer, and a share of the
// system.
#pragma once

#include <string>
#include <vector>

#include "core/cost/cost_breakdown.h"
#include "core/result/shared_result.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

struct SharedCost {
  std::vector<CostBreakdown> alone;     // by job, on an instance of its own
  std::vector<CostBreakdown> together;  // by job, with its share of the storage
  std::vector<double> storage_share;    // by job, sum 1: what it is charged of the storage
  CostBreakdown storage;                // the lines of the storage that all jobs use
  std::vector<std::string> notes;       // how it is split
};

// `resolved` with the jobs beside it, and what simulate_jobs() said of them, in the same order.
//
// **Model** a provisioned system exists from the first start to the last end (cost.storage_lifetime of the first job),
// and longer for the longest checkpoint_retention; its lines are split in proportion to the bytes that a job reads and
// writes, equally when there are none. Systems that are charged by what they hold and by request are not split: every
// job has its own bytes and requests there.
// **Identities** (exact; tests/core/cost/price_jobs_test.cpp) for every line of `storage` the shares of the jobs sum to
// it; quantities have at most 12 decimals more than the line.
SharedCost price_jobs(const ResolvedScenario& resolved, const SharedResult& result);

}  // namespace stallcast
