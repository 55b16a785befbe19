#include "core/plan/pairs/paired_trials.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/plan/evaluate/evaluation.h"
#include "core/run/uncertainty.h"

namespace stallcast {

Estimate on_scale(const Estimate& after, const Estimate& base, const Estimate& now, bool is_fraction) {
  const double ratio = base.mean > 0.0 && std::isfinite(base.mean) ? now.mean / base.mean : 1.0;
  if (!is_fraction) {
    const double mean = ratio * after.mean, half = ratio * after.half_width();
    return {mean, std::max(0.0, mean - half), mean + half};
  }
  const double mean = drawn_fraction(after.mean, base.mean, now.mean);
  const double half = after.half_width() * std::min(1.0, ratio);
  return {mean, std::max(0.0, mean - half), std::min(1.0, mean + half)};
}

double correction_by_utilization(double after, double base, double now) {
  const double scaled = drawn_fraction(after, base, now);
  return std::min({after, base, now, scaled}) > 0.0 ? after / base * (now / scaled) : 1.0;
}

PairedTrials::PairedTrials(const Scenario& job, const RunResult& now, const RunOptions& options, Simulation run)
    : now_(now),
      run_(std::move(run)),
      job_(coarse_run(job, now, options)),
      optimal_(job.checkpoint.cadence == CheckpointCadence::kOptimal) {
  coarse_ = static_cast<double>(now.samples) > job_.options.affordable_samples && !options.exact;
  if (!coarse_) {
    options_ = one_of_many(options);
    base_ = now;
    return;
  }
  options_ = job_.options;
  options_.seed = options.seed;
  if (now.timeline.replications == 0) options_.replications = 0;  // else they would be independent runs
  base_ = run_(job_.scenario, options_);
}

Scenario PairedTrials::coarse(const Scenario& changed) const {
  Scenario out = coarse_run(changed, now_, options_).scenario;
  if (optimal_) {
    job_.adapt_interval(out);
  } else {
    out.checkpoint = changed.checkpoint;
  }
  return out;
}

RunResult PairedTrials::of(const Scenario& changed) const {
  return run_(coarse_ ? coarse(changed) : changed, options_);
}

Estimate PairedTrials::utilization(const RunResult& after) const {
  return coarse_ ? on_scale(after.gpu_utilization, base_.gpu_utilization, now_.gpu_utilization, true)
                 : after.gpu_utilization;
}

double PairedTrials::precision(const Scenario& job) const {
  return coarse_ ? coarse_run(job, now_, options_).scenario.run.precision : job.run.precision;
}

}  // namespace stallcast
