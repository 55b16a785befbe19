#include "core/engine/core_pool.h"

#include <gtest/gtest.h>

#include <array>

namespace stallcast {
namespace {

Process compute(Simulator& sim, CorePool& pool, SimTime start, double work, SimTime& end, std::int32_t last_core = -1) {
  CorePool::LastCore last{.core = last_core};
  co_await sim.delay(start);
  co_await pool.run(work, last);
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
  // 2 cores. A, B (3 core-seconds each) from 0; C (1) from 1 s. Until 1 s A and B have 1 each. Then three share two
  // cores at 2/3: C ends at 1 + 1.5 = 2.5 s; A and B have 1 + 1 = 2 by then and end with a core each at 3.5 s.
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

TEST(CorePool, TakesTurnsOnOneCore) {
  // Turns of 1 s. A (2.5) starts; B (1) waits until A's turn ends at 1, runs to its end at 2; A again until 3.5.
  Simulator sim;
  CorePool pool(sim, 1.0, CoreDiscipline::kOneQueue, 1'000'000'000);
  SimTime a = 0, b = 0;
  sim.spawn(compute(sim, pool, 0, 2.5, a));
  sim.spawn(compute(sim, pool, 0, 1.0, b));
  sim.run(2'500'000'000);
  EXPECT_EQ(pool.runnable(), 1);
  EXPECT_NEAR(pool.busy_core_seconds(), 2.5, 1e-12);
  sim.run();
  EXPECT_EQ(b, 2'000'000'000);
  EXPECT_EQ(a, 3'500'000'000);
}

TEST(CorePool, ThoseWhoComputeForLongTakeLongTurns) {
  // One core, turns of 3 ms, work of 1,000, 2,000 and 3,000 s. Shared evenly the first ends at 3,000 s, the second at
  // 3,000 + 2 * 1,000, the third at 6,000. Two million turns would do it; a turn may be a thousandth of what is left.
  for (const CoreDiscipline discipline : {CoreDiscipline::kOneQueue, CoreDiscipline::kQueuePerCore}) {
    Simulator sim;
    CorePool pool(sim, 1.0, discipline, 3'000'000);
    SimTime a = 0, b = 0, c = 0, late = 0;
    sim.spawn(compute(sim, pool, 0, 1000.0, a, 0));
    sim.spawn(compute(sim, pool, 0, 2000.0, b, 0));
    sim.spawn(compute(sim, pool, 0, 3000.0, c, 0));
    sim.spawn(compute(sim, pool, 500'000'000'000, 0.001, late, 0));  // 1 ms, from 500 s on
    sim.run();
    EXPECT_NEAR(to_seconds(a), 3000.0, 6.0);
    EXPECT_NEAR(to_seconds(b), 5000.0, 6.0);
    EXPECT_EQ(c, 6'000'001'000'000);
    EXPECT_LE(late, 500'004'000'000);  // a slice at most, then its own work
    EXPECT_LT(sim.events(), 50'000U);
  }
}

TEST(CorePool, ATurnOfSeveralSlicesEndsAfterOneWhenSomeoneWakes) {
  // One core, slices of 1 s, four to a turn. B has woken, so A's first turn ends at 1 s. B until 5, A until C wakes at
  // 6 with a slice of A's over: C until 6.5. Of its 6 s B has 2 left and ends at 8.5; A has 4 left and ends at 12.5.
  for (const CoreDiscipline discipline : {CoreDiscipline::kOneQueue, CoreDiscipline::kQueuePerCore}) {
    Simulator sim;
    CorePool pool(sim, 1.0, discipline, 1'000'000'000, 4);
    SimTime a = 0, b = 0, c = 0;
    sim.spawn(compute(sim, pool, 0, 6.0, a, 0));
    sim.spawn(compute(sim, pool, 0, 6.0, b, 0));
    sim.spawn(compute(sim, pool, 6'000'000'000, 0.5, c, 0));
    sim.run();
    EXPECT_EQ(c, 6'500'000'000);
    EXPECT_EQ(b, 8'500'000'000);
    EXPECT_EQ(a, 12'500'000'000);
  }
}

TEST(CorePool, ALateComerWaitsForTheTurnInProgress) {
  // Turns of 1 s. A (5) alone; B (0.5) comes at 3.25, when A's turn is long past its end: B runs at once, 3.25 to 3.75,
  // then A until 5.5.
  Simulator sim;
  CorePool pool(sim, 1.0, CoreDiscipline::kOneQueue, 1'000'000'000);
  SimTime a = 0, b = 0;
  sim.spawn(compute(sim, pool, 0, 5.0, a));
  sim.spawn(compute(sim, pool, 3'250'000'000, 0.5, b));
  sim.run();
  EXPECT_EQ(b, 3'750'000'000);
  EXPECT_EQ(a, 5'500'000'000);
}

TEST(CorePool, WhoWokeGoesBeforeWhoseTurnEnded) {
  // Turns of 1 s on one core: A (3), B (3) and, at 1.5 s, C (1). A 0-1, B 1-2; A waits since its turn ended, C since it
  // woke: C goes first, 2-3. Then A 3-4, B 4-5, A 5-6, B 6-7.
  Simulator sim;
  CorePool pool(sim, 1.0, CoreDiscipline::kOneQueue, 1'000'000'000);
  SimTime a = 0, b = 0, c = 0;
  sim.spawn(compute(sim, pool, 0, 3.0, a));
  sim.spawn(compute(sim, pool, 0, 3.0, b));
  sim.spawn(compute(sim, pool, 1'500'000'000, 1.0, c));
  sim.run();
  EXPECT_EQ(c, 3'000'000'000);
  EXPECT_EQ(a, 6'000'000'000);
  EXPECT_EQ(b, 7'000'000'000);
}

TEST(CorePool, AQueuePerCoreLeavesACoreIdleWhileSomeoneWaits) {
  // Two cores, long turns. C (5) on core 1, A (1) on core 0, B (1) queues at core 0, D (1) comes at 0.5 and queues at
  // core 1, its last. A 0-1, B 1-2; core 0 is idle from 2, but D waits for C: 5-6. With one queue D runs 2-3.
  for (const auto discipline : {CoreDiscipline::kQueuePerCore, CoreDiscipline::kOneQueue}) {
    Simulator sim;
    CorePool pool(sim, 2.0, discipline, 10'000'000'000);
    SimTime a = 0, b = 0, c = 0, d = 0;
    sim.spawn(compute(sim, pool, 0, 5.0, c, 1));
    sim.spawn(compute(sim, pool, 0, 1.0, a, 0));
    sim.spawn(compute(sim, pool, 0, 1.0, b, 0));
    sim.spawn(compute(sim, pool, 500'000'000, 1.0, d, 1));
    sim.run();
    EXPECT_EQ(a, 1'000'000'000);
    EXPECT_EQ(b, 2'000'000'000);
    EXPECT_EQ(c, 5'000'000'000);
    EXPECT_EQ(d, discipline == CoreDiscipline::kQueuePerCore ? 6'000'000'000 : 3'000'000'000);
    EXPECT_NEAR(pool.busy_core_seconds(), 8.0, 1e-12);
  }
}

constexpr std::array kQueues{CoreDiscipline::kOneQueue, CoreDiscipline::kQueuePerCore};

TEST(CorePool, CoresThatAllComputeHaveALowerClock) {
  // Four processes of 3 core-seconds on four cores of 0.75 of their clock: 4 s each. One alone: 3 s.
  for (const auto discipline : {CoreDiscipline::kFluid, CoreDiscipline::kOneQueue, CoreDiscipline::kQueuePerCore}) {
    for (const int processes : {1, 4}) {
      Simulator sim;
      CorePool pool(sim, 4.0, discipline, 1'000'000, 1, 0.25 / 3.0);
      std::array<SimTime, 4> end{};
      for (int i = 0; i < processes; ++i) sim.spawn(compute(sim, pool, i, 3.0, end[static_cast<std::size_t>(i)], i));
      sim.run();
      const double due = processes == 1 ? 3.0 : 4.0;
      // The fluid one keeps the clock with which it began: 1, 0.917, 0.833 and 0.75.
      if (discipline != CoreDiscipline::kFluid) EXPECT_NEAR(to_seconds(end[0]), due, 3.0 / 64);
      EXPECT_NEAR(to_seconds(end[static_cast<std::size_t>(processes - 1)]), due, 3.0 / 64);
    }
  }
}

TEST(CorePool, AClockThatFallsMeanwhileIsCounted) {
  // Two cores, 0.8. A (10) from 0, B (4) from 2 s: both at 0.8 until B ends at 7, when A has 2 + 4; A ends at 11.
  for (const auto discipline : kQueues) {
    Simulator sim;
    CorePool pool(sim, 2.0, discipline, 3'000'000, 1, 0.2);
    SimTime a = 0, b = 0;
    sim.spawn(compute(sim, pool, 0, 10.0, a, 0));
    sim.spawn(compute(sim, pool, 2'000'000'000, 4.0, b, 1));
    sim.run();
    EXPECT_NEAR(to_seconds(b), 7.0, 4.0 / 64);
    EXPECT_NEAR(to_seconds(a), 11.0, 10.0 / 64);
  }
}

Process compute_often(Simulator& sim, CorePool& pool, int times, double work, SimTime pause, SimTime& end) {
  CorePool::LastCore last;
  for (int i = 0; i < times; ++i) {
    co_await pool.run(work, last);
    if (pause > 0) co_await sim.delay(pause);
  }
  end = sim.now();
}

TEST(CorePool, WhatATurnLeavesUndoneIsDoneInTheNext) {
  // A computes all the time, B 10 ms and then pauses 13 ms, on two cores of 0.6. B's 10 ms take 10 / 0.6 ms, in which A
  // does 10 ms of work, and 13 ms while it pauses: A does 23 ms of work in 29.67 ms.
  constexpr int kTurns = 2000;
  for (const auto discipline : kQueues) {
    Simulator sim;
    CorePool pool(sim, 2.0, discipline, 3'000'000, 1, 0.4);
    SimTime a = 0, b = 0;
    sim.spawn(compute_often(sim, pool, kTurns, 7.7e-3, 0, a));
    sim.spawn(compute_often(sim, pool, 2 * kTurns, 10e-3, 13'000'000, b));
    sim.run();
    EXPECT_LT(a, b);
    const double ratio = (10.0 / 0.6 + 13.0) / 23.0;
    EXPECT_NEAR(to_seconds(a), 7.7e-3 * kTurns * ratio, 0.002 * to_seconds(a));
  }
}

}  // namespace
}  // namespace stallcast
