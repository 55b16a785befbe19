// Two tests on published MLPerf Storage results that a table of medians cannot pass: scaling and accelerator transfer.
//
// Submitters tune until they just pass, so published utilizations are bunched and predicting one from others proves
// nothing. These tests calibrate one scenario on one row and simulate another row of the same system. Beside every
// error stands that of a trivial predictor, and skill = 1 - our error / trivial error.
//
// **Rules of the calibration**, chosen for what they mean and never fitted to a far end:
// 1. The framework's own cost per step is a constant of the loader (MlperfWorkload::framework_step, 0.3 ms more with
//    several hosts), or the whole loss of the near row where that is less.
// 2. PyTorch rows whose first batches came at the rate of the steady state (within 15 %) are limited by what one host
//    can read: that cap is found by simulation.
// 3. Any other loss is work that ranks of one host do one after the other at every step (network stack, copies): each
//    takes host_serial_step. It grows with the ranks of a host and not with the hosts.
// 4. A far end with more hosts repeats the near host. The storage behind them is assumed not to bind, since the near
// end
//    shows no limit of it: such a prediction is an upper bound and is scored as one too.
// 5. A family is UNKNOWN when settings differ that the model does not know, or when its far end crowds a host more and
//    its near end shows no contention to start from.
// 6. Transfer: the largest passing count is what the system can do, so the loss beyond 1. is aggregate read bandwidth.
//    Where the same system reads faster for another workload, bandwidth is not the limit and the case is UNKNOWN: work
//    per step and interference per second would explain one row equally and differ on the other accelerator.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/validate/measured_run.h"
#include "core/validate/mlperf_scenario.h"
#include "core/validate/mlperf_table.h"

namespace stallcast {

struct MlperfOutcome {
  double au = 0.0;
  double samples_per_s = 0.0;
};

// One family: same submitter, system, workload, accelerator; calibrated at the lowest count, predicted at the highest.
struct MlperfScalingCase {
  std::string id;
  MlperfRow near_end, far_end;
  MlperfFit fit;
  std::string limit;           // what the near end shows: "host reads", "host contention", "nothing"
  std::string unknown_reason;  // not empty: not identified, `predicted` is what the rules would say and is not scored
  MlperfOutcome predicted, measured, trivial;
  bool adds_hosts() const { return far_end.hosts != near_end.hosts; }
};

// One system and workload with both accelerators.
struct MlperfTransferCase {
  std::string id;
  MlperfRow h100, a100;  // the largest passing count of each
  MlperfFit from_h100, from_a100;
  std::string unknown_reason;  // of the count
  std::string carry_unknown_reason;
  double predicted_count = 0.0, measured_count = 0.0, trivial_count = 0.0;  // A100s that pass
  double predicted_au = 0.0, measured_au = 0.0, trivial_au = 0.0;           // of the H100 row, from the A100 row
};

// **Units** those of the errors: fractions (AU points / 100 or relative). Percentiles are of the absolute errors.
struct MlperfScore {
  std::size_t cases = 0;
  double bias = 0.0;  // predicted - measured
  double mean = 0.0, median = 0.0, p90 = 0.0, worst = 0.0;
  double trivial_mean = 0.0;
  double skill = 0.0;  // 1 - mean / trivial_mean
};
// **Shape** the two vectors hold the same cases in the same order.
MlperfScore score_errors(const std::vector<double>& errors, const std::vector<double>& trivial_errors);

struct MlperfScalingSummary {
  std::string name;           // "same hosts", "hosts added", "all answered", "unknown included"
  MlperfScore au;             // points / 100
  MlperfScore samples_per_s;  // relative
  // Mean AU error of "halfway from the near end to the pass mark", which knows the benchmark's rule and no storage:
  // what there is to know beyond "no change" without any model. Never used for a prediction.
  double halfway_mean = 0.0;
};

// What a prediction takes from elsewhere, open to doubt: run with other values to see what hangs on it.
struct MlperfAssumptions {
  double framework_scale = 1.0;  // on MlperfWorkload::framework_step; 0 = every loss is contention
};

struct MlperfReport {
  std::vector<MlperfScalingCase> scaling;
  std::vector<MlperfScalingSummary> scaling_summary;
  std::vector<MlperfTransferCase> transfer;
  double bound_kept = 0.0;           // fraction of answered families with added hosts at most 2 points above predicted
  MlperfScore transfer_count;        // relative
  double transfer_bound_kept = 0.0;  // fraction of answered cases whose published count is at most 1.1 x predicted
  MlperfScore carry_au;              // points / 100
  std::vector<UnknownRun> unknown;
};

// Largest mean error and least skill of the scaling test that count as a pass.
inline constexpr double kMlperfPassError = 0.02;
inline constexpr double kMlperfPassSkill = 0.4;

using MlperfProgress = std::function<void(std::size_t done, std::size_t total)>;

// Runs both tests on all cases of `table`, several at a time on threads; the same table gives the same report.
// `progress` is called after each case, never by two threads at once.
// **Cost** tens of simulations per case, about five core-seconds for the published table.
// **Checked by** tests/core/validate/mlperf_test.cpp
MlperfReport run_mlperf_tests(const MlperfTable& table, const MlperfProgress& progress = {},
                              const MlperfAssumptions& assumptions = {});

}  // namespace stallcast
