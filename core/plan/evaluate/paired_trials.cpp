#include "core/plan/evaluate/paired_trials.h"

#include <algorithm>
#include <utility>

#include "core/plan/evaluate/evaluation.h"
#include "core/run/uncertainty.h"

namespace stallcast {

PairedTrials::PairedTrials(const Scenario& job, const RunResult& now, const RunOptions& options, Simulation run)
    : now_(now), run_(std::move(run)) {
  CoarseRun one = coarse_run(job, now, options, Coarseness::kSketch);
  coarse_ = static_cast<double>(now.samples) > one.options.affordable_samples && !options.exact;
  if (!coarse_) {
    options_ = one_of_many(options);
    base_ = now;
    return;
  }
  options_ = one.options;
  options_.seed = options.seed;
  if (now.timeline.replications == 0) options_.replications = 0;  // else they would be independent runs
  base_ = run_(one.scenario, options_);
}

RunResult PairedTrials::of(const Scenario& changed) const {
  return run_(coarse_ ? coarse_run(changed, now_, options_).scenario : changed, options_);
}

Estimate PairedTrials::utilization(const RunResult& after) const {
  if (!coarse_) return after.gpu_utilization;
  const double base = base_.gpu_utilization.mean, now = now_.gpu_utilization.mean;
  const double mean = drawn_fraction(after.gpu_utilization.mean, base, now);
  const double half = after.gpu_utilization.half_width() * (base > 0.0 ? std::min(1.0, now / base) : 1.0);
  return {mean, std::max(0.0, mean - half), std::min(1.0, mean + half)};
}

}  // namespace stallcast
