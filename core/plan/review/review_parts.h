// The steps of review(), in order; each fills in its part of the Review.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "core/plan/pairs/paired_evaluations.h"
#include "core/plan/review/review.h"

namespace stallcast {

// What all steps share: the question, and runs that several of them need.
struct ReviewWork {
  const ReviewRequest& request;
  const Catalogue& catalogue;
  std::uint64_t seed;
  std::unique_ptr<PairedEvaluations> pairs{};  // of the option recommended, once it is known

  // Of one of many runs, with the seed of all.
  RunOptions seeded_run() const {
    RunOptions run = one_of_many(request.run);
    run.seed = seed;
    return run;
  }

  // Of many runs side by side.
  RunOptions seeded_runs() const {
    RunOptions runs = request.run;
    runs.seed = seed;
    return runs;
  }

  bool stopped() const { return request.run.stop.stop_requested(); }
  void tell(const char* what, std::int64_t done, std::int64_t wanted) const {
    if (request.counted) request.counted(what, done, wanted);
  }
};

// With inputs as given, at kReviewPrecision.
ResolvedScenario sketched(const ResolvedScenario& resolved);

// How far the bar moves the first figure; 0 where that is not known at both ends.
inline double known_swing(const TornadoBar& bar) {
  const double width = std::abs(bar.at_high.front() - bar.at_low.front());
  return std::isfinite(width) ? width : 0.0;
}

// Options, simulated and priced, the one recommended first; targets, `by`, sizing. Findings of scenarios that cannot
// be.
Findings find_options(ReviewWork& work, Review& review);

// Curves, tornado, break-even and a part of the run of the option recommended.
void gather_evidence(ReviewWork& work, Review& review);

// Exposure to lost data of every option, main risks, verdicts, assumptions, what is not known and what to do next.
void make_argument(const ReviewWork& work, Review& review);
DataLoss data_loss_of(const ReviewOption& option);

// "78.6 %": a figure as sentences have it.
std::string figure_value_text(Figure figure, double value);

// "Google Cloud Parallelstore", "storage of 10 GB/s".
std::string storage_title(const ResolvedScenario& resolved);

// "100 TiB of Google Cloud Parallelstore", "Google Cloud Storage": what is bought.
std::string storage_text(const ResolvedScenario& resolved);

// A configuration in a few words: what is bought, and "8 workers per GPU".
std::string option_name(const ResolvedScenario& resolved);

}  // namespace stallcast
