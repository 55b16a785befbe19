#include "core/calibrate/fit/intervals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TimeIntervals, UnionJoinsWhatOverlapsOrTouchesAndDropsWhatIsEmpty) {
  EXPECT_THAT(united({{5, 9}, {0, 2}, {2, 3}, {6, 7}, {4, 4}, {12, 11}}),
              ElementsAre(TimeInterval{0, 3}, TimeInterval{5, 9}));
}

TEST(TimeIntervals, InsideCutsAtTheWindow) {
  EXPECT_THAT(inside({{0, 3}, {5, 9}, {10, 12}}, {2, 11}),
              ElementsAre(TimeInterval{2, 3}, TimeInterval{5, 9}, TimeInterval{10, 11}));
  EXPECT_THAT(inside({{0, 3}}, {3, 11}), IsEmpty());
}

TEST(TimeIntervals, WithoutLeavesWhatNothingCovers) {
  // 0-10 and 20-30 less 2-4, 9-21, 25-26: 0-2, 4-9, 21-25, 26-30.
  EXPECT_THAT(without({{0, 10}, {20, 30}}, {{2, 4}, {9, 21}, {25, 26}}),
              ElementsAre(TimeInterval{0, 2}, TimeInterval{4, 9}, TimeInterval{21, 25}, TimeInterval{26, 30}));
  EXPECT_THAT(without({{0, 10}}, {{0, 10}}), IsEmpty());
  EXPECT_THAT(without({{0, 10}}, {}), ElementsAre(TimeInterval{0, 10}));
}

// For any two sets: |A| = |A without B| + |A| + |B| - |A united B|, so the first and the last two agree.
TEST(TimeIntervals, LengthsOfUnionAndDifferenceAddUp) {
  std::uint64_t state = 7;
  const auto draw = [&state](std::int64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(below));
  };
  for (int round = 0; round < 200; ++round) {
    TimeIntervals a, b;
    for (int i = 0; i < 12; ++i) {
      const std::int64_t at = draw(200), bt = draw(200);
      a.push_back({at, at + draw(20)});
      b.push_back({bt, bt + draw(20)});
    }
    TimeIntervals both = a;
    both.insert(both.end(), b.begin(), b.end());
    a = united(a);
    b = united(b);
    EXPECT_EQ(total_length(without(a, b)), total_length(united(both)) - total_length(b));
  }
}

}  // namespace
}  // namespace stallcast
