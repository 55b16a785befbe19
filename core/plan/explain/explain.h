// Why a job runs as it does: the bound beside the simulated value, and what each change by itself would buy back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/cost/cost_breakdown.h"
#include "core/plan/explain/changes.h"
#include "core/plan/pairs/paired_trials.h"
#include "core/plan/rules/rules.h"
#include "core/plan/space/space.h"
#include "core/result/bound.h"
#include "core/result/estimate.h"
#include "core/result/run_result.h"
#include "core/result/run_totals.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"
#include "core/timeline/interval_explanation.h"

namespace stallcast {

// The same job with one thing changed, run with the same luck.
struct Counterfactual {
  std::string name;  // of the change
  ChangeKind kind = ChangeKind::kIdeal;
  std::string phrase;
  Estimate gpu_utilization;
  double gain = 0.0;  // utilization bought back; negative when the change makes it worse
  // Dollars that the run would cost less; nothing without a price or a length. Of the best setting the difference of
  // two bills, as rules have it, of the others machines for the time saved.
  std::optional<double> usd;
  std::optional<double> usd_per_hour;  // dollars of every hour that would be worth it; nothing without a price
  Point settings{};                    // that make it; empty where nobody can set it
};

// `change` to `scenario`, not tried yet.
Counterfactual counterfactual(const Change& change, const Scenario& scenario);

// What holds a job back.
struct Bottleneck {
  std::string cause = "gpu";      // lost_time_name(), or "gpu" when less than kNegligibleLoss is lost in all
  std::string change;             // the counterfactual that takes it away, "metadata_rate"; "" where none is known
  std::vector<std::string> ties;  // other causes that are as good an answer
  std::string reason;             // of cpu_decode: "too few workers", "cores full"; "" where trying does not tell
};

struct Explanation {
  RunResult result;
  Bound bound;
  CostBreakdown cost;
  std::string gap_reason;  // one sentence: why the simulated value is not the bound
  Bottleneck bottleneck;
  std::string change_first;                                // one sentence
  std::vector<Counterfactual> counterfactuals;             // largest gain first; those that cannot apply are left out
  std::optional<IntervalExplanation> checkpoint_interval;  // where there are checkpoints and interruptions
  bool complete = true;                                    // false when stopped before every counterfactual was run
};

// Gains below this are not told apart from chance: half a point, the default precision.
inline constexpr double kSmallestGain = 0.005;
// Two answers are tied when one is within this share of the other.
inline constexpr double kTie = 0.1;

// Names what holds `explanation.result` back, from its counterfactuals.
// **Model** The cause that loses most, unless taking away another one buys back more by over kSmallestGain: lost time
// is booked on what a batch waited for last, and the counterfactual is the proof. Ties: causes that lose or buy back
// within kTie of the most, and those of other resources that a minimum cut contains as well. Decoding is slow for too
// few workers where more of them buy back a quarter of what no decoding at all would, and for full cores where that is
// so of more cores only.
Bottleneck name_bottleneck(const Explanation& explanation);

// Simulates `resolved`, then tries each of possible_changes() with the same seed, several at a time on threads.
// **Model** Changes are simulated with the inputs as given and meet the same interruptions; the result itself has the
// intervals of run.uncertain. The same work at utilization u' instead of u takes the share u / u' of the time: worth
// (1 - u / u') of what machines and storage cost by the hour.
// **Errors** as simulate(). Same scenario and seed: the same explanation, wall_s apart.
// **Cost** one simulation and up to 30 coarse ones, then some more (try_changes), and one of the setting told first
// `run` stands in for simulate() in tests; it is called from several threads.
Explanation explain(const ResolvedScenario& resolved, const RunOptions& options, const Simulation& run);
Explanation explain(const ResolvedScenario& resolved, const RunOptions& options = {});

// One sentence: what to do about it, of the changes that were tried and the rules that the simulation agrees with.
// **Model** What a person can set comes first if it buys back at least half of what the largest change does, taken away
//   limits included; a setting of the loader before a rule that is no better.
std::string change_first(const Explanation& explanation, const std::vector<Recommendation>& recommended);

// GPU utilization with each of `changes` to `job`, whose answer is `now`, in their order; nothing for those that
// options.stop left undone.
// **Model** every change by a coarse run paired with one of the job (paired_trials.h). Those that make a difference of
//   kWorthTelling or more and are not known to run.precision or a twentieth of it yet are then simulated for as many
//   samples as the job itself was, the largest difference first, as many as take `events` by the job's own.
inline constexpr double kWorthTelling = 0.001;
inline constexpr double kEventsToTell = 1.5e7;  // one and a half seconds of a core
std::vector<std::optional<Estimate>> try_changes(const Scenario& job, const RunResult& now,
                                                 const std::vector<Change>& changes, const RunOptions& options,
                                                 const Simulation& run, double events = kEventsToTell);

// Of two settings that buy back alike the one that takes less: an argument of the loader before more processes, and
// twice as many of these before four times.
bool is_as_good_and_cheaper(const Counterfactual& one, const Counterfactual& best);

// Puts into `change` what the share of the time is worth that the same work no longer takes, at `utilization` before.
void add_worth(Counterfactual& change, double utilization, const CostBreakdown& cost, const RunTotals& totals);

}  // namespace stallcast
