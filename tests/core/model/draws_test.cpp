#include "core/model/loader/draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/core/model/model_run.h"

namespace stallcast {
namespace {

Scenario random_draws() {
  Scenario s = bare_job(50);
  s.cluster.gpus_per_node = 3;
  s.workload.step_time = Distribution::lognormal(0.01, 0.3);
  s.dataset.sample_size = Distribution::lognormal(1e6, 0.5);
  s.dataset.decode_time = Distribution::lognormal(0.002, 0.5);
  s.dataset.decode_size_correlation = 0.6;
  s.storage.latency = Distribution::lognormal(0.005, 1.0);
  s.storage.open_latency = Distribution::lognormal(0.001, 1.0);
  return s;
}

void expect_same(const SampleDraw& a, const SampleDraw& b) {
  EXPECT_EQ(a.size_bytes, b.size_bytes);
  EXPECT_EQ(a.decode_s, b.decode_s);
}

TEST(Draws, DoNotDependOnTheOrderOfAsking) {
  const Scenario s = random_draws();
  const Draws forwards(s, 7, nullptr), backwards(s, 7, nullptr);
  std::vector<SampleDraw> first;
  for (std::int64_t rank = 0; rank < 3; ++rank)
    for (std::uint64_t i = 0; i < 100; ++i) first.push_back(forwards.sample(rank, i));
  for (std::int64_t rank = 2; rank >= 0; --rank) {
    for (std::uint64_t i = 100; i-- > 0;) {
      backwards.step_s(rank, i);
      expect_same(backwards.sample(rank, i), first[static_cast<std::size_t>(rank) * 100 + i]);
      EXPECT_EQ(backwards.open_latency_s(rank, i), forwards.open_latency_s(rank, i));
    }
  }
}

// Common random numbers: what a scenario changes elsewhere leaves the luck of samples and steps alone.
TEST(Draws, DoNotDependOnOtherSettings) {
  const Scenario s = random_draws();
  Scenario other = s;
  other.loader.num_workers = 17;
  other.loader.in_order = false;
  other.cluster.nodes = 5;
  other.storage.read_bandwidth = bytes_per_second(1e6);
  other.workload.batch_size = 3;
  const Draws a(s, 7, nullptr), b(other, 7, nullptr);
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    for (std::uint64_t i = 0; i < 100; ++i) {
      expect_same(a.sample(rank, i), b.sample(rank, i));
      EXPECT_EQ(a.step_s(rank, i), b.step_s(rank, i));
    }
  }
}

TEST(Draws, DifferByRankSeedAndNumber) {
  const Scenario s = random_draws();
  const Draws a(s, 7, nullptr), b(s, 8, nullptr);
  EXPECT_NE(a.latency_s(0, 0), a.latency_s(1, 0));
  EXPECT_NE(a.latency_s(0, 0), a.latency_s(0, 1));
  EXPECT_NE(a.latency_s(0, 0), b.latency_s(0, 0));
  EXPECT_NE(a.step_s(0, 0), a.step_s(1, 0));
  EXPECT_NE(a.step_s(0, 0), b.step_s(0, 0));
}

// The whole job reads the same bytes with 1 worker and with 5.
TEST(Draws, TheNumberOfWorkersDoesNotChangeWhatIsRead) {
  Scenario s = random_draws();
  const ModelRun one = run_model(s);
  s.loader.num_workers = 5;
  const ModelRun five = run_model(s);
  EXPECT_NEAR(one.read_bytes, five.read_bytes, 1e-6);  // summed in another order
  for (std::size_t k = 0; k < one.log.compute_s.size(); ++k)
    EXPECT_NEAR(one.log.compute_s[k], five.log.compute_s[k], 1e-12);
}

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<double>(i);
  return ranks;
}

// Spearman: the correlation of ranks. Its standard error over n draws is below 1 / sqrt(n) = 0.007; 0.02 is 2.8 of
// them.
TEST(Draws, DecodeTimeAndSizeHaveTheAskedRankCorrelation) {
  constexpr std::size_t kDraws = 20000;
  for (const double asked : {-1.0, -0.5, 0.3, 0.6, 0.9, 1.0}) {
    Scenario s = random_draws();
    s.dataset.decode_size_correlation = asked;
    const Draws draws(s, 3, nullptr);
    std::vector<double> size, decode;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const SampleDraw draw = draws.sample(0, i);
      size.push_back(draw.size_bytes);
      decode.push_back(draw.decode_s);
    }
    const auto a = ranks_of(size), b = ranks_of(decode);
    const double middle = 0.5 * (kDraws - 1.0);
    double product = 0.0, square = 0.0;
    for (std::size_t i = 0; i < kDraws; ++i) {
      product += (a[i] - middle) * (b[i] - middle);
      square += (a[i] - middle) * (a[i] - middle);
    }
    EXPECT_NEAR(product / square, asked, 0.02);
    // The correlation leaves each of the two distributions as it was: 2 ms within 4 standard errors of 0.53 / sqrt(n).
    EXPECT_NEAR(std::accumulate(decode.begin(), decode.end(), 0.0) / kDraws, 0.002, 0.002 * 4 * 0.53 / 141.0);
  }
}

TEST(Draws, ReplayedOnesAreTakenInTurnAndStartAgain) {
  const Scenario s = bare_job(1);
  const auto replay = std::make_shared<const ReplayedDraws>(ReplayedDraws{{{{1.0, 2.0}, {5.0}, {}, {}}}});
  const Draws draws(s, 1, replay);
  EXPECT_EQ(draws.latency_s(0, 3), 2.0);
  EXPECT_EQ(draws.sample(0, 3).size_bytes, 5.0);
  EXPECT_EQ(draws.sample(0, 3).decode_s, 0.0);
  EXPECT_EQ(draws.step_s(0, 3), 0.01);  // not replayed: the scenario's own
}

}  // namespace
}  // namespace stallcast
