// Mailbox, Barrier, Signal: where processes meet.
#include <gtest/gtest.h>

#include <vector>

#include "core/engine/barrier.h"
#include "core/engine/mailbox.h"

namespace stallcast {
namespace {

using Taken = std::vector<std::pair<int, int>>;  // (who, value)

Process take(Simulator& sim, Mailbox<int>& box, Taken& taken, int who, int count) {
  for (int i = 0; i < count; ++i) taken.emplace_back(who, co_await box.get());
  (void)sim;
}

TEST(Mailbox, GivesValuesInOrder) {
  Simulator sim;
  Mailbox<int> box(sim);
  Taken taken;
  for (int v = 0; v < 20; ++v) box.put(v);  // the ring grows from 8 to 32 on the way
  EXPECT_EQ(box.size(), 20u);
  sim.spawn(take(sim, box, taken, 1, 20));
  sim.run();
  ASSERT_EQ(taken.size(), 20u);
  for (int v = 0; v < 20; ++v) EXPECT_EQ(taken[static_cast<std::size_t>(v)], std::make_pair(1, v));
  EXPECT_TRUE(box.empty());
}

TEST(Mailbox, ServesWaitingProcessesInOrderOfArrival) {
  Simulator sim;
  Mailbox<int> box(sim);
  Taken taken;
  for (int who = 1; who <= 3; ++who) sim.spawn(take(sim, box, taken, who, 1));
  sim.run();
  EXPECT_TRUE(taken.empty());
  for (int v = 10; v < 13; ++v) box.put(v);
  sim.run();
  EXPECT_EQ(taken, (Taken{{1, 10}, {2, 11}, {3, 12}}));
}

TEST(Mailbox, AValueForAWaiterIsNotTakenByALaterOne) {
  // 1 waits; a value is put for it; 2 asks in the same instant before 1 has run: 2 must wait for the next value.
  Simulator sim;
  Mailbox<int> box(sim);
  Taken taken;
  sim.spawn(take(sim, box, taken, 1, 1));
  sim.run();
  box.put(5);
  sim.spawn(take(sim, box, taken, 2, 1));
  sim.run();
  EXPECT_EQ(taken, (Taken{{1, 5}}));
  box.put(6);
  sim.run();
  EXPECT_EQ(taken, (Taken{{1, 5}, {2, 6}}));
}

TEST(Mailbox, WrapsAroundItsRing) {
  Ring<int> ring;
  int next_in = 0, next_out = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < round % 7; ++i) ring.push(next_in++);
    while (ring.size() > static_cast<std::size_t>(round % 3)) EXPECT_EQ(ring.pop(), next_out++);
  }
}

struct Arrival {
  int who;
  SimTime time;
  bool last;
  bool operator==(const Arrival&) const = default;
};

Process meet(Simulator& sim, Barrier& barrier, std::vector<Arrival>& out, int who, SimTime work, int rounds) {
  for (int r = 0; r < rounds; ++r) {
    co_await sim.delay(work);
    const bool last = co_await barrier.arrive();
    out.push_back({who, sim.now(), last});
  }
}

TEST(Barrier, HoldsAllUntilTheLastAndIsReusable) {
  // Work 1, 2, 3 per round: rounds end at 3 and 6. The last goes on at once, the others in order of arrival.
  Simulator sim;
  Barrier barrier(sim, 3);
  std::vector<Arrival> out;
  for (int who = 1; who <= 3; ++who) sim.spawn(meet(sim, barrier, out, who, who, 2));
  sim.run();
  EXPECT_EQ(out, (std::vector<Arrival>{
                     {3, 3, true}, {1, 3, false}, {2, 3, false}, {3, 6, true}, {1, 6, false}, {2, 6, false}}));
}

TEST(Barrier, OfOneHoldsNobody) {
  Simulator sim;
  Barrier barrier(sim, 1);
  std::vector<Arrival> out;
  sim.spawn(meet(sim, barrier, out, 1, 5, 2));
  sim.run();
  EXPECT_EQ(out, (std::vector<Arrival>{{1, 5, true}, {1, 10, true}}));
}

TEST(Signal, WakesThoseWhoWaitAndOnlyThose) {
  Simulator sim;
  Signal signal(sim);
  std::vector<int> woken;
  const auto wait = [](Simulator&, Signal& s, std::vector<int>& out, int who) -> Process {
    co_await s.wait();
    out.push_back(who);
    co_await s.wait();  // not woken a second time by the same notify_all
    out.push_back(10 * who);
  };
  sim.spawn(wait(sim, signal, woken, 1));
  sim.spawn(wait(sim, signal, woken, 2));
  sim.run();
  EXPECT_EQ(signal.waiting(), 2u);
  signal.notify_all();
  sim.run();
  EXPECT_EQ(woken, (std::vector<int>{1, 2}));
  EXPECT_EQ(signal.waiting(), 2u);
}

}  // namespace
}  // namespace stallcast
