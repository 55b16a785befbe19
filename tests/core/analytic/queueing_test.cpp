#include "core/analytic/queueing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stallcast {
namespace {

// lambda = 8/s, mu = 10/s: 1 / (10 - 8) = 0.5 s.
TEST(Queueing, SojournOfMm1) { EXPECT_NEAR(mm1_mean_sojourn(per_second(8), per_second(10)).base(), 0.5, 1e-12); }

TEST(Queueing, NoSteadyStateIsInfinite) {
  EXPECT_TRUE(std::isinf(mm1_mean_sojourn(per_second(10), per_second(10)).base()));
  EXPECT_TRUE(std::isinf(mmc_mean_wait(2, per_second(20), per_second(10)).base()));
  EXPECT_TRUE(std::isinf(mg1_mean_wait(per_second(11), seconds(0.1), seconds(0)).base()));
  EXPECT_TRUE(std::isinf(mg1_ps_mean_sojourn(per_second(10), seconds(0.1)).base()));
}

// One server: the probability of waiting is rho.
TEST(Queueing, ErlangCOfOneServerIsItsLoad) { EXPECT_NEAR(erlang_c(1, 0.7), 0.7, 1e-12); }

// c = 2, a = 1: C = (a^2/2!)(2/(2-1)) / (1 + a + (a^2/2!)(2/(2-1))) = 1 / (1 + 1 + 1) = 1/3.
TEST(Queueing, ErlangCOfTwoServers) { EXPECT_NEAR(erlang_c(2, 1.0), 1.0 / 3.0, 1e-12); }

// Two servers of 10/s at 10/s: C / (20 - 10) = 1/30 s.
TEST(Queueing, WaitOfMmc) { EXPECT_NEAR(mmc_mean_wait(2, per_second(10), per_second(10)).base(), 1.0 / 30.0, 1e-12); }

// c = 10, a = 8 erlangs: C = 0.4092 (tables of Erlang C).
TEST(Queueing, ErlangCOfTables) { EXPECT_NEAR(erlang_c(10, 8.0), 0.4092, 5e-5); }

// rho = 0.8, mean 0.1 s: exponential service waits 0.8 / 2 = 0.4 s; without spread half of it.
TEST(Queueing, WaitOfMg1) {
  EXPECT_NEAR(mg1_mean_wait(per_second(8), seconds(0.1), seconds(0.1)).base(), 0.4, 1e-12);
  EXPECT_NEAR(md1_mean_wait(per_second(8), seconds(0.1)).base(), 0.2, 1e-12);
}

// rho = 0.75, mean 0.1 s: 0.1 / 0.25 = 0.4 s.
TEST(Queueing, SojournOfProcessorSharing) {
  EXPECT_NEAR(mg1_ps_mean_sojourn(per_second(7.5), seconds(0.1)).base(), 0.4, 1e-12);
}

// k = 2, rho = 0.5: 0.5 * 0.25 / (1 - 0.125) = 1/7. At rho = 1: 1 / (k + 1). k = 1: rho / (1 + rho), Erlang B.
TEST(Queueing, LossOfMm1k) {
  EXPECT_NEAR(mm1k_loss(per_second(5), per_second(10), 2), 1.0 / 7.0, 1e-12);
  EXPECT_NEAR(mm1k_loss(per_second(10), per_second(10), 4), 0.2, 1e-12);
  EXPECT_NEAR(mm1k_loss(per_second(20), per_second(10), 1), 2.0 / 3.0, 1e-12);
  EXPECT_EQ(mm1k_loss(per_second(0), per_second(10), 3), 0.0);
}

}  // namespace
}  // namespace stallcast
