#include "core/backtest/work_pace.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

RandomStream stream() { return {1, DrawPurpose::kDecode, 0}; }

TEST(WorkPace, WithoutBracketsIsTheMean) {
  const PaceBrackets none;
  EXPECT_EQ(WorkPace(none, stream()).took(0.123), 0.123);
}

TEST(WorkPace, OfOneSliceIsItsPace) {
  const PaceBrackets slow = {{1.25}};
  WorkPace pace(slow, stream());
  EXPECT_NEAR(pace.took(1.0), 1.25, 1e-12);
  EXPECT_NEAR(pace.took(0.001), 0.00125, 1e-15);
}

// Slices of 20 ms in which 40 and 10 ms of work are done: 50 ms of work every 40 ms, wherever one begins.
TEST(WorkPace, SlicesFollowOneAnotherInEqualTimes) {
  const PaceBrackets stretches = {{0.5, 2.0}};
  WorkPace pace(stretches, stream());
  EXPECT_NEAR(pace.took(50.0), 40.0, 0.04);
  double sum = 0.0;
  for (int i = 0; i < 1000; ++i) sum += pace.took(0.005);  // 5 s of work in pieces
  EXPECT_NEAR(sum, 4.0, 0.04);
}

}  // namespace
}  // namespace stallcast
