// On spaces that can be enumerated, the search finds what enumeration finds, with a fraction of the simulations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/core/plan/small_spaces.h"

namespace stallcast {
namespace {

constexpr std::uint64_t kSpaces = 50;

struct Tally {
  std::int64_t points = 0, simulated = 0, runs = 0, without_answer = 0;
  std::vector<double> shares;
  std::map<std::string, std::int64_t> reasons;

  void add(const SizeResult& result) {
    points += result.points;
    simulated += result.simulated_points;
    runs += result.runs.simulations();
    if (result.best.empty()) ++without_answer;
    shares.push_back(static_cast<double>(result.simulated_points) / static_cast<double>(result.points));
  }
  void print(const char* name) {
    std::sort(shares.begin(), shares.end());
    const auto at = [&](double p) {
      return 100.0 * shares[static_cast<std::size_t>(p * static_cast<double>(shares.size() - 1))];
    };
    fmt::print(
        "{}: {} of {} points simulated ({:.1f} %) in {} runs; per space least {:.1f} %, quartiles {:.1f} %, "
        "{:.1f} %, {:.1f} %, most {:.1f} %; {} spaces without an answer\n",
        name, simulated, points, 100.0 * static_cast<double>(simulated) / static_cast<double>(points), runs, at(0.0),
        at(0.25), at(0.5), at(0.75), at(1.0), without_answer);
  }
};

// Counts of why points were not simulated, and those that were, are all points.
void expect_all_accounted_for(const SizeResult& r) {
  const SearchCounts& c = r.counts;
  EXPECT_EQ(c.invalid + c.over_quota + c.target_missed + c.not_better + c.like_another + r.simulated_points, r.points);
}

TEST(SizeEqualsEnumeration, WithoutToleranceTheVerySamePoint) {
  Tally tally;
  for (std::uint64_t i = 0; i < kSpaces; ++i) {
    SmallSpace small = small_space(i);
    small.request.tolerance = 0.0;
    small.request.front = FrontScope::kNone;
    small.request.exhaustive = true;
    const SizeResult r = size(small.base, small.space, shipped_catalogue(), small.request, RunOptions());
    ASSERT_TRUE(r.exhaustive);
    ASSERT_EQ(r.exhaustive->best.has_value(), !r.best.empty()) << i;
    if (!r.best.empty()) {
      EXPECT_EQ(r.best.front().index, r.exhaustive->best->index)
          << i << ": " << point_text(r.best.front().point) << " against " << point_text(r.exhaustive->best->point);
    }
    for (const auto& [reason, count] : r.reasons) tally.reasons[reason] += count;
    expect_all_accounted_for(r);
    tally.add(r);
  }
  tally.print("tolerance 0");
  for (const auto& [reason, count] : tally.reasons) fmt::print("impossible: {}: {}\n", count, reason);
  EXPECT_LE(tally.simulated, tally.points / 5);
  EXPECT_LT(tally.without_answer, 25) << "most spaces must have something to find";
}

TEST(SizeEqualsEnumeration, WithAToleranceNoFurtherFromItThanThat) {
  Tally tally;
  for (std::uint64_t i = 0; i < kSpaces; ++i) {
    SmallSpace small = small_space(i);
    small.request.exhaustive = true;
    small.request.front = FrontScope::kFull;
    const SizeResult r = size(small.base, small.space, shipped_catalogue(), small.request, RunOptions());
    ASSERT_TRUE(r.exhaustive);
    EXPECT_LE(r.exhaustive->excess, r.gap + 1e-9) << i;
    EXPECT_LE(r.gap, 0.01 + 1e-9) << i;
    EXPECT_TRUE(r.exhaustive->agrees) << i << ": " << r.exhaustive->excess;
    EXPECT_TRUE(r.front.complete) << i;
    EXPECT_EQ(r.exhaustive->front_missed, 0) << i;
    expect_all_accounted_for(r);
    tally.add(r);
  }
  tally.print("tolerance 0.01");
  EXPECT_LE(tally.simulated, tally.points / 5);
}

}  // namespace
}  // namespace stallcast
