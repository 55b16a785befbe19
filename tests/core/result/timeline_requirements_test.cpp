#include "core/result/timeline_requirements.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/core/result/timelines.h"

namespace stallcast {
namespace {

using namespace runs;

// ettr 0.92, so the target is 0.9: 9200 / 0.9 = 10222.22 s, of which 9300 are not to be changed: 922.22 s are left.
// Less 200 of checkpoints, for 10 interruptions: 72.22 s. Less 500 of interruptions, for 100 checkpoints: 4.2222 s.
// At 50 s each, 722.22 s are 14.444 interruptions, one in 707.69 s.
TEST(TimelineRequirements, SharesOutTheTimeThatTheTargetLeaves) {
  const std::optional<TimelineRequirements> required = timeline_requirements(result());
  ASSERT_TRUE(required);
  EXPECT_EQ(required->target_ettr, 0.9);
  EXPECT_NEAR(required->wall_s, 10222.2222, 1e-4);
  EXPECT_DOUBLE_EQ(required->interruption_cost_now_s, 50.0);
  EXPECT_DOUBLE_EQ(required->stop_now_s, 2.0);
  EXPECT_DOUBLE_EQ(required->between_interruptions_now_s, 1000.0);
  EXPECT_NEAR(required->interruption_cost_s.value(), 72.2222, 1e-4);
  EXPECT_NEAR(required->stop_s.value(), 4.2222, 1e-4);
  EXPECT_NEAR(required->between_interruptions_s.value(), 707.6923, 1e-4);
}

// A run that has one of the limits instead of what it had has the target's ettr.
TEST(TimelineRequirements, EachLimitGivesTheTarget) {
  const TimelineRequirements limit = timeline_requirements(result()).value();
  const auto ettr = [](double stop, double cost, double n) { return 9200.0 / (9300.0 + 100.0 * stop + n * cost); };
  EXPECT_NEAR(ettr(2.0, 50.0, 10.0), 0.92, 1e-12);
  EXPECT_NEAR(ettr(2.0, *limit.interruption_cost_s, 10.0), 0.9, 1e-12);
  EXPECT_NEAR(ettr(*limit.stop_s, 50.0, 10.0), 0.9, 1e-12);
  EXPECT_NEAR(ettr(2.0, 50.0, limit.wall_s / *limit.between_interruptions_s), 0.9, 1e-12);
}

// 20 s of the 60 of restarting were the first start: interruptions cost 480 s, and 902.22 s are left.
TEST(TimelineRequirements, TheFirstStartIsNoInterruption) {
  TimelineResult timeline = result();
  timeline.startup_s = 20.0;
  const TimelineRequirements required = timeline_requirements(timeline).value();
  EXPECT_DOUBLE_EQ(required.interruption_cost_now_s, 48.0);
  EXPECT_NEAR(required.interruption_cost_s.value(), 70.2222, 1e-4);
  EXPECT_NEAR(required.stop_s.value(), 4.2222, 1e-4);
}

// Training 9,200 of 10,000 s; only what it is a part of changes.
TEST(TimelineRequirements, TheTargetIsTheNextRoundOneBelow) {
  const auto target = [](double wall_s) {
    TimelineResult timeline = result();
    part(timeline.mean, WallTime::kRework) += wall_s - timeline.mean.wall_s;
    timeline.mean.wall_s = wall_s;
    return timeline_requirements(timeline)->target_ettr;
  };
  EXPECT_EQ(target(9200.0 / 0.995), 0.99);
  EXPECT_EQ(target(9200.0 / 0.96), 0.95);
  EXPECT_EQ(target(9200.0 / 0.95), 0.9);  // 0.95 leaves no room to 0.95
  EXPECT_NEAR(target(9200.0 / 0.5), 0.49, 1e-12);
}

TEST(TimelineRequirements, ThereIsNoneOfWhatTheRunHasNot) {
  EXPECT_FALSE(timeline_requirements(TimelineResult{}));
  TimelineResult timeline = result();
  timeline.mean.checkpoints = 0.0;
  EXPECT_FALSE(timeline_requirements(timeline)->stop_s);
  EXPECT_TRUE(timeline_requirements(timeline)->interruption_cost_s);
  timeline.mean.interruptions.fill(0.0);
  EXPECT_FALSE(timeline_requirements(timeline));
  timeline.mean.checkpoints = 100.0;
  EXPECT_TRUE(timeline_requirements(timeline)->stop_s);
  EXPECT_FALSE(timeline_requirements(timeline)->between_interruptions_s);
}

TEST(TimelineRequirements, ARunWithoutEndHasNone) {
  TimelineResult timeline = result();
  timeline.mean.wall_s = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(timeline_requirements(timeline));
}

TEST(TimelineRequirements, NextToNoTrainingHasNoTarget) {
  TimelineResult timeline = result();
  timeline.mean.wall_s = 9200.0 / 0.009;
  EXPECT_FALSE(timeline_requirements(timeline));
}

}  // namespace
}  // namespace stallcast
