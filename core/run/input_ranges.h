// How far the answer may be off because of inputs that nobody gave.
#pragma once

#include <vector>

#include "core/result/run_result.h"
#include "core/run/simulate.h"
#include "core/scenario/assumed_value.h"
#include "core/scenario/resolved_scenario.h"

namespace stallcast {

// One input that nobody gave, and what it does.
struct AssumedInput {
  AssumedValue assumed;
  // Of the spread of utilization and of throughput, the part of the variance that comes from it: squared rank
  // correlation over the draws; 0 where that is no more than chance gives an input without influence. **Range** 0 to 1
  double utilization_share = 0.0, throughput_share = 0.0;
};

struct InputRanges {
  RunResult widened;                 // the result with every interval as wide as the inputs leave it
  std::vector<AssumedInput> inputs;  // most influence first, where they were drawn
  bool drawn = false;                // what they are worth is known
};

// What was assumed, without a look at what it is worth.
InputRanges as_assumed(const ResolvedScenario& resolved, const RunResult& result);

// The run again with what nobody gave, and with run.uncertain, drawn from its intervals (run/uncertainty.h).
// **Cost** 40 runs of about a quarter of the steps, on all cores; nothing is simulated where nothing was assumed.
InputRanges input_ranges(const ResolvedScenario& resolved, const RunResult& result, const RunOptions& options);

}  // namespace stallcast
