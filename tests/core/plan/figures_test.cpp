#include "core/plan/evaluate/figures.h"

#include <gtest/gtest.h>

#include "core/plan/search/pareto.h"

namespace stallcast {
namespace {

Figures figures(double usd, double utilization, double time_s) {
  Figures f;
  f.of(Figure::kTotal) = exact_estimate(usd);
  f.of(Figure::kUtilization) = exact_estimate(utilization);
  f.of(Figure::kTime) = exact_estimate(time_s);
  return f;
}

TEST(Figures, ConfidentLimitIsTheMeanAtOneHalfAndTheEndOfTheIntervalAt975) {
  const Estimate e{0.9, 0.86, 0.96};
  EXPECT_DOUBLE_EQ(confident_limit(e, Figure::kUtilization, 0.5), 0.9);
  EXPECT_NEAR(confident_limit(e, Figure::kUtilization, 0.975), 0.86, 1e-12);
  EXPECT_NEAR(confident_limit(e, Figure::kTime, 0.975), 0.96, 1e-12);
  // z(0.95) / z(0.975) = 1.644854 / 1.959964 = 0.839226.
  EXPECT_NEAR(confident_limit(e, Figure::kUtilization, 0.95), 0.9 - 0.839226 * 0.04, 1e-7);
  EXPECT_NEAR(confident_limit(e, Figure::kTime, 0.95), 0.9 + 0.839226 * 0.06, 1e-7);
}

TEST(Figures, TheFirstMissedTargetIsToldAndWhatIsNotKnownIsMissed) {
  const Figures f = figures(100.0, 0.9, 3600.0);
  const std::vector<Target> kept = {{Figure::kTotal, 100.0}, {Figure::kUtilization, 0.9}, {Figure::kTime, 3600.0}};
  EXPECT_EQ(first_missed(kept, f, 0.95), nullptr);
  const std::vector<Target> missed = {{Figure::kTotal, 100.0}, {Figure::kUtilization, 0.91}, {Figure::kTime, 1.0}};
  EXPECT_EQ(first_missed(missed, f, 0.95), &missed[1]);
  const std::vector<Target> unknown = {{Figure::kGpuHour, 1e9}};
  EXPECT_EQ(first_missed(unknown, f, 0.95), &unknown[0]);
}

TEST(Pareto, KeepsWhatNothingBeatsInEverything) {
  // 1 beats 0 in all; 2 is dearer and busier; 3 equals 1; 4 is dearer than 2 and as busy, but faster.
  std::vector<Figures> points = {figures(10, 0.5, 9), figures(9, 0.6, 8), figures(12, 0.8, 8), figures(9, 0.6, 8),
                                 figures(13, 0.8, 7)};
  points.emplace_back();  // nothing is known of it
  const std::vector<Figure> by = {Figure::kTotal, Figure::kUtilization, Figure::kTime};
  EXPECT_EQ(pareto_front(points, by), (std::vector<std::size_t>{1, 2, 4}));
}

}  // namespace
}  // namespace stallcast
