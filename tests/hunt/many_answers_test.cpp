// As answers_test.cpp, of other jobs, larger ones, and ten times as many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/shipped_catalogue.h"
#include "tests/hunt/survey.h"

namespace stallcast::hunt {
namespace {

TEST(Answers, AreThoseOfTheWholeRunInThousandsOfJobs) {
  TrialLimits limits;
  limits.job.most_samples = 50'000;
  const Survey seen = survey({.first_seed = 1'000'000, .jobs = 2000}, shipped_catalogue(), limits);
  EXPECT_LT(seen.skipped, seen.tally.jobs() / 10);
  EXPECT_GE(static_cast<double>(seen.tally.jobs_near()), 0.99 * static_cast<double>(seen.tally.jobs())) << seen.text();
  EXPECT_EQ(seen.tally.jobs_within(), seen.tally.jobs());
  EXPECT_THAT(seen.faults, testing::IsEmpty());
}

}  // namespace
}  // namespace stallcast::hunt
