// A loader pipeline without chance against its max-plus recurrence, to the nanosecond.
//
// W workers, P batches handed out ahead per worker, batch i made by worker i mod W, taken in order:
//   handed(i) = 0 for i < W P, else taken(i - W P)              a new index is issued when a batch is taken
//   made(i)   = max(handed(i), made(i - W)) + work(i)            a worker makes one batch at a time
//   taken(i)  = max(made(i), taken(i - 1) + step)                the consumer computes between two batches
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/engine/mailbox.h"
#include "core/engine/random_stream.h"
#include "core/engine/simulator.h"
#include "core/run/simulate.h"

namespace stallcast {
namespace {

struct Pipeline {
  std::int64_t workers, prefetch, batches;
  SimTime step;
  std::vector<SimTime> work;  // by batch
};

std::vector<SimTime> recurrence(const Pipeline& p) {
  std::vector<SimTime> made(static_cast<std::size_t>(p.batches)), taken(made.size());
  const auto ahead = static_cast<std::size_t>(p.workers * p.prefetch), workers = static_cast<std::size_t>(p.workers);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const SimTime handed = i < ahead ? 0 : taken[i - ahead];
    made[i] = std::max(handed, i < workers ? 0 : made[i - workers]) + p.work[i];
    taken[i] = i == 0 ? made[i] : std::max(made[i], taken[i - 1] + p.step);
  }
  return taken;
}

struct Parts {
  Parts(Simulator& sim, const Pipeline& p)
      : pipeline(p), orders(static_cast<std::size_t>(p.workers), Mailbox<std::size_t>(sim)), made(sim) {}
  const Pipeline& pipeline;
  std::vector<Mailbox<std::size_t>> orders;
  Mailbox<std::size_t> made;
};

Process make(Simulator& sim, Parts& parts, std::size_t worker) {
  for (;;) {
    const std::size_t batch = co_await parts.orders[worker].get();
    co_await sim.delay(parts.pipeline.work[batch]);
    parts.made.put(batch);
  }
}

Process consume(Simulator& sim, Parts& parts, std::vector<SimTime>& taken) {
  const auto batches = static_cast<std::size_t>(parts.pipeline.batches);
  std::vector<bool> here(batches);
  std::size_t handed = 0;
  const auto hand_out = [&] {
    if (handed == batches) return;
    parts.orders[handed % parts.orders.size()].put(handed);
    ++handed;
  };
  for (std::int64_t i = 0; i < parts.pipeline.workers * parts.pipeline.prefetch; ++i) hand_out();
  for (std::size_t batch = 0; batch < batches; ++batch) {
    while (!here[batch]) here[co_await parts.made.get()] = true;
    taken.push_back(sim.now());
    hand_out();
    co_await sim.delay(parts.pipeline.step);
  }
}

std::vector<SimTime> simulated(const Pipeline& p) {
  Simulator sim;
  Parts parts(sim, p);
  std::vector<SimTime> taken;
  for (std::size_t w = 0; w < static_cast<std::size_t>(p.workers); ++w) sim.spawn(make(sim, parts, w));
  sim.spawn(consume(sim, parts, taken));
  sim.run();
  return taken;
}

TEST(Pipeline, ByHand) {
  // Two workers, one batch ahead each, work 5, step 1. made 5, 5; taken 5, 6; handed(2) = 5, made 10; handed(3) = 6,
  // made 11; taken 10, 11.
  const Pipeline p{2, 1, 4, 1, std::vector<SimTime>(4, 5)};
  EXPECT_EQ(recurrence(p), (std::vector<SimTime>{5, 6, 10, 11}));
  EXPECT_EQ(simulated(p), recurrence(p));
}

TEST(Pipeline, ConstantWorkEqualsTheRecurrence) {
  for (std::int64_t workers : {1, 2, 3, 8})
    for (std::int64_t prefetch : {1, 2, 4})
      for (SimTime step : {SimTime{0}, SimTime{999'983}, SimTime{7'000'003}, SimTime{40'000'001}}) {
        const Pipeline p{workers, prefetch, 200, step, std::vector<SimTime>(200, 17'000'023)};
        ASSERT_EQ(simulated(p), recurrence(p)) << workers << " workers, prefetch " << prefetch << ", step " << step;
      }
}

TEST(Pipeline, RandomWorkEqualsTheRecurrence) {
  // Slow batches block finished later ones in both.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream draw(seed, DrawPurpose::kTest, 0);
    Pipeline p{static_cast<std::int64_t>(1 + 8 * draw.uniform()),
               static_cast<std::int64_t>(1 + 4 * draw.uniform()),
               500,
               5'000'000,
               {}};
    for (std::int64_t i = 0; i < p.batches; ++i) p.work.push_back(to_ns(draw.exponential(20e-3)));
    ASSERT_EQ(simulated(p), recurrence(p)) << "seed " << seed;
  }
}

TEST(Pipeline, TheWholeModelEqualsTheRecurrence) {
  // One rank, a batch of one sample that costs decode time alone, cores for everyone, every other cost 0. The run ends
  // one step after the last batch is taken.
  for (std::int64_t workers : {1, 2, 5})
    for (std::int64_t prefetch : {1, 2})
      for (SimTime step : {SimTime{3'000'000}, SimTime{11'000'000}}) {
        const Pipeline p{workers, prefetch, 100, step, std::vector<SimTime>(100, 17'000'000)};
        Scenario s;
        s.cluster.cores_per_node = 64;
        s.workload.batch_size = 1;
        s.workload.step_time = Distribution::constant(to_seconds(step));
        s.dataset.sample_size = Distribution::constant(1.0);
        s.dataset.decode_time = Distribution::constant(17e-3);
        s.dataset.layout = DatasetLayout::kRecords;
        s.loader.num_workers = workers;
        s.loader.prefetch_factor = prefetch;
        s.run.whole_run = true;
        s.run.steps_per_epoch = p.batches;
        const RunResult result = simulate(s);
        EXPECT_EQ(to_ns(result.simulated_s), recurrence(p).back() + step)
            << workers << " workers, prefetch " << prefetch << ", step " << step;
        EXPECT_NEAR(result.au, static_cast<double>(p.batches * step) / static_cast<double>(recurrence(p).back() + step),
                    1e-9);
      }
}

}  // namespace
}  // namespace stallcast
