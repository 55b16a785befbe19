// What a change does to a job, for a fraction of what the job's own answer takes: a coarse run of the job as it is and
// one of the changed job, with the same luck, which cancels in what sets them apart.
#pragma once

#include <functional>

#include "core/result/run_result.h"
#include "core/run/simulate.h"
#include "core/scenario/scenario.h"

namespace stallcast {

using Simulation = std::function<RunResult(const Scenario&, const RunOptions&)>;

class PairedTrials {
 public:
  // `now` is the answer of `job`, which has its inputs as given. Where that took no more samples than a coarse run
  // may, every run is as fine as it.
  // **Cost** one coarse run
  PairedTrials(const Scenario& job, const RunResult& now, const RunOptions& options, Simulation run = simulate);

  bool coarse() const { return coarse_; }
  const RunResult& base() const { return base_; }  // the job as it is

  // The changed job, run as base() was. From several threads.
  RunResult of(const Scenario& changed) const;

  // GPU utilization of `after`, a run of the changed job, on the scale of the job's own answer.
  // **Model** drawn_fraction() of run/uncertainty.h: busy GPUs in proportion where they are less busy than base(), idle
  //   ones where they are more so; the half-width likewise.
  Estimate utilization(const RunResult& after) const;

 private:
  RunResult now_;
  Simulation run_;
  RunOptions options_;
  bool coarse_;
  RunResult base_;
};

}  // namespace stallcast
