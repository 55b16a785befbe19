#include "core/plan/evaluate/assertion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace stallcast {
namespace {

using nlohmann::ordered_json;

Assertion parsed(const std::string& text) {
  const Loaded<Assertion> loaded = parse_assertion(text);
  EXPECT_TRUE(loaded.ok()) << text;
  return loaded.value.value_or(Assertion());
}

std::string code_of(const std::string& text) {
  const Loaded<Assertion> loaded = parse_assertion(text);
  EXPECT_FALSE(loaded.value);
  return loaded.findings.list().empty() ? "" : loaded.findings.list().front().code;
}

// Texts in the unit of the path, and plain numbers in its base unit.
TEST(Assertion, ReadsValuesInTheUnitOfThePath) {
  EXPECT_DOUBLE_EQ(parsed("time_to_train_s>72h").value, 72.0 * 3600.0);
  EXPECT_DOUBLE_EQ(parsed("time_to_train_s > 72").value, 72.0);
  EXPECT_DOUBLE_EQ(parsed("cost.total_usd>=$500").value, 500.0);
  EXPECT_DOUBLE_EQ(parsed("gpu_utilization<90 %").value, 0.9);
  EXPECT_DOUBLE_EQ(parsed("gpu_utilization.ci95_low<0.9").value, 0.9);
  EXPECT_DOUBLE_EQ(parsed("lost_time_fraction.checkpoint>5 %").value, 0.05);
  EXPECT_DOUBLE_EQ(parsed("step_time_s.p99>250 ms").value, 0.25);
  EXPECT_DOUBLE_EQ(parsed("host_memory.loader_bytes>16 GiB").value, 16.0 * 1073741824.0);
  EXPECT_DOUBLE_EQ(parsed("cost.by_cause.staging>$1.50").value, 1.5);
  EXPECT_DOUBLE_EQ(parsed("steps<100").value, 100.0);
}

TEST(Assertion, ReadsTheFourComparisons) {
  EXPECT_EQ(parsed("au<1").relation, Relation::kLess);
  EXPECT_EQ(parsed("au<=1").relation, Relation::kLessOrEqual);
  EXPECT_EQ(parsed("au>1").relation, Relation::kGreater);
  EXPECT_EQ(parsed("au >= 1").relation, Relation::kGreaterOrEqual);
  EXPECT_EQ(parsed("au >= 1").path, "au");
}

// A value at the threshold itself tells < from <=.
TEST(Assertion, HoldsAtItsThresholdOnlyWhereItSaysSo) {
  EXPECT_FALSE(holds(parsed("au<0.5"), 0.5));
  EXPECT_TRUE(holds(parsed("au<=0.5"), 0.5));
  EXPECT_FALSE(holds(parsed("au>0.5"), 0.5));
  EXPECT_TRUE(holds(parsed("au>=0.5"), 0.5));
  EXPECT_TRUE(holds(parsed("au<0.5"), 0.4));
  EXPECT_TRUE(holds(parsed("au>0.5"), 0.6));
}

TEST(Assertion, RefusesWhatIsNoCondition) {
  EXPECT_EQ(code_of("gpu_utilization"), "not_a_condition");
  EXPECT_EQ(code_of("gpu_utilization=0.9"), "not_a_condition");
  EXPECT_EQ(code_of("<0.9"), "not_a_path");
  EXPECT_EQ(code_of("cost..total_usd<1"), "not_a_path");
  EXPECT_EQ(code_of("time_to_train_s<72 GB"), "wrong_unit");
  EXPECT_FALSE(parse_assertion("gpu_utilization<").ok());
  EXPECT_FALSE(parse_assertion("gpu_utilization<nan").ok());
}

const ordered_json kResult = {{"gpu_utilization", {{"mean", 0.8}, {"ci95_low", 0.7}, {"ci95_high", 0.9}}},
                              {"time_to_train_s", nullptr},
                              {"bottleneck", "gpu"},
                              {"run_timeline", nullptr},
                              {"regimes", {{{"samples_per_s", 5.0}}}},
                              {"cost", {{"total_usd", 12.5}}}};

TEST(Assertion, LooksUpGroupsByTheirMeanAndMembersByName) {
  EXPECT_EQ(check(parsed("gpu_utilization<0.9"), kResult).found, 0.8);
  EXPECT_EQ(check(parsed("gpu_utilization<0.9"), kResult).verdict, Verdict::kHolds);
  EXPECT_EQ(check(parsed("gpu_utilization<0.75"), kResult).verdict, Verdict::kFine);
  EXPECT_EQ(check(parsed("gpu_utilization.ci95_low<0.75"), kResult).verdict, Verdict::kHolds);
  EXPECT_EQ(check(parsed("regimes.0.samples_per_s<4"), kResult).verdict, Verdict::kFine);
  EXPECT_EQ(check(parsed("cost.total_usd>$12"), kResult).verdict, Verdict::kHolds);
}

TEST(Assertion, WhatIsNotKnownIsNeitherFineNorTrue) {
  EXPECT_EQ(check(parsed("time_to_train_s>72h"), kResult).verdict, Verdict::kUnknown);
  EXPECT_EQ(check(parsed("run_timeline.ettr<0.9"), kResult).verdict, Verdict::kUnknown);
  EXPECT_EQ(check(parsed("regimes.1.samples_per_s<4"), kResult).verdict, Verdict::kUnknown);
  EXPECT_EQ(check(parsed("bottleneck<1"), kResult).verdict, Verdict::kUnknown);
  EXPECT_EQ(check(parsed("cost.compute_usd>1"), kResult).verdict, Verdict::kNoSuchKey);
  const ordered_json endless = {{"au", std::numeric_limits<double>::infinity()}};
  EXPECT_EQ(check(parsed("au<1"), endless).verdict, Verdict::kUnknown);
}

TEST(Assertion, NamesTheNearestPath) {
  const auto fix = [](const std::string& text) {
    const std::optional<Finding> problem = path_problem(parsed(text), kResult);
    return problem ? problem->fix : "none";
  };
  EXPECT_EQ(fix("gpu_utilisation<0.9"), "did you mean gpu_utilization?");
  EXPECT_EQ(fix("total_usd>1"), "did you mean cost.total_usd?");
  EXPECT_EQ(fix("cost.totl_usd>1"), "did you mean cost.total_usd?");
  EXPECT_NE(fix("cost>1"), "none");
  EXPECT_NE(fix("bottleneck<1"), "none");
  // Only a run can say.
  EXPECT_EQ(fix("run_timeline.ettr<0.9"), "none");
  EXPECT_EQ(fix("regimes.7.samples_per_s<1"), "none");
  EXPECT_EQ(fix("time_to_train_s<1"), "none");
}

TEST(Assertion, ShowsValuesInTheirUnit) {
  EXPECT_EQ(value_of_path_text("gpu_utilization.ci95_low", 0.7861), "78.61 %");
  EXPECT_EQ(value_of_path_text("cost.total_usd", 1234.567), "$1234.57");
  EXPECT_EQ(value_of_path_text("time_to_train_s", 7200.0), "2 h");
  EXPECT_EQ(value_of_path_text("steps", 400.0), "400");
}

}  // namespace
}  // namespace stallcast
