#include "core/plan/sweep/sweep.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "core/steps/parallel.h"
#include "core/units/stopwatch.h"

namespace stallcast {
namespace {

using Clock = std::chrono::steady_clock;

unsigned cores_of(unsigned threads) {
  return threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

double SweepProgress::left_s() const {
  return computed > 0 ? elapsed_s / static_cast<double>(computed) * static_cast<double>(points - finished) : 0.0;
}

SweepProgress run_sweep(PointRunner& runner, const Shard& shard, std::int64_t points, PointsFile& file,
                        const SweepOptions& options) {
  const Clock::time_point start = Clock::now();
  SweepProgress progress;
  progress.points = shard.size(points);
  progress.finished = file.had_points();
  progress.failed = file.had_failed();
  std::mutex mutex;
  const auto keep = [&](const FinishedPoint& point) {
    file.append(point.line);
    const std::scoped_lock lock(mutex);
    ++progress.finished;
    ++progress.computed;
    if (!point.is_fine) ++progress.failed;
    progress.elapsed_s = options.spent_s + seconds_since(start);
    if (options.progress) options.progress(progress);
  };
  parallel_for(progress.points, options.threads, [&](std::int64_t position) {
    if (file.had(position) || options.stop.stop_requested()) return;
    for (const FinishedPoint& point : runner.run(shard.point(position))) keep(point);
  });
  if (progress.computed > 0) file.sync();
  progress.elapsed_s = options.spent_s + seconds_since(start);
  return progress;
}

SweepEstimate estimate_sweep(PointRunner& runner, const Shard& shard, std::int64_t points, std::int64_t had_points,
                             unsigned threads) {
  constexpr std::int64_t kMeasured = 8;
  constexpr double kEnough_s = 1.0;
  const std::int64_t size = shard.size(points);
  const std::int64_t measured = std::min(kMeasured, size);
  SweepEstimate estimate;
  estimate.points = size - had_points;
  if (estimate.points == 0) return estimate;
  const Clock::time_point start = Clock::now();
  std::int64_t done = 0;
  while (done < measured && (done == 0 || seconds_since(start) < kEnough_s)) {
    (void)runner.run(shard.point(size / measured * done));
    ++done;
  }
  estimate.spent_s = seconds_since(start);
  estimate.point_s = estimate.spent_s / static_cast<double>(done);
  estimate.total_s = estimate.point_s * static_cast<double>(estimate.points) / cores_of(threads);
  return estimate;
}

}  // namespace stallcast
