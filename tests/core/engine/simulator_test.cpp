#include "core/engine/simulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/engine/barrier.h"
#include "core/engine/flow_network.h"
#include "core/engine/mailbox.h"

namespace stallcast {
namespace {

using Log = std::vector<std::pair<std::string, SimTime>>;

Process say_after(Simulator& sim, Log& log, std::string name, SimTime wait) {
  co_await sim.delay(wait);
  log.emplace_back(name, sim.now());
}

TEST(SimTime, RoundsToTheNearestNanosecondHalvesAwayFromZero) {
  // Against the library's rounding: halves, their neighbours, and numbers on both sides of 2^51 ns, where to_ns changes
  // its way.
  std::vector<double> numbers{0.0, -0.0, 0x1p51 - 0.5, 0x1p51, 0x1p51 + 0.5, 0x1p52 - 0.5, 0x1p52 + 1, 9e18};
  for (double n = 0.5; n < 0x1p51; n = 3 * n + 1)
    numbers.insert(numbers.end(), {std::floor(n), std::floor(n) + 0.5, n});
  for (const double n : numbers)
    for (const double ns : {n, std::nextafter(n, 0.0), std::nextafter(n, 1e300)})
      for (const double seconds : {ns * 1e-9, -ns * 1e-9}) EXPECT_EQ(to_ns(seconds), std::llround(seconds * 1e9)) << ns;
  EXPECT_EQ(to_ns(2.5e-9), 3);
  EXPECT_EQ(to_ns(-2.5e-9), -3);
}

TEST(SimTime, BeyondTheClockIsNever) {
  EXPECT_EQ(to_ns(9.2e9), 9'200'000'000'000'000'000);
  for (const double seconds : {9.3e9, 1e300, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(to_ns(seconds), kNever);
    EXPECT_EQ(to_ns(-seconds), -kNever);
  }
  EXPECT_EQ(after(kNever - 5, 4), kNever - 1);
  EXPECT_EQ(after(kNever - 5, 5), kNever);
  EXPECT_EQ(after(kNever - 5, kNever), kNever);
}

// Two centuries fit on the clock, and two more do not.
TEST(Simulator, WhatIsBeyondTheClockNeverComes) {
  constexpr SimTime kCentury = 3'155'760'000'000'000'000;
  Simulator sim;
  Log log;
  const auto twice = [&log](Simulator& s) -> Process {
    co_await s.delay(2 * kCentury);
    log.emplace_back("once", s.now());
    co_await s.delay(2 * kCentury);
    log.emplace_back("twice", s.now());
  };
  sim.spawn(twice(sim));
  sim.spawn(say_after(sim, log, "never", kNever));
  sim.run();
  EXPECT_EQ(log, (Log{{"once", 2 * kCentury}}));
  EXPECT_EQ(sim.now(), 2 * kCentury);
  EXPECT_TRUE(sim.out_of_time());
}

TEST(Simulator, RunsInOrderOfTimeThenOfScheduling) {
  Simulator sim;
  Log log;
  sim.spawn(say_after(sim, log, "a", 20));
  sim.spawn(say_after(sim, log, "b", 10));
  sim.spawn(say_after(sim, log, "c", 20));
  sim.spawn(say_after(sim, log, "d", 0));
  sim.run();
  EXPECT_EQ(log, (Log{{"d", 0}, {"b", 10}, {"a", 20}, {"c", 20}}));
}

TEST(Simulator, WhatWasPendingForAnInstantComesBeforeWhatBecomesReadyInIt) {
  // At 10: "first" was scheduled first; it wakes "woken" (ready list). "second", pending since time 0, still comes
  // before.
  Simulator sim;
  Log log;
  Signal signal(sim);
  const auto waker = [](Simulator& s, Signal& to, Log& out) -> Process {
    co_await s.delay(SimTime{10});
    out.emplace_back("first", s.now());
    to.notify_all();
    co_await s.delay(SimTime{0});
    out.emplace_back("after a delay of nothing", s.now());
  };
  const auto woken = [](Simulator& s, Signal& from, Log& out) -> Process {
    co_await from.wait();
    out.emplace_back("woken", s.now());
  };
  sim.spawn(woken(sim, signal, log));
  sim.spawn(waker(sim, signal, log));
  sim.spawn(say_after(sim, log, "second", 10));
  sim.run();
  EXPECT_EQ(log, (Log{{"first", 10}, {"second", 10}, {"woken", 10}, {"after a delay of nothing", 10}}));
}

TEST(Simulator, TimersAndEventsOfOneInstantKeepSchedulingOrder) {
  Simulator sim;
  Log log;
  struct Owner {
    Log* log;
    Simulator* sim;
    Timer timer;
    std::string name;
  };
  const auto make = [&](std::string name) {
    auto owner = std::make_unique<Owner>(Owner{&log, &sim, {}, std::move(name)});
    owner->timer.owner = owner.get();
    owner->timer.action = [](void* o) {
      auto& self = *static_cast<Owner*>(o);
      self.log->emplace_back(self.name, self.sim->now());
    };
    return owner;
  };
  auto early = make("timer set first"), late = make("timer set last"), moved = make("timer moved"),
       unset = make("never");
  sim.set_timer(early->timer, 10);
  sim.set_timer(moved->timer, 5);
  sim.set_timer(unset->timer, 7);
  sim.spawn(say_after(sim, log, "process", 10));  // its delay is scheduled when run() starts it
  const auto setter = [](Simulator& s, Owner& owner) -> Process {
    s.set_timer(owner.timer, 10);
    co_return;
  };
  sim.spawn(setter(sim, *late));
  sim.spawn(setter(sim, *moved));
  sim.set_timer(unset->timer, kNever);
  sim.run();
  EXPECT_EQ(log, (Log{{"timer set first", 10}, {"process", 10}, {"timer set last", 10}, {"timer moved", 10}}));
}

TEST(Simulator, RunUntilLeavesTheClockThereAndGoesOnLater) {
  Simulator sim;
  Log log;
  sim.spawn(say_after(sim, log, "a", 10));
  sim.spawn(say_after(sim, log, "b", 30));
  sim.run(20);
  EXPECT_EQ(sim.now(), 20);
  EXPECT_EQ(log, (Log{{"a", 10}}));
  sim.run();
  EXPECT_EQ(log, (Log{{"a", 10}, {"b", 30}}));
  EXPECT_EQ(sim.now(), 30);
}

TEST(Simulator, ALoneProcessStopsAtTheEndOfRunUntil) {
  // One process that delays by 3 for ever: at until = 10 it has run at 3, 6, 9.
  Simulator sim;
  std::int64_t ticks = 0;
  const auto tick = [](Simulator& s, std::int64_t& n) -> Process {
    for (;;) {
      co_await s.delay(SimTime{3});
      ++n;
    }
  };
  sim.spawn(tick(sim, ticks));
  sim.run(10);
  EXPECT_EQ(ticks, 3);
  EXPECT_EQ(sim.now(), 10);
}

TEST(Simulator, StopEndsTheRunAtThatEvent) {
  Simulator sim;
  Log log;
  const auto stopper = [](Simulator& s) -> Process {
    co_await s.delay(SimTime{15});
    s.stop();
  };
  sim.spawn(say_after(sim, log, "a", 10));
  sim.spawn(stopper(sim));
  sim.spawn(say_after(sim, log, "b", 15));
  sim.run();
  EXPECT_EQ(log, (Log{{"a", 10}}));
  EXPECT_EQ(sim.now(), 15);
  sim.run();  // and can go on
  EXPECT_EQ(log.size(), 2u);
}

TEST(Simulator, SpawnedInsideAProcessStartsAtThatInstant) {
  Simulator sim;
  Log log;
  const auto parent = [](Simulator& s, Log& out) -> Process {
    co_await s.delay(SimTime{5});
    s.spawn(say_after(s, out, "child", 2));
    out.emplace_back("parent", s.now());
  };
  sim.spawn(parent(sim, log));
  sim.run();
  EXPECT_EQ(log, (Log{{"parent", 5}, {"child", 7}}));
}

Task<int> twice(Simulator& sim, int value) {
  co_await sim.delay(SimTime{4});
  co_return 2 * value;
}
Task<int> nested(Simulator& sim, int value) {
  const int once = co_await twice(sim, value);
  co_return co_await twice(sim, once);
}

TEST(Simulator, ATaskIsAPartOfItsProcess) {
  // 2 * 2 * 3 after twice 4 ns.
  Simulator sim;
  int result = 0;
  const auto process = [](Simulator& s, int& out) -> Process { out = co_await nested(s, 3); };
  sim.spawn(process(sim, result));
  sim.run();
  EXPECT_EQ(result, 12);
  EXPECT_EQ(sim.now(), 8);
}

// Counts how many of its kind live, so that a leak or a second destruction of a frame shows.
struct Counted {
  explicit Counted(int& count) : count_(&count) { ++*count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*count_; }
  int* count_;
};

TEST(Simulator, EndsWithProcessesStillWaiting) {
  int alive = 0;
  {
    Simulator sim;
    Mailbox<int> box(sim);
    Barrier barrier(sim, 2);
    FlowNetwork network(sim);
    const std::array path{network.add_link(1.0)};
    const auto cls = network.add_class(path);
    const auto in_task = [](Simulator& s, int& count) -> Task<void> {
      const Counted counted(count);
      co_await s.delay(SimTime{1'000'000});
    };
    const auto waiting = [&in_task](Simulator& s, int& count, Mailbox<int>& b, Barrier& meet, FlowNetwork& net,
                                    FlowNetwork::ClassId c, int what) -> Process {
      const Counted counted(count);
      if (what == 0) co_await b.get();
      if (what == 1) co_await meet.arrive();
      if (what == 2) co_await net.transfer(c, 1e9);
      if (what == 3) co_await in_task(s, count);
      if (what == 4) co_await s.delay(SimTime{2'000'000});
    };
    for (int what = 0; what < 5; ++what) sim.spawn(waiting(sim, alive, box, barrier, network, cls, what));
    sim.run(1000);
    EXPECT_EQ(alive, 6);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Simulator, AProcessThatIsNeverRunIsFreed) {
  int alive = 0;
  {
    Simulator sim;
    const auto process = [](Simulator&, int& count) -> Process {
      const Counted counted(count);
      co_return;
    };
    sim.spawn(process(sim, alive));
    { const Process never = process(sim, alive); }
  }
  EXPECT_EQ(alive, 0);
}

Process endless(Simulator& sim) {
  for (;;) co_await sim.delay(1);
}

// Alone, it would never come back from its delays to the loop; asked, every one of them is an event of the loop.
TEST(Simulator, EndsALittleAfterItIsAskedTo) {
  std::stop_source stop;
  Simulator sim;
  sim.end_on(stop.get_token());
  sim.spawn(endless(sim));
  stop.request_stop();
  sim.run();
  EXPECT_TRUE(sim.stopped());
  EXPECT_EQ(sim.events(), static_cast<std::uint64_t>(Simulator::kLateEvents));
}

TEST(Simulator, AnotherThreadMayAsk) {
  std::stop_source stop;
  Simulator sim;
  sim.end_on(stop.get_token());
  sim.spawn(endless(sim));
  const std::jthread asking([&stop] { stop.request_stop(); });
  sim.run();
  EXPECT_TRUE(sim.stopped());
}

}  // namespace
}  // namespace stallcast
