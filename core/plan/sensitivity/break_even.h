// The value of each input at which the advice changes: "B from $3.10/h on", "below 0.9 while decoding takes more than
// 7 ms".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/plan/evaluate/assertion.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/kpi.h"
#include "core/plan/evaluate/scaled_input.h"
#include "core/plan/pairs/paired_trials.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

struct BreakEvenOptions {
  RunOptions run;
  const Kpi* by = nullptr;             // what decides between several; nothing = deciding_kpi() of comparisons
  std::optional<Assertion> condition;  // of a single scenario; its path is a name of kpi_table()
  std::vector<std::string> more;       // pointers of inputs beside the main ones
  std::vector<std::string> among;      // where given, no others are looked at
  // Of each scenario with its inputs as given, where they are known; else they are simulated.
  std::vector<const Evaluation*> answers;
  double furthest = 10.0;  // factors that are looked at, and their inverses
  std::function<void(std::int64_t done, std::int64_t wanted)> counted;  // inputs
};

// Where turning one input changes the advice.
struct BreakEvenSide {
  double factor = 1.0;  // of the value given
  double value = 0.0;   // in base units
  int advice = 0;       // from there on
};
struct BreakEvenRow {
  SharedInput input;
  double value = 0.0;                         // as given
  std::optional<BreakEvenSide> below, above;  // nothing: no change down to 1 / furthest, up to furthest
};

// How far the nearest change is, as a ratio above 1; infinite where there is none.
double nearness(const BreakEvenRow& row);

// `advice` is the number of the best scenario or, of a single one, 1 where the condition is true and 0 where it is not;
// -1 where nothing is known: no price, no such job.
struct BreakEvenTable {
  const Kpi* by = nullptr;
  std::optional<Assertion> condition;
  std::vector<double> values;  // of `by` as given [scenario]; not finite where not known
  int advice = 0;              // as given
  double furthest = 10.0;
  std::vector<BreakEvenRow> rows;  // nearest change first, then those without
  std::int64_t runs = 0;           // simulated; prices need none
  bool complete = true;            // false when stopped: rows may miss a change
};

// **Model** Each of main_inputs() is turned by itself, for all scenarios where it is a fact they share and for one
// where
//   it is its own, and the advice is looked up along the way (flip_search.h): the scenario with the best `by`, or
//   whether the condition holds. Without a condition a single scenario has that of a loss: GPU utilization more than a
//   point below that as given.
//   All runs have the same seed and are coarse ones beside the answers (paired_evaluations.h). A value that makes no
//   possible job (a dataset larger than its storage) loses.
// **Range** one training job each.
// **Errors** as simulate(). Same scenarios and seed: the same, whatever the threads.
// **Checked by** tests/core/plan/break_even_test.cpp
BreakEvenTable break_even(const std::vector<ResolvedScenario>& scenarios, const BreakEvenOptions& options = {});

// How many times slower all of the storage may get, bandwidths, rates and latencies alike, before GPU utilization drops
// by more than a point; nothing when it does not up to `furthest`, or when the storage takes no time at all.
// **Model** by `trials` of `job`. **Cost** 4 to 11 of them, one after the other.
std::optional<double> slowdown_that_matters(const Scenario& job, const PairedTrials& trials,
                                            const std::stop_token& stop = {}, double furthest = 100.0);

// A loss of GPU utilization that matters.
inline constexpr double kPointThatMatters = 0.01;

}  // namespace stallcast
