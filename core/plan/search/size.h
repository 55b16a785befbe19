// The cheapest configuration that keeps targets, and what a person asks next: why, by how much, and what if none does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/search/best_first.h"
#include "core/plan/search/relaxation.h"

namespace stallcast {

// How far the front of cost, utilization and time is looked for.
enum class FrontScope {
  kNone,
  kSimulated,  // what was simulated for the answer
  kLimited,    // by one in kFrontShare as many simulations more as the answer took, at least kFewestFrontRuns
  kFull        // until it is complete
};
inline constexpr std::int64_t kFewestFrontRuns = 32;
inline constexpr std::int64_t kFrontShare = 16;  // they are precise ones: each costs several of the search's

// "none", "simulated", "limited", "full".
std::string_view front_scope_name(FrontScope scope);

inline constexpr std::int64_t kAskedConfigurations = 1'000'000;  // more may take hours

struct SizeRequest {
  std::vector<Target> targets;      // without one of kMemory or kMemoryShare, loaders keep to what a node has left
  double confidence = 0.95;         // with which simulated targets are kept
  std::optional<Figure> objective;  // kTotal, kGpuHour, kTime or kUtilization; nothing: the first of
                                    // kTotal, kGpuHour and kTime that is known of any configuration
  double tolerance = 0.01;          // no configuration is better by more than this fraction
  std::int64_t top = 1;             // how many of the best are wanted
  FrontScope front = FrontScope::kLimited;
  bool exhaustive = false;                          // simulate every point, and compare
  std::int64_t most_points = kAskedConfigurations;  // nobody agreed to search more than that
};

// The best configuration of one tier.
struct TierAnswer {
  std::string tier;
  std::optional<SizedPoint> best;
  std::optional<double> most_utilization;  // that its roofline allows, where there is no best
};

struct FrontPoint {
  SizedPoint point;
  bool keeps_targets = false;
  bool like_another = false;  // one before it is as good within the tolerance, and itself not like another
};

// Trade-offs between cost, utilization and time: of simulated configurations, those that no other one betters in all.
struct Front {
  FrontScope scope = FrontScope::kSimulated;
  std::vector<FrontPoint> points;  // ordered by the objective
  std::vector<Figure> by;
  double tolerance = 0.01;
  bool complete = false;       // no configuration is further from each of `points` than the tolerance: a fraction of
                               // cost and of time, and that utilization
  std::int64_t undecided = 0;  // configurations that are not known to be within it
  std::int64_t runs = 0;       // simulations that were made for it alone
};

// What simulating every point says of the search.
struct ExhaustiveCheck {
  std::optional<SizedPoint> best;
  std::int64_t simulations = 0;
  double excess = 0.0;            // of the search's answer over the best, as a fraction of it
  bool agrees = true;             // within the tolerance
  std::int64_t front_missed = 0;  // configurations that a complete front does not stand for
};

struct SizeResult {
  Figure objective = Figure::kTotal;
  std::vector<Target> targets;
  double confidence = 0.95, tolerance = 0.01;
  std::vector<SizedPoint> best;        // best first; empty: none meets the targets
  std::optional<Evaluation> chosen;    // all that best.front() gives
  std::optional<SizedPoint> cheapest;  // where best.front() is one that loads with less for practically the same
  std::vector<TierAnswer> tiers;       // the other tiers, in the order given; only where tiers vary
  std::map<std::string, std::string> tier_titles;  // of all tiers that the question has
  Front front;
  std::vector<Relaxation> relaxations;  // only where there is no best
  std::int64_t points = 0, simulated_points = 0;
  SearchCounts counts;
  RunCounts runs, runs_in_all;  // of the search for the best; and of all that the answer has
  std::map<std::string, std::int64_t> reasons;
  std::optional<ExhaustiveCheck> exhaustive;
  bool complete = true;  // of all but the front, which says so by itself
  double gap =
      1.0;  // fraction by which another may still be better than best.front(): at most the tolerance, unless stopped
  double wall_s = 0.0;
};

// **Model** best_first.h with half of the tolerance. With the other half, the answer is the one that takes the fewest
// workers, then the fewest prefetched batches, of those that differ from the best found in these alone. Points of other
// tiers are found likewise. Finalists are simulated with what their inputs may truly be and have to
// keep the targets at `confidence` (confident_limit()); one that does not makes way for the next. Then the front is
// looked for (front_search.h), with its inputs as given and whatever the targets of simulated figures; quotas and
// memory are kept.
// `options.stop` gives the best so far, complete = false; once the answer is known, a front that is not complete.
// **Range** `space` is a full design.
// **Errors** as evaluate().
// **Checked by** tests/core/plan/size_test.cpp, size_equals_enumeration_test.cpp, front_search_test.cpp
SizeResult size(const ScenarioFile& base, const Space& space, const Catalogue& catalogue, const SizeRequest& request,
                const RunOptions& options, const SearchWatch& watch = {});

// More boxes than this are not searched: every one is looked at first.
inline constexpr std::int64_t kMostBoxes = 200'000;

// What is wrong with a request for this base, all at once, under the file name "size": targets that nothing can keep,
// a deadline or a budget for a run without a length, too many boxes.
Findings check_request(const ScenarioFile& base, const Space& space, const Catalogue& catalogue,
                       const SizeRequest& request);

// "--min-utilization", "--quota gpus": what asks for a target of this figure; "" for what nobody can ask for.
std::string_view target_option(Figure figure);

// "/plan/deadline": where a scenario asks for a target of this figure; "" for what it cannot ask for.
std::string_view target_field(Figure figure);

// Adds what the scenario itself asks of a choice, for figures that have no target yet.
void add_planned_targets(const PlanSpec& plan, SizeRequest& request);

// What --vary would say where nobody says what to vary: workers up to the cores and prefetched batches, unless loading
// cannot matter; sizes of a tier that is sold by capacity, each a fifth larger than the one before; and, where by mean
// rates storage or the way to it is the limit, the other shared tiers of the same provider.
std::vector<std::string> usual_variables(const ScenarioFile& base, const Catalogue& catalogue);

}  // namespace stallcast
