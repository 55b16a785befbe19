#include "core/plan/search/option_draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include "core/report/words/option_draws_text.h"
#include "core/run/input_ranges.h"

namespace stallcast {
namespace {

// One rank that waits for storage: 10 MB a step of 50 ms at `rate` bytes/s, "up to" by the data sheet of `tier`.
ResolvedScenario starved(double rate, const char* tier) {
  ResolvedScenario out;
  Scenario& s = out.scenario;
  s.cluster.cores_per_node = 16;
  s.workload.batch_size = 10;
  s.workload.step_time = Distribution::constant(0.05);
  s.dataset.samples = 20'000;
  s.dataset.sample_size = Distribution::constant(1e6);
  s.storage.tier = tier;
  s.storage.read_bandwidth = bytes_per_second(rate);
  s.loader.num_workers = 4;
  s.loader.persistent_workers = true;
  s.run.epochs = 1;
  out.provenance["/storage/read_bandwidth"] = {Origin::kCatalogue, "tier/t", "a data sheet", "vendor", ""};
  return out;
}

OptionDraws drawn(const std::vector<ResolvedScenario>& jobs) {
  std::vector<Evaluation> evaluations;
  std::vector<OptionToDraw> options;
  evaluations.reserve(jobs.size());
  for (const ResolvedScenario& job : jobs) {
    evaluations.push_back(evaluate(job, RunOptions()));
    options.push_back({&job, &evaluations.back()});
  }
  return draw_options(options, RunOptions());
}

// 100 MB/s keep the GPU half busy, and a data sheet's rate may be 0.6 to 1.1 of what it says: utilization goes with it.
// The model's own error, of storage that nobody measured, comes on top in quadrature.
TEST(OptionDraws, RangeIsThatOfTheInput) {
  const OptionDraws draws = drawn({starved(100e6, "t")});
  ASSERT_EQ(draws.draws(), kRangeDraws);
  const auto range = draws.range(0, Figure::kUtilization);
  ASSERT_TRUE(range.has_value());
  const auto beside_error = [](double factor) {
    return std::hypot(std::log(factor), std::log(factor < 1.0 ? 1.0 - kUnmeasuredError : 1.0 + kUnmeasuredError));
  };
  EXPECT_LT(range->ci95_low, std::exp(-beside_error(0.62)) * range->mean);
  EXPECT_GT(range->ci95_low, std::exp(-beside_error(0.37)) * range->mean);
  EXPECT_GT(range->ci95_high, std::exp(beside_error(1.08)) * range->mean);
  EXPECT_LT(range->ci95_high, std::exp(beside_error(1.21)) * range->mean);
  EXPECT_FALSE(draws.range(0, Figure::kTotal).has_value());  // no price
}

// The same tier is slow in both or in none: the one with more workers and 1 % more of nothing else stays as it is. Two
// tiers of 100 and 105 MB/s are each what they are by themselves, and the slower one is ahead in some draws.
TEST(OptionDraws, OneFactMovesBothTwoFactsMoveApart) {
  ResolvedScenario smaller = starved(100e6, "t");
  smaller.scenario.dataset.sample_size = Distribution::constant(0.95e6);
  const OptionDraws shared = drawn({starved(100e6, "t"), smaller});
  EXPECT_EQ(shared.best(1, Figure::kTime), kRangeDraws);
  EXPECT_EQ(shared.best(0, Figure::kTime), 0);

  const OptionDraws apart = drawn({starved(100e6, "t"), starved(105e6, "u")});
  EXPECT_GT(apart.best(0, Figure::kTime), 1);
  EXPECT_GT(apart.best(1, Figure::kTime), apart.best(0, Figure::kTime));
  EXPECT_EQ(apart.best(0, Figure::kTime) + apart.best(1, Figure::kTime), kRangeDraws);
}

// The median of the factor is 1: a target at the value as given is met in about half of the draws, which are one in
// each nineteenth of the distribution, and one below the lowest of them in all.
TEST(OptionDraws, TargetsAreMetAsOftenAsTheirInputAllows) {
  const OptionDraws draws = drawn({starved(100e6, "t")});
  const double mean = draws.range(0, Figure::kUtilization)->mean;
  EXPECT_NEAR(static_cast<double>(draws.met(0, {{Figure::kUtilization, mean}})), 9.5, 1.0);
  EXPECT_EQ(draws.met(0, {{Figure::kUtilization, 0.3 * mean}}), kRangeDraws);
  EXPECT_EQ(draws.met(0, {{Figure::kUtilization, 0.99}}), 0);
  EXPECT_EQ(draws.best(0, Figure::kTime, {{Figure::kUtilization, 0.99}}), 0);
  EXPECT_EQ(draws.met(0, {{Figure::kGpus, 1}}), kRangeDraws);  // known without a simulation
}

TEST(OptionDraws, NothingOpenNothingDrawn) {
  ResolvedScenario known = starved(100e6, "t");
  known.provenance.clear();
  const OptionDraws draws = drawn({known});
  EXPECT_EQ(draws.draws(), 0);
  EXPECT_EQ(chosen_draws_text(draws, {}, Figure::kTime), "");
  EXPECT_TRUE(option_draws_json(draws, {"A"}, Figure::kTime).is_null());
}

TEST(OptionDraws, TextAndJsonSayTheSame) {
  const OptionDraws draws = drawn({starved(100e6, "t"), starved(105e6, "u")});
  const auto json = option_draws_json(draws, {"A", "B"}, Figure::kTime);
  EXPECT_EQ(json["draws"], kRangeDraws);
  EXPECT_DOUBLE_EQ(json["options"][1]["best_fraction"].get<double>(),
                   static_cast<double>(draws.best(1, Figure::kTime)) / static_cast<double>(kRangeDraws));
  EXPECT_TRUE(json["options"][0]["ranges"]["total_usd"].is_null());
  std::string text = compared_draws_text(draws, {"A", "B"}, Figure::kTime);
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return std::isspace(a) && std::isspace(b); }),
             text.end());
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_NE(text.find("the best in " + std::to_string(draws.best(1, Figure::kTime)) + " of 19"), std::string::npos);
}

}  // namespace
}  // namespace stallcast
