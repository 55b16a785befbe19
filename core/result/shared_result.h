// What several jobs on one storage system measured: each alone and together, and the run timeline of who ran with whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/result/run_result.h"
#include "core/result/serving_result.h"

namespace stallcast {

// A job's results on an instance of its own, and beside the others.
struct SharedJob {
  std::string name;
  bool serves = false;        // loads a model; else it trains
  double start_s = 0.0;       // after the first job's start
  double end_s = 0.0;         // likewise; infinite when the length of the job is not given
  double alone_s = 0.0;       // time to train, or until all hosts are ready; infinite likewise
  double together_s = 0.0;    // likewise
  double slowdown = 1.0;      // together_s / alone_s; of a job without an end, how much slower it goes beside others
  RunResult alone, together;  // of a job that serves: its quantities for the bill
  ServingResult serving_alone, serving_together;
};

// A part of the run timeline in which the same jobs run.
struct SharedSpan {
  struct Part {
    std::size_t job = 0;            // index
    double rate = 1.0;              // progress, in parts of that of the job alone
    double read_bytes_per_s = 0.0;  // from the storage
    double gpu_utilization = 0.0;   // 0 for a job that serves
  };
  double start_s = 0.0;
  double end_s = 0.0;  // infinite when no job in it has an end
  std::vector<Part> parts;
};

struct SharedResult {
  std::vector<SharedJob> jobs;
  std::vector<SharedSpan> spans;  // in order, without gaps but where nobody runs
  bool converged = false;         // every rate was simulated to the asked precision
  bool stopped = false;           // before its end, as asked: figures are of what was done
  std::uint64_t events = 0;
  double wall_s = 0.0;  // real time the simulation took
};

}  // namespace stallcast
