#include "core/units/student_t.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace stallcast {
namespace {

// With one degree of freedom it is Cauchy's distribution, with two the quantile is algebraic.
TEST(StudentT, QuantilesHaveTheirClosedForms) {
  for (const double p : {0.05, 0.4, 0.9, 0.975, 0.999}) {
    EXPECT_NEAR(student_t_quantile(1, p) / std::tan(std::numbers::pi * (p - 0.5)), 1.0, 1e-12) << p;
    EXPECT_NEAR(student_t_quantile(2, p) / ((2 * p - 1) * std::sqrt(2 / (4 * p * (1 - p)))), 1.0, 1e-12) << p;
  }
}

TEST(StudentT, TailIsWhatTheQuantileLeaves) {
  for (const double degrees : {1.0, 3.5, 40.0})
    EXPECT_NEAR(student_t_tail(degrees, student_t_quantile(degrees, 0.975)), 0.025, 1e-12) << degrees;
}

}  // namespace
}  // namespace stallcast
