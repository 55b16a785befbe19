#include "core/plan/sensitivity/flip_search.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stallcast {
namespace {

// Rent of 3 + 1 f against rent of 2 + 1.5 f: equal at f = 2, the first is dearer below.
TEST(FlipSearch, FindsWhereTwoLinesCross) {
  const auto advice = [](double f) { return 3.0 + f < 2.0 + 1.5 * f ? 0 : 1; };
  const auto above = find_flip_towards(10.0, advice);
  ASSERT_TRUE(above);
  EXPECT_GE(above->factor, 2.0);
  EXPECT_LE(above->factor, 2.0 * 1.01);
  EXPECT_EQ(above->advice, 0);
  EXPECT_FALSE(find_flip_towards(0.1, advice));
}

TEST(FlipSearch, LooksDownwardsToo) {
  const auto below = find_flip_towards(0.1, [](double f) { return f < 0.3 ? 7 : 0; });
  ASSERT_TRUE(below);
  EXPECT_LT(below->factor, 0.3);
  EXPECT_GE(below->factor, 0.3 / 1.0101);
  EXPECT_EQ(below->advice, 7);
}

TEST(FlipSearch, FindsNothingBeyondTheFurthest) {
  int calls = 0;
  EXPECT_FALSE(find_flip_towards(10.0, [&](double f) {
    ++calls;
    return f > 10.01 ? 1 : 0;
  }));
  EXPECT_EQ(calls, 4);  // 1 and three steps
}

// The end itself is looked at: 10 exactly.
TEST(FlipSearch, ReachesTheFurthest) {
  const auto flip = find_flip_towards(10.0, [](double f) { return f >= 10.0 ? 1 : 0; });
  ASSERT_TRUE(flip);
  EXPECT_NEAR(flip->factor, 10.0, 0.1);
}

// Of several changes the nearest that the steps outwards can tell.
TEST(FlipSearch, StopsAtTheNearestChange) {
  const auto flip = find_flip_towards(10.0, [](double f) { return f < 1.5 ? 0 : f < 4.0 ? 1 : 2; });
  ASSERT_TRUE(flip);
  EXPECT_NEAR(flip->factor, 1.5, 0.015);
  EXPECT_EQ(flip->advice, 1);
}

// A count of workers changes in whole numbers: 8 become 12 at a factor of 11.5 / 8.
TEST(FlipSearch, FindsTheStepOfAWholeNumber) {
  const auto flip = find_flip_towards(10.0, [](double f) { return std::round(8.0 * f) >= 12.0 ? 1 : 0; });
  ASSERT_TRUE(flip);
  EXPECT_EQ(std::round(8.0 * flip->factor), 12.0);
}

TEST(FlipSearch, AStopLeavesWhatIsNotFound) {
  FlipSearch search;
  search.stop = [] { return true; };
  EXPECT_FALSE(find_flip_towards(
      10.0, [](double f) { return f > 2.0 ? 1 : 0; }, search));
}

}  // namespace
}  // namespace stallcast
