#include "core/run/totals.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/scenario/checkpoint_shape.h"

namespace stallcast {

RunTotals stretch_totals(const Scenario& s, const TrainingModel& model, const RunResult& measured, double steps,
                         const ReadMix* mix) {
  const StorageTier& tier = model.tier();
  const double ranks = static_cast<double>(s.ranks());
  const double scale = steps / static_cast<double>(measured.steps);
  const LevelShares level_bytes = tier.level_bytes(), level_requests = tier.level_requests();
  RunTotals t;
  t.samples = static_cast<double>(measured.samples) * scale;
  t.useful_gpu_s = measured.au * measured.simulated_s * ranks * scale;
  // Batches read ahead and never trained are not part of the run: count by samples whose reads began.
  const double read = t.samples / std::max(1.0, static_cast<double>(tier.samples()));
  const double all_bytes = std::accumulate(level_bytes.begin(), level_bytes.end(), 0.0);
  const double all_requests = std::accumulate(level_requests.begin(), level_requests.end(), 0.0);
  const auto bytes_at = [&](ReadLevel level) {
    return read * (mix != nullptr ? all_bytes * mix->served[index_of(level)] : level_bytes[index_of(level)]);
  };
  const auto requests_at = [&](ReadLevel level) {
    return read * (mix != nullptr ? all_requests * mix->served[index_of(level)] : level_requests[index_of(level)]);
  };
  t.read_bytes = bytes_at(ReadLevel::kStorage);
  t.read_requests = requests_at(ReadLevel::kStorage);
  t.origin_read_bytes = bytes_at(ReadLevel::kOrigin);
  t.origin_read_requests = requests_at(ReadLevel::kOrigin);
  t.regional_read_bytes = bytes_at(ReadLevel::kRegionalCache);
  t.regional_read_requests = requests_at(ReadLevel::kRegionalCache);
  if (mix != nullptr) t.regional_ingest_bytes = read * all_bytes * mix->regional_fill;
  if (tier.requests() > 0) t.refused_requests = tier.refused_requests() * t.read_requests / tier.requests();
  t.written_bytes = measured.written_bytes * scale;
  t.write_requests = tier.write_requests() * scale;
  if (s.staging.method == StagingMethod::kLazy) {
    t.written_bytes += t.origin_read_bytes;
    t.write_requests += t.origin_read_requests;
  }
  return t;
}

void add(RunTotals& sum, const RunTotals& more) {
  for (const auto member : kSums) sum.*member += more.*member;
}

void whole_run(RunTotals& t, const Scenario& s, double training_s, double steps) {
  const double ranks = static_cast<double>(s.ranks());
  t.training_s = training_s;
  t.lost_gpu_s = std::max(0.0, t.training_s * ranks - t.useful_gpu_s);
  if (s.checkpoint.mode != CheckpointMode::kNone && s.checkpoint.interval_steps > 0) {
    t.checkpoints = std::floor(steps / static_cast<double>(s.checkpoint.interval_steps));
    t.checkpoint_bytes = checkpoint_shape(s).total;
  }
}

}  // namespace stallcast
