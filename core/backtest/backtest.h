// Predicts a small real data loader on the user's own files, then runs it and compares.
//
//   measure what the parts cost alone: decoding, sleeping, handing over, the CPU of a read   (measure_parts)
//   choose settings and predict every one of them                                             (predict_backtest)
//   run each setting some times in random order, never looking at a prediction                (run_backtest)
//   score                                                                                      (score_backtest)
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/backtest/score.h"
#include "core/backtest/sweep.h"
#include "core/probe/probe_result.h"

namespace stallcast {

struct BacktestProgress {
  std::string doing;  // "decode, 4 workers"
  std::size_t done = 0, total = 0;
};

struct BacktestOptions {
  SweepOptions sweep;
  double parts_bytes = 256.0 * 1048576.0;                 // that measure_parts may read
  std::function<void(const BacktestProgress&)> progress;  // empty = nobody watches
  std::stop_token stop;
};

// Something that makes this backtest say less than it would on a quiet machine with honest storage.
struct BacktestDoubt {
  std::string code;  // stable word: "noisy_machine", "page_cache", "decode_drifts", "probe"
  std::string text;  // one sentence with the figures
};

struct Backtest {
  std::string target;
  SampleFiles files;
  BacktestInputs inputs;
  SweepOptions options;
  std::vector<Workload> workloads;
  std::vector<SettingOutcome> outcomes;  // by workload, then workers
  std::string predicted_at;              // UTC, when the last prediction was made
  std::string started_at, ended_at;      // of the runs
  DecodeCost decode_after;               // alone on a core, after the runs
  HostUse use;                           // during the runs, their mean
  double load_before = 0.0;              // load average when the runs began
  bool interrupted = false;
  BacktestScore score;
  std::vector<BacktestDoubt> doubts;
};

// Inputs of all predictions: the storage from `probe` and its fit, the rest measured here in about 3 s.
// **Errors** WorldError of a file.
BacktestInputs measure_parts(const SampleFiles& files, const ProbeResult& probe, StorageFit storage,
                             const BacktestOptions& options);

// Settings and predictions; nothing has run.
Backtest predict_backtest(std::string target, SampleFiles files, BacktestInputs inputs, const BacktestOptions& options);

// Runs the settings of `backtest` and scores. When stopped, settings that have not finished a run are left out.
// **Errors** WorldError of a file that has gone or changed.
void run_backtest(Backtest& backtest, const BacktestOptions& options);

}  // namespace stallcast
