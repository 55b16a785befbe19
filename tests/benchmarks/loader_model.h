// A data loader at sample fidelity: ranks x 8 workers, batches of 32, one disk and one pool of cores shared by all.
//
// Per sample a worker waits for the first byte, shares the disk, then shares the cores. A trainer takes batches in
// order, hands out the next one, computes, and meets the others at a barrier.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/engine/barrier.h"
#include "core/engine/core_pool.h"
#include "core/engine/flow_network.h"
#include "core/engine/mailbox.h"
#include "core/engine/random_stream.h"
#include "core/engine/simulator.h"

namespace stallcast::benchmarks {

struct LoaderRank {
  explicit LoaderRank(Simulator& sim) : arrived(sim) {
    for (std::int64_t w = 0; w < kWorkers; ++w) orders.emplace_back(sim);
  }
  static constexpr std::int64_t kWorkers = 8;
  std::vector<Mailbox<std::int64_t>> orders;  // batch numbers, by worker
  Mailbox<std::int64_t> arrived;
  std::array<std::int64_t, 64> ready{};  // by batch modulo 64: its number once arrived
};

struct LoaderPipeline {
  static constexpr std::int64_t kBatch = 32;    // samples
  static constexpr std::int64_t kPrefetch = 2;  // batches per worker
  static constexpr double kCores = 32.0;
  static constexpr double kDiskBytesPerS = 2e9;
  static constexpr double kLatencyS = 0.5e-3;  // mean, exponential
  static constexpr double kSampleBytes = 150e3;
  static constexpr double kDecodeS = 1e-3;  // on one core alone

  LoaderPipeline(std::int64_t ranks_, std::int64_t steps_, double step_s_)
      : ranks(ranks_), steps(steps_), step_s(step_s_), barrier(sim, ranks_), cores(sim, kCores) {
    const std::array path{disk.add_link(kDiskBytesPerS)};
    disk_class = disk.add_class(path);
  }
  std::int64_t samples() const { return ranks * steps * kBatch; }

  std::int64_t ranks, steps;
  double step_s;  // what a trainer computes after each batch
  Simulator sim;
  FlowNetwork disk{sim};
  FlowNetwork::ClassId disk_class{};
  Barrier barrier;
  CorePool cores;
  std::vector<std::unique_ptr<LoaderRank>> loaders;
};

// About what one worker takes for a batch (32 x 1.6 ms): a rank alone keeps one of its eight workers awake.
inline constexpr double kLongStepS = 50e-3;
// Less than eight workers take for one (6.3 ms): all of them are awake and the trainers wait, however many ranks.
inline constexpr double kShortStepS = 5e-3;

// Steps that are enough to look at, and not so many that a thousand ranks take minutes.
inline std::int64_t loader_steps(std::int64_t ranks) { return std::max<std::int64_t>(20, 2000 / ranks); }

inline Process load(Simulator& sim, LoaderPipeline& pipeline, LoaderRank& rank, std::uint64_t entity,
                    std::size_t worker) {
  RandomStream latency(1, DrawPurpose::kLatency, entity);
  CorePool::LastCore core;
  for (;;) {
    const std::int64_t batch = co_await rank.orders[worker].get();
    if (batch < 0) co_return;
    for (std::int64_t i = 0; i < LoaderPipeline::kBatch; ++i) {
      co_await sim.delay(to_ns(latency.exponential(LoaderPipeline::kLatencyS)));
      co_await pipeline.disk.transfer(pipeline.disk_class, LoaderPipeline::kSampleBytes);
      co_await pipeline.cores.run(LoaderPipeline::kDecodeS, core);
    }
    rank.arrived.put(batch);
  }
}

inline Process train(Simulator& sim, LoaderPipeline& pipeline, LoaderRank& rank) {
  rank.ready.fill(-1);
  std::int64_t sent = 0;
  const auto hand_out = [&] {
    if (sent == pipeline.steps) return;
    rank.orders[static_cast<std::size_t>(sent % LoaderRank::kWorkers)].put(sent);
    ++sent;
  };
  for (std::int64_t i = 0; i < LoaderRank::kWorkers * LoaderPipeline::kPrefetch; ++i) hand_out();
  for (std::int64_t step = 0; step < pipeline.steps; ++step) {
    while (rank.ready[static_cast<std::size_t>(step % 64)] != step) {
      const std::int64_t batch = co_await rank.arrived.get();
      rank.ready[static_cast<std::size_t>(batch % 64)] = batch;
    }
    hand_out();
    co_await sim.delay(to_ns(pipeline.step_s));
    co_await pipeline.barrier.arrive();
  }
  for (auto& orders : rank.orders) orders.put(-1);
}

inline void run_loader(LoaderPipeline& pipeline) {
  for (std::int64_t r = 0; r < pipeline.ranks; ++r) {
    pipeline.loaders.push_back(std::make_unique<LoaderRank>(pipeline.sim));
    LoaderRank& rank = *pipeline.loaders.back();
    pipeline.sim.spawn(train(pipeline.sim, pipeline, rank));
    for (std::size_t w = 0; w < LoaderRank::kWorkers; ++w)
      pipeline.sim.spawn(
          load(pipeline.sim, pipeline, rank, static_cast<std::uint64_t>(r) * LoaderRank::kWorkers + w, w));
  }
  pipeline.sim.run();
}

}  // namespace stallcast::benchmarks
