// Predicts a small real data loader on the user's own files, then runs it and compares.
//
//   measure what the parts cost alone: sleeping, handing over, decoding, reading              (measure_parts)
//   choose settings and predict every one of them                                             (predict_backtest)
//   in blocks: runs in random order, each predicted from the brackets before it and never
//   from a run; then decoding and reading alone once more, the next bracket                   (run_backtest)
//   score, and say whether the machine held still enough for a verdict                        (score_backtest, judge)
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/backtest/brackets.h"
#include "core/backtest/score.h"
#include "core/backtest/sweep.h"
#include "core/backtest/verdict.h"
#include "core/probe/result/probe_result.h"

namespace stallcast {

struct BacktestProgress {
  std::string doing;  // "decode, 4 workers"
  std::size_t done = 0, total = 0;
};

struct BacktestOptions {
  BacktestSweepOptions sweep;
  double parts_seconds = 17.0;                            // for all brackets, about
  double parts_bytes = 4.8 * 1073741824.0;                // that measure_parts and all brackets may read
  std::function<void(const BacktestProgress&)> progress;  // empty = nobody watches
  std::stop_token stop;
};

struct Backtest {
  std::string target;
  SampleFiles files;
  BacktestInputs inputs;  // as known before any run
  BacktestSweepOptions options;
  std::vector<Workload> workloads;
  std::vector<SettingOutcome> outcomes;  // by workload, then workers
  std::string predicted_at;              // UTC, when the last prediction was made
  std::string started_at, ended_at;      // of the runs
  std::vector<Bracket> brackets;         // in order of time, some before the first run and one after the last
  HostUse use;                           // during the runs, their mean
  double load_before = 0.0;              // load average when the runs began
  bool interrupted = false;
  BacktestScore score;
  BacktestVerdict verdict;
  std::vector<BacktestDoubt> doubts;
};

// Brackets before the first run, so that there is a noise to speak of, and blocks of runs with a bracket after each.
inline constexpr int kFirstBrackets = 3;
inline constexpr int kBlocks = 8;

// What is known before anything has run: the storage from `probe` and its fit, what the other parts cost, and the first
// brackets.
struct MeasuredParts {
  BacktestInputs inputs;
  std::vector<Bracket> brackets;
};
// **Errors** WorldError of a file, or when there are no threads.
MeasuredParts measure_parts(const SampleFiles& files, const ProbeResult& probe, StorageFit storage,
                            const BacktestOptions& options);

// Settings and predictions; nothing has run.
Backtest predict_backtest(std::string target, SampleFiles files, MeasuredParts parts, const BacktestOptions& options);

// Every setting once in random order, then again in another, and so on: a function of the seed. Neighbours in time are
// never neighbours in a curve, and the repeats of a setting are far apart.
std::vector<std::size_t> run_order(std::size_t settings, const BacktestSweepOptions& options);

// Runs the settings of `backtest` and scores. When stopped, settings that have not finished a run are left out.
// **Errors** WorldError of a file that has gone or changed.
void run_backtest(Backtest& backtest, const BacktestOptions& options);

}  // namespace stallcast
