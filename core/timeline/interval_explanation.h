// The interval between checkpoints beside what closed forms say it should be, and why simulation and they differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result/run_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// What one closed form says. **Units** seconds
struct IntervalFormula {
  std::string name;    // stable word: "young", "daly_first_order", "daly", "exact"
  std::string phrase;  // "Young: first order"
  double interval_s = 0.0;
  double ettr = 0.0;  // expected there, by Daly's wall time; 0 where the interval is 0
};

// Something of this run that the closed forms do not know, or that makes the interval matter less.
struct IntervalReason {
  std::string name;            // stable word: "async_write", ...
  std::string phrase;          // follows its size: "more work is lost with each interruption: ..."
  double size_s = 0.0;         // as `phrase` says
  std::optional<double> ettr;  // what it adds to the simulated ETTR that the formula does not have, where known
};

struct IntervalExplanation {
  double chosen_s = 0.0;  // training time between checkpoints, as simulated
  double chosen_steps = 0.0;
  double cost_s = 0.0;     // of a checkpoint: training stands still, and is slowed down by its write
  double mtti_s = 0.0;     // between interruptions of the job that are not planned, of all kinds
  double restart_s = 0.0;  // from an interruption until training goes on, mean over those simulated
  Estimate simulated_ettr;
  double formula_ettr = 0.0;      // at chosen_s, by Daly's wall time: 1 - wasted_fraction()
  double first_order_ettr = 0.0;  // at chosen_s, by expected_ettr()
  double simulated_best_s = 0.0;  // 0 = not looked for
  double simulated_best_ettr = 0.0;
  std::vector<IntervalFormula> formulas;
  std::vector<IntervalReason> reasons;  // largest effect on the ETTR first, then those whose effect is not known
};

// Nothing when `result` has no checkpoints or no interruptions in its simulated runs, or does not end.
// **Model** core/analytic/checkpoint_interval.h with delta = cost_s, M = mtti_s and R = restart_s
// **Checked by** tests/core/run/interval_explanation_test.cpp
std::optional<IntervalExplanation> explain_interval(const Scenario& scenario, const RunResult& result);

}  // namespace stallcast
