#include "core/plan/explain/worker_curve.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "core/plan/explain/changes.h"
#include "core/result/run_result.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

std::int64_t knee_of(const std::vector<WorkerPoint>& points) {
  double best = 0.0;
  for (const WorkerPoint& point : points) best = std::max(best, point.gpu_utilization.mean);
  for (const WorkerPoint& point : points)
    if (point.gpu_utilization.mean >= best - kKneeLoss) return point.num_workers;
  return 0;
}

}  // namespace

std::vector<std::int64_t> worker_counts(const Scenario& s) {
  const auto cores = static_cast<std::int64_t>(s.cluster.cores_per_node / static_cast<double>(s.cluster.gpus_per_node));
  const std::int64_t most = std::clamp<std::int64_t>(2 * std::max(cores, s.loader.num_workers), 2, kMostWorkersTried);
  std::set<std::int64_t> counts = {1, std::max<std::int64_t>(1, s.loader.num_workers)};
  for (std::int64_t n = 2; n <= most; n *= 2) counts.insert(n);
  return {counts.begin(), counts.end()};
}

WorkerCurve worker_curve(const Scenario& job, const PairedTrials& trials, const RunOptions& options) {
  WorkerCurve curve;
  const auto add = [&](const std::vector<std::int64_t>& counts) {
    std::vector<std::optional<WorkerPoint>> found(counts.size());
    parallel_for(static_cast<std::int64_t>(counts.size()), options.threads, [&](std::int64_t i) {
      if (options.stop.stop_requested()) return;
      const auto at = counts.size() - 1 - static_cast<std::size_t>(i);  // what takes longest goes first
      Scenario s = job;
      s.loader.num_workers = counts[at];
      const RunResult run = counts[at] == job.loader.num_workers ? trials.base() : trials.of(s);
      if (!options.stop.stop_requested()) found[at] = {counts[at], trials.utilization(run), run.host_memory.loader};
    });
    for (const auto& point : found) {
      if (point) curve.points.push_back(*point);
      curve.complete = curve.complete && point;
    }
    std::sort(curve.points.begin(), curve.points.end(),
              [](const WorkerPoint& a, const WorkerPoint& b) { return a.num_workers < b.num_workers; });
    curve.knee = knee_of(curve.points);
  };
  const std::vector<std::int64_t> counts = worker_counts(job);
  add(counts);
  // Between the knee and what is too few lies the number that is just enough.
  const auto knee = std::find(counts.begin(), counts.end(), curve.knee);
  if (curve.complete && knee != counts.end() && knee != counts.begin()) {
    const std::int64_t between = (*std::prev(knee) + *knee) / 2;
    if (between != *std::prev(knee)) add({between});
  }
  return curve;
}

}  // namespace stallcast
