// Configurations beside one whose answer is known: each simulated coarsely, priced, and brought to the scale of that
// answer.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/kpi.h"
#include "core/plan/pairs/paired_trials.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

class PairedEvaluations {
 public:
  // `now` is the answer of `job`; run.uncertain is not looked at.
  // **Cost** one coarse run
  PairedEvaluations(const ResolvedScenario& job, const Evaluation& now, const RunOptions& options);

  const ResolvedScenario& job() const { return job_; }  // with its inputs as given
  const KpiValues& now() const { return now_; }

  // The figures of `changed`, a change of the job; those of the job itself are now(). What only a price changes is not
  // simulated again. From several threads.
  KpiValues of(const ResolvedScenario& changed);

  // The same by a run as fine as that of now(): what is told as the outcome of a change. From several threads.
  // **Cost** one full run
  KpiValues in_full(const ResolvedScenario& changed);

  const PairedTrials& trials() const { return trials_; }
  double precision() const;  // half-width of utilization that a run is wanted at
  std::int64_t runs() const;

 private:
  // Simulates once what has the same simulation_key(); nothing that a stop cut short is kept.
  RunResult simulated(const Scenario& scenario, const RunOptions& options);

  ResolvedScenario job_;
  RunOptions options_;
  KpiValues now_;
  mutable std::mutex mutex_;
  std::map<std::string, RunResult> results_;
  PairedTrials trials_;
  KpiValues base_;
};

}  // namespace stallcast
