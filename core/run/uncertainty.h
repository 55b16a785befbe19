// Uncertain inputs through a simulation: what run.uncertain does to every predicted interval.
//
// The run is simulated again with inputs drawn from their intervals, and the lowest and highest result of 39 draws
// bound the interval. Why so:
// - Of n independent draws of any distribution, a further one lies between the lowest and the highest with probability
//   (n - 1) / (n + 1): 38/40 = 95 % for 39. No shape of the result is assumed; utilization has a ceiling and knees.
// - Draws of a Latin hypercube are negatively associated, so for results that are monotone in each input the
//   probability is no lower (Joag-Dev & Proschan, "Negative association of random variables", Annals of Statistics
//   11(1), 1983), up to 1 - 1/39 = 97.4 % where a single input decides. And it varies much less from seed to seed.
// - All draws have the luck of the run as given (common random numbers): what differs is the inputs. An input without
//   influence therefore adds nothing at all, and draws may be coarser than the run without widening anything. What the
//   simulation itself leaves open is added once, in quadrature (result/input_spread.h).
// - Draws are compared with a run of the inputs as given that is as coarse as they are; the central values are those of
//   the full run. Fractions go down in proportion to themselves and up in proportion to what is missing to 1, and times
//   are what is done in a busy second over them: a ceiling that draws reach stays where it is.
//
// What a draw takes: twice the precision asked for, so about a quarter of the steps, and never more of them than the
// run as given, its nodes and samples as coarse as representatives.h has them; a quarter of its simulated runs; no
// independent replications; an interval of checkpoints that was searched for is kept, since whoever sets it does not
// know the true inputs either. A run simulated whole is so in each draw.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/result/input_spread.h"
#include "core/result/run_result.h"
#include "core/result/timeline_result.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"
#include "core/units/quantity.h"

namespace stallcast {

inline constexpr std::int64_t kInputDraws = 39;        // 95 %
inline constexpr std::int64_t kRangeDraws = 19;        // 90 %
inline constexpr double kDrawCoarser = 2.0;            // precision of a draw / that asked for
inline constexpr std::int64_t kDrawRunsDividedBy = 4;  // simulated runs, as given / of a draw
inline constexpr double kDrawSamples = 3e5;            // of a draw, before its coarser precision divides them
inline constexpr double kRangeSamples = 1e5;           // of one of kRangeDraws: what nobody measured has wide ranges

// The factor at probability `p` of the input's true value.
// **Model** a lognormal split at the value given, which is its median: the 5th and the 95th percentile are low_factor
// and high_factor, each half with its own sigma. Nothing beyond probabilities of 0.001 and 0.999.
double factor_at(const UncertainInput& input, double p);

// factors[d][i] of input i in draw d, a Latin hypercube: each input once in each of `draws` equally likely parts of its
// distribution. An input's factors do not depend on what other inputs there are.
std::vector<std::vector<double>> drawn_factors(const std::vector<UncertainInput>& inputs, std::uint64_t seed,
                                               std::int64_t draws);

// `scenario` without run.uncertain and with its inputs multiplied by `factors`. Where that is no possible job (a
// dataset larger than its storage), the factors are moved towards 1 until it is.
Scenario drawn_scenario(const Scenario& scenario, const std::vector<UncertainInput>& inputs,
                        std::vector<double>& factors);

// Names of what InputSpread::figures holds, in order.
std::vector<std::string> ranged_figures();

// The interval by time at which a run has its checkpoints after as many steps as `timeline` has them, or, where steps
// take longer or less, after as many as come nearest to the same time: they come with the step in which it passes.
Seconds interval_by_the_clock(const TimelineResult& timeline);

// A run like that of the inputs as given, `result`, at a quarter of its cost: what a draw is, and what plans compare
// many of. Set to one thread, without run.uncertain, without progress.
struct CoarseRun {
  Scenario scenario;
  RunOptions options;
  double estimated_interval_s = 0.0;  // of the scenario where its interval is to be optimal, else 0

  // The scenario with its inputs drawn, as drawn_scenario() has it. An interval that is to be optimal is so of what is
  // drawn: as much longer or shorter as the closed form says (timeline/optimal_interval.h).
  Scenario drawn(const std::vector<UncertainInput>& inputs, std::vector<double>& factors) const;
  // Such an interval for `changed`, a change of the scenario.
  void adapt_interval(Scenario& changed) const;
};
CoarseRun coarse_run(const Scenario& scenario, const RunResult& result, const RunOptions& options,
                     double samples = kDrawSamples);

// `result`, the run of the inputs as given, with every predicted interval widened by run.uncertain, and what did it in
// `inputs`. Stopped early, it is widened by the draws that were done, and not converged.
// **Cost** `draws` + 1 runs of about a quarter of the steps, on all cores.
// **Checked by** tests/core/run/uncertainty_test.cpp, uncertainty_coverage_test.cpp
RunResult with_uncertain_inputs(const Scenario& scenario, RunResult result, const RunOptions& options,
                                std::int64_t draws = kInputDraws);

// `result` with the intervals that the simulation alone leaves, to be drawn again with other inputs than run.uncertain.
RunResult without_input_spread(RunResult result);

// One coarse run of kRangeSamples for each set of factors of run.uncertain, to set beside one with all of them 1.
// Nothing for those that a stop left undone.
std::vector<std::optional<DrawnRun>> runs_with_factors(const Scenario& scenario, const RunResult& result,
                                                       const RunOptions& options,
                                                       std::vector<std::vector<double>> factors);

// Of a fraction of 1 that is `mean` in the full run, what a draw makes of it: down in proportion to itself, up in
// proportion to what is missing to 1. Draws that reach 1 do so whatever luck the coarse run of the inputs as given had.
double drawn_fraction(double drawn, double as_given, double mean);

}  // namespace stallcast
