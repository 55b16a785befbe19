// What a change does to a job, for a fraction of what the job's own answer takes: a coarse run of the job as it is and
// one of the changed job, with the same luck, which cancels in what sets them apart.
#pragma once

#include <functional>

#include "core/result/run_result.h"
#include "core/run/simulate.h"
#include "core/run/uncertainty.h"
#include "core/scenario/scenario.h"

namespace stallcast {

using Simulation = std::function<RunResult(const Scenario&, const RunOptions&)>;

// A figure of `after`, the coarse run of a changed job, on the scale of `now`, the answer of the job as it is, whose
// coarse run gives `base`.
// **Model** in proportion; a fraction of 1 as drawn_fraction() of run/uncertainty.h has it: busy GPUs in proportion
// where
//   they are less busy than in `base`, idle ones where they are busier. A half-width is that of `after` in proportion.
Estimate on_scale(const Estimate& after, const Estimate& base, const Estimate& now, bool is_fraction);

// By what a time or a bill of the whole run has to be multiplied that on_scale() brought to the scale of `now`, so that
// it says the same as GPU utilization, which is `after`, `base` and `now` in the three runs; a rate is divided by it.
// **Model** what a busy second holds is in proportion, and how many seconds are busy is what on_scale() makes of it
double correction_by_utilization(double after, double base, double now);

class PairedTrials {
 public:
  // `now` is the answer of `job`, which has its inputs as given. Where that took no more samples than a coarse run
  // may, every run is as fine as it.
  // **Cost** one coarse run
  PairedTrials(const Scenario& job, const RunResult& now, const RunOptions& options, Simulation run = simulate);

  bool coarse() const { return coarse_; }
  const RunResult& base() const { return base_; }  // the job as it is

  // The changed job, run as base() was; an interval of checkpoints that only the change makes optimal is searched for.
  // From several threads.
  RunResult of(const Scenario& changed) const;

  // GPU utilization of `after`, a run of the changed job, on the scale of the job's own answer.
  Estimate utilization(const RunResult& after) const;

  // Half-width of utilization that a run of `job` is wanted at.
  double precision(const Scenario& job) const;

 private:
  Scenario coarse(const Scenario& changed) const;

  RunResult now_;
  Simulation run_;
  RunOptions options_;
  CoarseRun job_;
  bool coarse_;
  bool optimal_;  // is the job's interval of checkpoints, which was searched for
  RunResult base_;
};

}  // namespace stallcast
