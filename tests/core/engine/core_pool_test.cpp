#include "core/engine/core_pool.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

Process compute(Simulator& sim, CorePool& pool, SimTime start, double work, SimTime& end) {
  co_await sim.delay(start);
  co_await pool.run(work);
  end = sim.now();
}

TEST(CorePool, AProcessNeverRunsOnMoreThanOneCore) {
  Simulator sim;
  CorePool pool(sim, 4.0);
  SimTime end = 0;
  sim.spawn(compute(sim, pool, 0, 2.0, end));
  sim.run();
  EXPECT_EQ(end, 2'000'000'000);  // 2 core-seconds on one of the cores
  EXPECT_NEAR(pool.busy_core_seconds(), 2.0, 1e-9);
}

TEST(CorePool, SharesTheProcessor) {
  // 2 cores. A, B (3 core-seconds each) from 0; C (1) from 1 s. Until 1 s A and B have 1 each. Then three share two cores
  // at 2/3: C ends at 1 + 1.5 = 2.5 s; A and B have 1 + 1 = 2 by then and end with a core each at 3.5 s.
  Simulator sim;
  CorePool pool(sim, 2.0);
  SimTime a = 0, b = 0, c = 0;
  sim.spawn(compute(sim, pool, 0, 3.0, a));
  sim.spawn(compute(sim, pool, 0, 3.0, b));
  sim.spawn(compute(sim, pool, 1'000'000'000, 1.0, c));
  sim.run(2'000'000'000);
  EXPECT_EQ(pool.runnable(), 3);
  EXPECT_NEAR(pool.busy_core_seconds(), 4.0, 1e-9);
  sim.run();
  EXPECT_EQ(c, 2'500'000'000);
  EXPECT_EQ(a, 3'500'000'000);
  EXPECT_EQ(b, 3'500'000'000);
  EXPECT_NEAR(pool.busy_core_seconds(), 7.0, 1e-9);
  EXPECT_EQ(pool.runnable(), 0);
}

TEST(CorePool, HalfACoreTakesTwiceAsLong) {
  Simulator sim;
  CorePool pool(sim, 0.5);
  SimTime end = 0;
  sim.spawn(compute(sim, pool, 0, 1.0, end));
  sim.run();
  EXPECT_EQ(end, 2'000'000'000);
}

}  // namespace
}  // namespace stallcast
