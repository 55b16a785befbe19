// What a change does, told apart from luck: runs in pairs, each pair with the same seed.
#pragma once

#include <span>

#include "core/result/estimate.h"

namespace stallcast {

// Mean of other[r] - base[r] with its 95 % interval; r are replications, each with a seed of its own that both share.
// **Model** Student t over the differences. What luck does to both alike cancels in them: a difference of runs that
//   are equal is exactly 0 with an interval of exactly 0.
// **Range** as many of one as of the other; with less than two of them the interval is infinite.
// **Source** Law, Simulation Modeling and Analysis, 5th ed., 10.2.1 (paired t) and 11.2 (common random numbers)
// **Checked by** tests/core/plan/paired_difference_test.cpp
Estimate paired_difference(std::span<const double> base, std::span<const double> other);

// `difference`, the one of two answers that are shown, with the interval of `paired`.
// **Model** The pairs and the two answers are runs of their own, so their differences are not quite equal. The interval
//   is moved to `difference` and made longer by the distance on both sides: it holds all that of `paired` does.
Estimate about_difference(double difference, const Estimate& paired);

// `difference`, with uncertain inputs: `drawn` are differences for drawn inputs (common to both sides), all of them
// against `as_given`, that of the inputs as given under the same conditions.
// **Model** as widened() of result/input_spread.h, but of differences, which may be of either sign: the lowest and the
//   highest of drawn - as_given, and the difference's own half-intervals, added in quadrature on each side.
Estimate widened_difference(const Estimate& difference, double as_given, std::span<const double> drawn);

}  // namespace stallcast
