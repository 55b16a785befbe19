// Every point of a space, simulated and priced on all cores, kept as soon as it is finished.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "core/plan/sweep/point_runner.h"
#include "core/plan/sweep/points_file.h"
#include "core/plan/sweep/shard.h"

namespace stallcast {

// How far a shard is.
struct SweepProgress {
  std::int64_t points = 0;    // of the shard
  std::int64_t finished = 0;  // of those, from earlier runs too
  std::int64_t failed = 0;    // of the finished: configurations that cannot be
  std::int64_t computed = 0;  // by this run
  double elapsed_s = 0.0;     // of this run

  double points_per_s() const { return elapsed_s > 0.0 ? static_cast<double>(computed) / elapsed_s : 0.0; }
  // Until the shard is finished, at the rate so far; 0 while it is not known.
  double left_s() const;
};

struct SweepOptions {
  unsigned threads = 0;                                // 0 = one per core
  std::function<void(const SweepProgress&)> progress;  // after every point, by one thread at a time
  double spent_s = 0.0;                                // before, on runs that the runner keeps: counts as time
  std::stop_token stop;                                // that of the runner: ends with what is finished
};

// Computes the points of `shard`, of `points` in all, that `file` does not have, and adds them to it.
// **Errors** WorldError when the file cannot be written.
SweepProgress run_sweep(PointRunner& runner, const Shard& shard, std::int64_t points, PointsFile& file,
                        const SweepOptions& options);

// What a sweep would take.
struct SweepEstimate {
  std::int64_t points = 0;  // still to compute
  double point_s = 0.0;     // of one, on one core: mean of those measured
  double total_s = 0.0;     // on all threads
  double spent_s = 0.0;     // on measuring
  bool too_much() const { return points > kAskedPoints || total_s > kAskedSeconds; }

  // Beyond either the person is asked first.
  static constexpr std::int64_t kAskedPoints = 100'000;
  static constexpr double kAskedSeconds = 3600.0;
};

// Computes a few of the shard's points, evenly spread over it, for a second or two, or one where that takes longer. The
// runner keeps their runs.
// **Cost** no memory and no time for the points that are not measured
SweepEstimate estimate_sweep(PointRunner& runner, const Shard& shard, std::int64_t points, std::int64_t had_points,
                             unsigned threads);

}  // namespace stallcast
