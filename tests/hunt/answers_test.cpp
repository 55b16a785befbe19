// Random jobs as a person has them beside the same simulated whole: 99 of 100 within 1 % and half a point in every
// figure, none beyond 3 % and 1.5 points, and no identity broken. scripts/hunt goes on where this and
// many_answers_test.cpp end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/shipped_catalogue.h"
#include "tests/hunt/survey.h"

namespace stallcast::hunt {
namespace {

TEST(Answers, AreThoseOfTheWholeRun) {
  TrialLimits limits;
  limits.job.most_samples = 5'000;
  const Survey seen = survey({.first_seed = 1, .jobs = 200}, shipped_catalogue(), limits);
  EXPECT_LT(seen.skipped, seen.tally.jobs() / 10);
  EXPECT_GE(static_cast<double>(seen.tally.jobs_near()), 0.99 * static_cast<double>(seen.tally.jobs())) << seen.text();
  EXPECT_EQ(seen.tally.jobs_within(), seen.tally.jobs());
  EXPECT_THAT(seen.faults, testing::IsEmpty());
}

}  // namespace
}  // namespace stallcast::hunt
