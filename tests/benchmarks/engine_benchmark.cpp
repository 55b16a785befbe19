// How fast the engine is: events, flows and samples per second of wall time.
#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <vector>

#include "core/engine/barrier.h"
#include "core/engine/core_pool.h"
#include "core/engine/event_queue.h"
#include "core/engine/flow_network.h"
#include "core/engine/mailbox.h"
#include "core/engine/random_stream.h"
#include "core/engine/simulator.h"

namespace stallcast {
namespace {

// ------------------------------------------------------- M/M/1: two holds, an arrival's and a service's, per customer

struct Queue {
  Simulator sim;
  Mailbox<SimTime> waiting{sim};
  double sojourn_s = 0.0;
  std::int64_t served = 0;
};

Process arrive(Simulator& sim, Queue& queue, std::int64_t customers) {
  RandomStream draw(1, DrawPurpose::kTest, 1);
  for (std::int64_t i = 0; i < customers; ++i) {
    co_await sim.delay(to_ns(draw.exponential(1.0 / 0.75)));
    queue.waiting.put(sim.now());
  }
}

Process serve(Simulator& sim, Queue& queue) {
  RandomStream draw(1, DrawPurpose::kTest, 2);
  for (;;) {
    const SimTime came = co_await queue.waiting.get();
    co_await sim.delay(to_ns(draw.exponential(1.0)));
    queue.sojourn_s += to_seconds(sim.now() - came);
    ++queue.served;
  }
}

void BM_MM1(benchmark::State& state) {
  constexpr std::int64_t kCustomers = 1'000'000;
  for (auto _ : state) {
    Queue queue;
    queue.sim.spawn(arrive(queue.sim, queue, kCustomers));
    queue.sim.spawn(serve(queue.sim, queue));
    queue.sim.run();
    state.counters["mean_sojourn"] = queue.sojourn_s / static_cast<double>(queue.served);  // 1 / (1 - 0.75) = 4
  }
  state.SetItemsProcessed(state.iterations() * 2 * kCustomers);
}
BENCHMARK(BM_MM1)->Unit(benchmark::kMillisecond);

// ------------------------ the bare queue and the bare heap, hold model: pop, push later, beside `far` that never come

template <class Queue>
void hold(benchmark::State& state, std::int64_t far) {
  Queue queue;
  std::uint64_t order = 0, random = 88172645463325252ULL;
  const auto later = [&random] {  // xorshift64: the draw must not cost more than the queue
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return static_cast<SimTime>(random >> 40);
  };
  for (std::int64_t i = 0; i < far; ++i) queue.push({kNever, order++, nullptr});
  for (std::int64_t i = 0; i < state.range(0); ++i) queue.push({later(), order++, nullptr});
  for (auto _ : state) {
    const Event event = queue.pop();
    queue.push({event.time + later(), order++, event.process});
  }
  state.SetItemsProcessed(state.iterations());
}
void BM_EventQueueHold(benchmark::State& state) { hold<EventQueue>(state, 0); }
void BM_HeapHold(benchmark::State& state) { hold<QuadHeap<Event>>(state, 0); }
// As in the loader pipeline below: a few waits for the disk before many trainers' steps.
void BM_EventQueueFewNear(benchmark::State& state) { hold<EventQueue>(state, 512); }
void BM_HeapFewNear(benchmark::State& state) { hold<QuadHeap<Event>>(state, 512); }
BENCHMARK(BM_EventQueueHold)->RangeMultiplier(10)->Range(100, 1'000'000);
BENCHMARK(BM_HeapHold)->RangeMultiplier(10)->Range(100, 1'000'000);
BENCHMARK(BM_EventQueueFewNear)->RangeMultiplier(2)->Range(2, 64);
BENCHMARK(BM_HeapFewNear)->RangeMultiplier(2)->Range(2, 64);

// -------------------------------- flows: each of n ends and starts anew, classes behind one tier with links of their
// own

Process flow_for_ever(Simulator& sim, FlowNetwork& network, FlowNetwork::ClassId cls, std::uint64_t who) {
  (void)sim;
  RandomStream draw(1, DrawPurpose::kTest, who);
  for (;;) co_await network.transfer(cls, draw.exponential(1.0));
}

// range: flows, classes, what binds (0 the tier, 1 every class's link, 2 the cap per flow hovers around the tier's
// share)
void BM_Flows(benchmark::State& state) {
  Simulator sim;
  FlowNetwork network(sim);
  const auto flows = state.range(0), classes = state.range(1);
  const double n = static_cast<double>(flows), per_class = n / static_cast<double>(classes);
  const auto tier = network.add_link(state.range(2) == 1 ? 2.0 * n : n);
  std::vector<FlowNetwork::ClassId> ids;
  for (std::int64_t c = 0; c < classes; ++c) {
    const std::array path{tier, network.add_link(state.range(2) == 1 ? per_class : 2.0 * per_class)};
    ids.push_back(network.add_class(path, state.range(2) == 2 ? 1.0 : FlowNetwork::kUnlimited));
  }
  for (std::int64_t i = 0; i < flows; ++i)
    sim.spawn(flow_for_ever(sim, network, ids[static_cast<std::size_t>(i % classes)], static_cast<std::uint64_t>(i)));
  sim.run(to_ns(0.5));
  for (auto _ : state) sim.run(sim.now() + to_ns(1e4 / n));
  state.SetItemsProcessed(static_cast<std::int64_t>(network.moved(tier)) - flows / 2);  // mean amount 1
}
BENCHMARK(BM_Flows)
    ->Args({100, 1, 0})
    ->Args({4096, 64, 0})
    ->Args({4096, 64, 1})
    ->Args({4096, 64, 2})
    ->Args({100'000, 1000, 0})
    ->Args({100'000, 1000, 1})
    ->Args({100'000, 1000, 2})
    ->Unit(benchmark::kMillisecond);

// -------------- loaders at sample fidelity: ranks x 8 workers, batches of 32, one disk and one 32-core pool shared by
// all

struct LoaderRank {
  explicit LoaderRank(Simulator& sim) : arrived(sim) {
    for (int w = 0; w < 8; ++w) orders.emplace_back(sim);
  }
  std::vector<Mailbox<std::int64_t>> orders;  // batch numbers, by worker
  Mailbox<std::int64_t> arrived;
  std::array<std::int64_t, 64> ready{};  // by batch modulo 64: its number once arrived
};

struct Pipeline {
  Pipeline(std::int64_t ranks_, std::int64_t steps_)
      : ranks(ranks_), steps(steps_), barrier(sim, ranks_), cores(sim, 32.0) {
    const std::array path{disk.add_link(2e9)};
    disk_class = disk.add_class(path);
  }
  std::int64_t ranks, steps;
  Simulator sim;
  FlowNetwork disk{sim};
  FlowNetwork::ClassId disk_class{};
  Barrier barrier;
  CorePool cores;
  std::vector<std::unique_ptr<LoaderRank>> loaders;
};

constexpr std::int64_t kBatch = 32, kWorkers = 8, kPrefetch = 2;

Process load(Simulator& sim, Pipeline& pipeline, LoaderRank& rank, std::uint64_t entity, std::size_t worker) {
  RandomStream latency(1, DrawPurpose::kLatency, entity);
  CorePool::LastCore core;
  for (;;) {
    const std::int64_t batch = co_await rank.orders[worker].get();
    if (batch < 0) co_return;
    for (std::int64_t i = 0; i < kBatch; ++i) {
      co_await sim.delay(to_ns(latency.exponential(0.5e-3)));
      co_await pipeline.disk.transfer(pipeline.disk_class, 150e3);
      co_await pipeline.cores.run(1e-3, core);
    }
    rank.arrived.put(batch);
  }
}

Process train(Simulator& sim, Pipeline& pipeline, LoaderRank& rank) {
  rank.ready.fill(-1);
  std::int64_t sent = 0;
  const auto hand_out = [&] {
    if (sent == pipeline.steps) return;
    rank.orders[static_cast<std::size_t>(sent % kWorkers)].put(sent);
    ++sent;
  };
  for (std::int64_t i = 0; i < kWorkers * kPrefetch; ++i) hand_out();
  for (std::int64_t step = 0; step < pipeline.steps; ++step) {
    while (rank.ready[static_cast<std::size_t>(step % 64)] != step) {
      const std::int64_t batch = co_await rank.arrived.get();
      rank.ready[static_cast<std::size_t>(batch % 64)] = batch;
    }
    hand_out();
    co_await sim.delay(SimTime{50'000'000});
    co_await pipeline.barrier.arrive();
  }
  for (auto& orders : rank.orders) orders.put(-1);
}

void BM_LoaderPipeline(benchmark::State& state) {
  const std::int64_t ranks = state.range(0), steps = std::max<std::int64_t>(20, 2000 / ranks);
  for (auto _ : state) {
    Pipeline pipeline(ranks, steps);
    for (std::int64_t r = 0; r < ranks; ++r) {
      pipeline.loaders.push_back(std::make_unique<LoaderRank>(pipeline.sim));
      LoaderRank& rank = *pipeline.loaders.back();
      pipeline.sim.spawn(train(pipeline.sim, pipeline, rank));
      for (std::size_t w = 0; w < kWorkers; ++w)
        pipeline.sim.spawn(load(pipeline.sim, pipeline, rank, static_cast<std::uint64_t>(r) * kWorkers + w, w));
    }
    pipeline.sim.run();
    state.counters["simulated_s"] = to_seconds(pipeline.sim.now());
    state.counters["events"] = static_cast<double>(pipeline.sim.events());
  }
  state.SetItemsProcessed(state.iterations() * ranks * steps * kBatch);
}
BENCHMARK(BM_LoaderPipeline)->Arg(1)->Arg(8)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stallcast
