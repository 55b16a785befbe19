#include "core/plan/explain/worker_curve.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/plan/evaluate/evaluation.h"
#include "core/plan/explain/explain.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

constexpr double kPrecision = 0.01;
constexpr std::int64_t kMostWorkers = 1024;  // as the field takes

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
  const std::int64_t most = std::clamp<std::int64_t>(2 * std::max(cores, s.loader.num_workers), 2, kMostWorkers);
  std::set<std::int64_t> counts = {1, std::max<std::int64_t>(1, s.loader.num_workers)};
  for (std::int64_t n = 2; n <= most; n *= 2) {
    counts.insert(n);
    if (n + n / 2 <= most) counts.insert(n + n / 2);
  }
  return {counts.begin(), counts.end()};
}

WorkerCurve worker_curve(const Scenario& scenario, const RunResult& result, const RunOptions& options) {
  Scenario base = for_changes(scenario, result);
  base.run.precision = std::max(base.run.precision, kPrecision);
  const RunOptions quiet = one_of_many(options);
  const std::vector<std::int64_t> counts = worker_counts(scenario);
  std::vector<std::optional<WorkerPoint>> found(counts.size());
  parallel_for(static_cast<std::int64_t>(counts.size()), options.threads, [&](std::int64_t i) {
    if (options.stop.stop_requested()) return;
    const auto at = static_cast<std::size_t>(i);
    Scenario s = base;
    s.loader.num_workers = counts[at];
    const RunResult run = simulate(s, quiet);
    if (!options.stop.stop_requested()) found[at] = {counts[at], run.gpu_utilization, run.host_memory.loader};
  });
  WorkerCurve curve;
  for (const auto& point : found) {
    if (point) curve.points.push_back(*point);
    curve.complete = curve.complete && point;
  }
  curve.knee = knee_of(curve.points);
  return curve;
}

}  // namespace stallcast
