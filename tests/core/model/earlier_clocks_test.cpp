// What a run without some of its nodes would gain, where that can be worked out.
#include "core/model/earlier_clocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace stallcast {
namespace {

constexpr double kIdle = std::numeric_limits<double>::infinity();  // storage that could always serve more

TEST(Lead, KeepsWhatTheLatestStepsHaveGained) {
  Lead lead;
  EXPECT_EQ(lead.gained_in(3), 0.0);
  for (int step = 1; step <= 5000; ++step) lead.add(step);
  EXPECT_EQ(lead.now(), 5000.0 * 5001.0 / 2.0);
  EXPECT_EQ(lead.gained_in(0), 0.0);
  EXPECT_EQ(lead.gained_in(2), 5000.0 + 4999.0);
  EXPECT_EQ(lead.gained_in(1000000), lead.gained_in(1024));  // what is kept
  lead.start_over();
  EXPECT_EQ(lead.gained_in(2), 0.0);
}

// One of four nodes computes for two seconds where others take one: of the four clocks of two nodes each, two have it.
TEST(EarlierClocks, ComputeThatIsLateCountsInEveryStep) {
  EarlierClocks clocks(4, 1, 2.0);
  for (int step = 1; step <= 10; ++step) {
    const std::vector<RankAtBarrier> ranks{{1.0, kIdle, 0}, {2.0, kIdle, 0}, {1.0, kIdle, 0}, {1.0, kIdle, 0}};
    EXPECT_DOUBLE_EQ(clocks.step(ranks, kIdle), 0.5);
  }
  EXPECT_DOUBLE_EQ(clocks.sum(), 0.5 * 55.0);
}

// A node waits for ten seconds for its batch, and in the next step another, whose batch was being loaded all the while:
// by the clock of all of them for one second more. Without the first node they have not waited, and wait for the other
// one for eleven: nothing is gained in the end.
TEST(EarlierClocks, WaitsAtTheSameTimeCountOnce) {
  EarlierClocks clocks(2, 1, 1.0);
  clocks.step(std::vector<RankAtBarrier>{{1.0, -10.0, 5}, {1.0, kIdle, 5}}, kIdle);
  EXPECT_DOUBLE_EQ(clocks.sum(), 5.0);  // of two clocks one is ten seconds ahead
  const double gained = clocks.step(std::vector<RankAtBarrier>{{1.0, kIdle, 5}, {1.0, -1.0, 5}}, kIdle);
  // The clock without the first node is level again, the one without the second has gained the second.
  EXPECT_DOUBLE_EQ(gained, 0.5 * (1.0 + 0.0) - 5.0);
}

// Whose maker waited for a place in the queue when the gain was made already gets it sooner.
TEST(EarlierClocks, BatchesBegunAfterAGainAreThereSooner) {
  EarlierClocks clocks(2, 1, 1.0);
  clocks.step(std::vector<RankAtBarrier>{{1.0, -10.0, 5}, {1.0, kIdle, 5}}, kIdle);
  EXPECT_DOUBLE_EQ(clocks.step(std::vector<RankAtBarrier>{{1.0, kIdle, 0}, {1.0, -1.0, 0}}, kIdle), 0.5 * (1.0 + 0.0));
}

// The storage has served all that it can for all but three seconds: nothing would have been faster by more.
TEST(EarlierClocks, NoClockOutrunsTheStorage) {
  EarlierClocks clocks(2, 1, 1.0);
  clocks.step(std::vector<RankAtBarrier>{{1.0, -10.0, 5}, {1.0, kIdle, 5}}, 3.0);
  EXPECT_DOUBLE_EQ(clocks.sum(), 1.5);
  EXPECT_DOUBLE_EQ(clocks.held_back_sum(), 1.5);
}

TEST(EarlierClocks, EveryNodeIsInAsManyClocks) {
  for (const std::size_t nodes : {4U, 7U, 16U, 64U})
    for (const double kept : {2.0, 3.5, 0.5 * static_cast<double>(nodes)}) {
      // Each node late in a step of its own: the mean over the steps is what the share of clocks without it says.
      EarlierClocks clocks(nodes, 1, kept);
      double gained = 0.0;
      for (std::size_t late = 0; late < nodes; ++late) {
        std::vector<RankAtBarrier> ranks(nodes, {1.0, kIdle, 0});
        ranks[late].busy_s = 2.0;
        gained += clocks.step(ranks, kIdle);
      }
      EXPECT_NEAR(gained / static_cast<double>(nodes), 1.0 - kept / static_cast<double>(nodes), 0.5 / 16.0)
          << nodes << " " << kept;
    }
}

}  // namespace
}  // namespace stallcast
