// What a configuration gives at the very best, without simulating it.
#pragma once

#include "core/plan/figures.h"
#include "core/scenario/resolved_scenario.h"

namespace stallcast {

// No run of the scenario does better in any figure.
// **Model** The run that the roofline allows, priced like a simulated one: the samples of the run over the bound's
// samples/s, names listed and a bulk copy made as they are, reads and requests of those samples where nothing but the
// tier answers them; no start-up, no checkpoint, no interruption. All of it is better by luck_allowance().
// **Range** figures without a value are not known before a simulation either: no price, no length.
// **Cost** one bound and one bill: 0.1 ms, with caches some 10 ms.
// **Checked by** tests/core/plan/best_case_test.cpp
Figures best_case(const ResolvedScenario& resolved);

// Fraction by which a simulated run may beat mean rates: three standard errors of the means of step time, sample size,
// decoding and latency in a run simulated whole, and the batches that the loader is ahead when its measurement begins;
// in any other run twice the precision that it stops at.
double luck_allowance(const Scenario& scenario);

}  // namespace stallcast
