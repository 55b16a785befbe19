// The front that the search finds stands for every configuration that enumeration finds, with fewer simulations.
#include "core/plan/search/front_search.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/plan/small_spaces.h"

namespace stallcast {
namespace {

constexpr std::uint64_t kFrontSpaces = 30;
constexpr double kTolerance = 0.01;
const std::vector<Figure> kBy = {Figure::kTotal, Figure::kUtilization, Figure::kTime};

Figures figures(double cost, double utilization, double time) {
  Figures out;
  out.of(Figure::kTotal) = exact_estimate(cost);
  out.of(Figure::kUtilization) = exact_estimate(utilization);
  out.of(Figure::kTime) = exact_estimate(time);
  return out;
}

TEST(StandsFor, WhatIsWorseByTheToleranceAtMost) {
  const Figures one = figures(101.0, 0.90, 1010.0);
  EXPECT_TRUE(stands_for(one, figures(100.0, 0.91, 1000.0), kBy, 0.0101));
  EXPECT_FALSE(stands_for(one, figures(99.0, 0.91, 1000.0), kBy, 0.0101));   // 2 % dearer
  EXPECT_FALSE(stands_for(one, figures(100.0, 0.92, 1000.0), kBy, 0.0101));  // 2 points less
  EXPECT_FALSE(stands_for(one, figures(100.0, 0.91, 990.0), kBy, 0.0101));   // 2 % longer
  EXPECT_FALSE(stands_for(one, Figures(), kBy, 0.0101));                     // of which nothing is known
}

// Written out, so that it is not the code under test that judges.
bool is_within(const Figures& point, const Figures& of) {
  constexpr double kRounding = 1e-9;
  return point.at(Figure::kTotal) <= of.at(Figure::kTotal) * (1.0 + kTolerance + kRounding) &&
         point.at(Figure::kTime) <= of.at(Figure::kTime) * (1.0 + kTolerance + kRounding) &&
         point.at(Figure::kUtilization) >= of.at(Figure::kUtilization) - kTolerance - kRounding;
}

struct FrontTally {
  std::int64_t points = 0, simulated = 0;
  std::size_t largest = 0;
};

// Every configuration of the space that fits into memory has one on the front that stands for it.
void expect_front_of(const ScenarioFile& base, const Space& space, const std::string& name, FrontTally& tally) {
  const BoxedSpace boxes(space);
  Assessor searched(base, space, shipped_catalogue(), RunOptions());
  FrontGoal goal;
  goal.by = kBy;
  goal.targets = {{Figure::kMemoryShare, 1.0}};
  const FrontOutcome found = search_front(boxes, searched, goal);
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.undecided, 0);
  std::vector<Figures> front;
  for (const std::int64_t index : searched.points_at(Level::kAsGiven))
    front.push_back(searched.find(index, Level::kAsGiven)->figures);
  tally.largest = std::max(tally.largest, front.size());
  tally.points += space.size();
  tally.simulated += searched.simulated_points();

  Assessor all(base, space, shipped_catalogue(), RunOptions());
  std::vector<Assessor::Job> jobs;
  for (std::int64_t p = 0; p < space.size(); ++p) jobs.push_back({p, Level::kAsGiven});
  all.simulate_all(jobs);
  ASSERT_FALSE(all.points_at(Level::kAsGiven).empty());
  for (const std::int64_t index : all.points_at(Level::kAsGiven)) {
    const Figures& one = all.find(index, Level::kAsGiven)->figures;
    if (!keeps(goal.targets.front(), one.at(Figure::kMemoryShare))) continue;
    EXPECT_TRUE(std::any_of(front.begin(), front.end(), [&](const Figures& f) { return is_within(f, one); }))
        << name << ": " << point_text(space.point(index)) << " at $" << one.at(Figure::kTotal) << ", "
        << one.at(Figure::kUtilization) << ", " << one.at(Figure::kTime) << " s";
  }
}

TEST(SearchFront, StandsForEveryConfigurationOfSmallSpaces) {
  FrontTally tally;
  for (std::uint64_t i = 0; i < kFrontSpaces; ++i) {
    const SmallSpace small = small_space(100 + i);
    expect_front_of(small.base, small.space, small.base.scenario.name, tally);
  }
  fmt::print("front: {} of {} points simulated ({:.1f} %), up to {} of a space\n", tally.simulated, tally.points,
             100.0 * static_cast<double>(tally.simulated) / static_cast<double>(tally.points), tally.largest);
  EXPECT_LE(tally.simulated, tally.points / 2);
}

// Coarse runs, and an undisturbed run for every cadence, come before precise ones.
TEST(SearchFront, StandsForEveryConfigurationOfAJobOfHoursWithATimeline) {
  ScenarioFile base =
      *load_scenario(std::filesystem::path(STALLCAST_SOURCE_DIR) / "scenarios" / "22_a3_storage_choice.json").value;
  base.scenario.run.precision = 0.01;
  const Space space = *make_space(base,
                                  variables(base, {"storage.tier=managed_lustre_1000,parallelstore",
                                                   "storage.capacity=45000 GiB,63000 GiB,81000 GiB,108000 GiB,48 TiB",
                                                   "loader.num_workers=2,8", "checkpoint.interval_steps=200,2000"}),
                                  {}, shipped_catalogue())
                           .value;
  FrontTally tally;
  expect_front_of(base, space, "run_timeline", tally);
  EXPECT_LT(tally.simulated, tally.points);
}

TEST(SearchFront, StopsAtALimitAndSaysWhatIsLeft) {
  const SmallSpace small = small_space(100);
  const BoxedSpace boxes(small.space);
  Assessor assessor(small.base, small.space, shipped_catalogue(), RunOptions());
  FrontGoal goal;
  goal.by = kBy;
  goal.most_runs = 1;
  const FrontOutcome cut = search_front(boxes, assessor, goal);
  EXPECT_FALSE(cut.complete);
  EXPECT_GT(cut.undecided, 0);
  EXPECT_GE(cut.runs, 1);
  // It goes on from there.
  goal.most_runs = 0;
  const std::int64_t before = assessor.counts().simulations();
  const FrontOutcome rest = search_front(boxes, assessor, goal);
  EXPECT_TRUE(rest.complete);
  EXPECT_EQ(rest.runs, assessor.counts().simulations() - before);
}

TEST(SearchFront, AnAskedForStopLeavesItIncomplete) {
  const SmallSpace small = small_space(100);
  const BoxedSpace boxes(small.space);
  std::stop_source source;
  source.request_stop();
  RunOptions options;
  options.stop = source.get_token();
  Assessor assessor(small.base, small.space, shipped_catalogue(), options);
  FrontGoal goal;
  goal.by = kBy;
  const FrontOutcome found = search_front(boxes, assessor, goal);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.undecided, small.space.size());
  EXPECT_EQ(found.runs, 0);
}

}  // namespace
}  // namespace stallcast
