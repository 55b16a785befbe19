// A job with nothing in it but what a test adds, and its timeline in whole nanoseconds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/model/training_model.h"

namespace stallcast {

inline constexpr SimTime kMs = 1'000'000;

// One rank, steps of 10 ms, batches of one sample; storage, cores, hand-over and start-up take no time.
inline Scenario bare_job(std::int64_t steps) {
  Scenario s;
  s.cluster.cores_per_node = 64;
  s.workload.step_time = Distribution::constant(0.01);
  s.dataset.layout = DatasetLayout::kRecords;
  s.loader.num_workers = 1;
  s.loader.prefetch_factor = 1;
  s.run.steps_per_epoch = steps;
  s.run.whole_run = true;
  return s;
}

struct ModelRun {
  StepLog log;
  std::vector<SimTime> end_ns;  // by step
  SimTime finished = 0;         // clock when nothing was left to do
  double read_bytes = 0.0;
  double written_bytes = 0.0;
  double requests = 0.0;
  std::int64_t checkpoints = 0;
  std::vector<CheckpointLog> checkpoint_log;
  std::vector<double> checkpoint_s;  // time that training stood still for each
};

// Runs `s` to its end, with the draws in `ranks` in place of random ones when there are any.
inline ModelRun run_model(const Scenario& s, std::vector<ReplayedDraws::Rank> ranks = {}, std::uint64_t seed = 1) {
  std::shared_ptr<const ReplayedDraws> replay;
  if (!ranks.empty()) replay = std::make_shared<const ReplayedDraws>(ReplayedDraws{std::move(ranks)});
  TrainingModel model(s, seed, replay, nullptr);
  model.run(std::numeric_limits<std::int64_t>::max(), [](std::int64_t) { return true; });
  ModelRun out;
  out.log = model.log();
  for (const double end : out.log.end_s) out.end_ns.push_back(std::llround(end * 1e9));
  out.finished = model.simulator().now();
  out.read_bytes = model.tier().read_bytes();
  out.written_bytes = model.tier().written_bytes();
  out.requests = model.tier().requests();
  out.checkpoint_log = model.checkpointer().log();
  out.checkpoints = static_cast<std::int64_t>(out.checkpoint_log.size());
  for (const CheckpointLog& entry : out.checkpoint_log) out.checkpoint_s.push_back(entry.resumed_s - entry.due_s);
  return out;
}

// {1, 2, 3} ms in nanoseconds.
inline std::vector<SimTime> in_ms(std::vector<SimTime> values) {
  for (SimTime& value : values) value *= kMs;
  return values;
}

inline std::vector<double> in_seconds(const std::vector<SimTime>& values) {
  std::vector<double> out;
  for (const SimTime value : values) out.push_back(to_seconds(value));
  return out;
}

}  // namespace stallcast
