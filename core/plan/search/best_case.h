// What a configuration gives at the very best, without simulating it.
#pragma once

#include "core/plan/evaluate/figures.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

// No run of the scenario does better in any figure; nor does one of any scenario between it and `cheapest`, which takes
// less of what is bought and is no faster.
// **Model** The run that the roofline allows, priced like a simulated one of `cheapest`: the samples of the run over
// the bound's samples/s, names listed and a bulk copy made as they are, reads and requests of those samples where
// nothing but the tier answers them; no start-up, no checkpoint, no interruption. All of it is better by
// luck_allowance().
// **Range** figures without a value are not known before a simulation either: no price, no length.
// **Cost** one bound and one bill: 0.1 ms, with caches some 10 ms.
// **Checked by** tests/core/plan/best_case_test.cpp
Figures best_case(const ResolvedScenario& resolved, const ResolvedScenario& cheapest);

// Fractions by which a simulated run may beat mean rates.
struct LuckAllowance {
  double time = 0.0;
  double utilization = 0.0;
};

// **Model** A run simulated whole: 0.01 and three standard errors of the means of step time, sample size, decoding and
// latency; in utilization also the batches that the loader is ahead when its measurement begins. Any other run: twice
// the precision that it stops at.
LuckAllowance luck_allowance(const Scenario& scenario);

}  // namespace stallcast
