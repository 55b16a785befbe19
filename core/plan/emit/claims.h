// What a simulated result claims about the real system, and what would refute it.
#pragma once

#include <string>
#include <vector>

#include "core/result/estimate.h"
#include "core/result/run_result.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/scenario.h"
#include "core/units/quantity_text.h"

namespace stallcast {

// Refuted when the 95 % interval of what was measured lies wholly outside that of `predicted`; one without an interval
// (low = high) refutes nothing by itself.
struct Claim {
  std::string name;  // "GPU utilization"
  Dimension dimension = Dimension::kNone;
  Estimate predicted;
  bool no_less = false;  // more than predicted refutes nothing
  std::string measured_by;
};

// What fio is to show of a node while all nodes read. **Units** bytes/s, requests at a time
struct NodeReads {
  double needed = 0.0;           // what the job takes from storage at the predicted rate
  double disproved_below = 0.0;  // at the lower end of the predicted interval
  double assumed = 0.0;          // what the model takes storage to deliver to these readers; 0 = no limit
  std::int64_t readers = 1;      // loader workers of a node, each with one request at a time
  double request_bytes = 0.0;    // of one request
};

// **Model** needed = bytes read from storage / time / nodes. assumed = the least of the tier's rate over all nodes less
// its noise, the client's, the network's, and readers * request / (mean latency + request / stream rate).
NodeReads node_reads(const Scenario& scenario, const RunResult& result);

// The predicted utilization, its interval no narrower than the precision that was asked for: a run simulated whole has
// none, and yet is no better known.
Estimate claimed_utilization(const Scenario& scenario, const RunResult& result);

// In order of importance. Throughput varies as utilization does: its interval is that of claimed_utilization, in
// proportion, where uncertain inputs give it none of its own.
std::vector<Claim> claims(const ResolvedScenario& resolved, const RunResult& result);

// "78.6 %", "101 GB/s", "13700 /s": a figure as the claims print it.
std::string claim_text(const Claim& claim, double value);

}  // namespace stallcast
