// How far the answer may be off because of inputs that nobody gave.
#pragma once

#include <optional>
#include <vector>

#include "core/result/input_spread.h"
#include "core/result/run_result.h"
#include "core/scenario/resolve/assumed_value.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// One input that nobody gave, and what it does.
struct AssumedInput {
  AssumedValue assumed;
  // The run with this input alone at the low and at the high end of its range, and as given, all three as coarse; none
  // for those that were not tried.
  struct Ends {
    DrawnRun low, high, as_given;
  };
  std::optional<Ends> ends;
  // By which utilization differs between the ends, as a fraction of 1. **Range** 0 to 1
  double utilization_effect = 0.0;
  // Likewise samples per second, as a fraction of those of the run.
  double throughput_effect = 0.0;
};

struct InputRanges {
  RunResult widened;                 // the result with every interval as wide as the inputs leave it: 90 %
  std::vector<AssumedInput> inputs;  // most effect first, where they were drawn
  bool drawn = false;                // what they are worth is known
};

// Relative half-width that the model's own error leaves at most (run/model_error.h): kUnmeasuredError where the rates
// of the storage, the time of a step or of preparing a sample, or the software of checkpoints are not from the job
// itself.
// **Source** published runs predicted from what their authors state (stallcast validate tests/validation/public_cases):
// what catalogue and defaults do not know of a system is worth that much beyond the intervals of the inputs. It was
// chosen so that these ranges hold at least eight in ten of what is known, so they are no independent check of it.
inline constexpr double kUnmeasuredError = 0.4;
double most_model_error(const std::vector<AssumedInput>& assumed);

// What was assumed, without a look at what it is worth.
InputRanges as_assumed(const ResolvedScenario& resolved, const RunResult& result);

// Of `all` inputs, how many are tried alone at both ends where a run takes so many events: those that about half a
// second on two cores pays for, and at least three.
std::size_t inputs_affordable(std::uint64_t events, std::size_t all);

// Places in spread.inputs of the `count` that are tried alone: in turn those to whose part of the job most time of
// `result` is lost, and those that the draws point to first, of utilization and of throughput; then the others. Draws
// are too few to rank thirty inputs by themselves.
std::vector<std::size_t> inputs_to_try(const InputSpread& spread, const RunResult& result, std::size_t count);

// `result` with every interval as wide as what nobody gave, run.uncertain and the error of the model itself
// (run/model_error.h) leave it: 90 %. As it is where nothing was assumed.
// **Cost** 20 runs of about a quarter of the steps, on all cores
// **Checked by** tests/core/run/input_ranges_test.cpp
RunResult with_assumed_inputs(const ResolvedScenario& resolved, const RunResult& result, const RunOptions& options);

// The run again with what nobody gave, and with run.uncertain, drawn from its intervals (run/uncertainty.h), as
// with_assumed_inputs() has it; then with one input alone at either end of its range: every one where runs are short,
// else those of inputs_to_try().
// **Cost** 20 runs of about a quarter of the steps and 2 for each input that is tried, on all cores; nothing is
// simulated where nothing was assumed.
// **Checked by** tests/core/run/input_ranges_test.cpp
InputRanges input_ranges(const ResolvedScenario& resolved, const RunResult& result, const RunOptions& options);

}  // namespace stallcast
