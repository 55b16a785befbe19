#include "core/engine/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/engine/random_stream.h"
#include "core/engine/run_heap.h"

namespace stallcast {
namespace {

TEST(EventQueue, KeepsSchedulingOrderAtEqualTimes) {
  EventQueue queue;
  for (std::uint64_t order = 0; order < 100; ++order) queue.push({static_cast<SimTime>(order % 3), order, nullptr});
  // All of time 0 (orders 0, 3, 6, ...), then of time 1, then of time 2.
  for (std::uint64_t time = 0; time < 3; ++time)
    for (std::uint64_t order = time; order < 100; order += 3) {
      const Event event = queue.pop();
      EXPECT_EQ(event.time, static_cast<SimTime>(time));
      EXPECT_EQ(event.order, order);
    }
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, GivesAnyMixOfPushAndPopInOrder) {
  // Hold model: each pop is followed by a push later than it, so the popped times never fall. The set is the same as
  // that of a sorted vector.
  EventQueue queue;
  std::vector<std::pair<SimTime, std::uint64_t>> expected, got;
  RandomStream draw(1, DrawPurpose::kTest, 0);
  std::uint64_t order = 0;
  const auto push = [&](SimTime time) {
    queue.push({time, order, nullptr});
    expected.emplace_back(time, order++);
  };
  for (int i = 0; i < 500; ++i) push(static_cast<SimTime>(100 * draw.uniform()));
  for (int i = 0; i < 5000; ++i) {
    const Event event = queue.pop();
    got.emplace_back(event.time, event.order);
    push(event.time + static_cast<SimTime>(100 * draw.uniform()));
  }
  while (!queue.empty()) {
    const Event event = queue.pop();
    got.emplace_back(event.time, event.order);
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(std::is_sorted(got.begin(), got.end(), [](const auto& a, const auto& b) { return a.first < b.first; }));
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, expected);
}

TEST(EventQueue, KeepsOrderWhileEventsComeBeforeAndAfterAllThatWait) {
  // Near, far, equal and unreachable times in phases that grow to hundreds and drain to none. A set holds the same.
  EventQueue queue;
  std::set<std::pair<SimTime, std::uint64_t>> expected;
  RandomStream draw(1, DrawPurpose::kTest, 3);
  std::uint64_t order = 0;
  SimTime now = 0;
  for (int i = 0; i < 20000; ++i) {
    const bool grows = i / 500 % 2 == 0;
    if (expected.empty() || draw.uniform() < (grows ? 0.8 : 0.2)) {
      const double kind = draw.uniform();
      const SimTime wait = kind < 0.5    ? static_cast<SimTime>(4 * draw.uniform())
                           : kind < 0.8  ? static_cast<SimTime>(100 * draw.uniform())
                           : kind < 0.99 ? 1000
                                         : kNever;
      queue.push({after(now, wait), order, nullptr});
      expected.emplace(after(now, wait), order++);
    } else {
      const Event event = queue.pop();
      ASSERT_EQ(std::make_pair(event.time, event.order), *expected.begin());
      expected.erase(expected.begin());
      now = event.time == kNever ? now : event.time;
    }
    ASSERT_EQ(queue.size(), expected.size());
    ASSERT_EQ(queue.empty(), expected.empty());
    if (!queue.empty()) {
      ASSERT_EQ(queue.top().time, expected.begin()->first);
    }
  }
}

struct Placed {
  int key;
  std::size_t* slot;
  bool before(const Placed& other) const { return key < other.key; }
  void moved_to(std::size_t s) const { *slot = s; }
};

TEST(QuadHeap, ReplacesAndErasesBySlot) {
  // Keys 0..19, each knows its slot. Change every third to key + 100 and erase every fifth: what is left comes in
  // order.
  QuadHeap<Placed> heap;
  std::vector<std::size_t> slots(20);
  for (int i = 19; i >= 0; --i) heap.push({i, &slots[static_cast<std::size_t>(i)]});
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(heap[slots[i]].key, static_cast<int>(i));
  std::vector<int> expected;
  for (int i = 0; i < 20; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (i % 5 == 0) {
      heap.erase(slots[at]);
    } else {
      const int key = i % 3 == 0 ? i + 100 : i;
      heap.replace(slots[at], {key, &slots[at]});
      expected.push_back(key);
    }
  }
  std::sort(expected.begin(), expected.end());
  std::vector<int> got;
  while (!heap.empty()) got.push_back(heap.pop().key);
  EXPECT_EQ(got, expected);
}

TEST(RunHeap, GivesWhatCameInOrderAndWhatDidNotInOneOrder) {
  // Keys are time + a step: mostly the same step (in order), at times a shorter or a longer one. Each pop is the least
  // of a sorted set; ties go by order of coming.
  RunHeap<Event> heap;
  std::set<std::pair<SimTime, std::uint64_t>> expected;
  RandomStream draw(1, DrawPurpose::kTest, 1);
  SimTime now = 0;
  for (std::uint64_t order = 0; order < 20'000; ++order) {
    const double u = draw.uniform();
    const SimTime time = now + (u < 0.8 ? 50 : u < 0.9 ? static_cast<SimTime>(500 * (u - 0.8)) : 90);
    heap.push({time, order, nullptr});
    expected.emplace(time, order);
    // Waves: the heap fills to some thousands and empties again, so that a run ends and another begins.
    for (int pops = order / 4000 % 2 == 0 ? (draw.uniform() < 0.5 ? 1 : 0) : 2; pops > 0 && !heap.empty(); --pops) {
      ASSERT_EQ(heap.size(), expected.size());
      ASSERT_EQ(std::pair(heap.top().time, heap.top().order), *expected.begin());
      now = heap.pop().time;
      expected.erase(expected.begin());
    }
  }
  for (; !heap.empty(); expected.erase(expected.begin())) {
    const Event event = heap.pop();
    ASSERT_EQ(std::pair(event.time, event.order), *expected.begin());
  }
  EXPECT_TRUE(expected.empty());
}

TEST(RunHeap, ChangesEveryElement) {
  RunHeap<Event> heap;
  for (const SimTime time : {30, 40, 10, 20}) heap.push({time, 0, nullptr});  // 30 and 40 are a run
  heap.for_each([](Event& event) { event.time -= 5; });
  for (const SimTime time : {5, 15, 25, 35}) EXPECT_EQ(heap.pop().time, time);
}

}  // namespace
}  // namespace stallcast
