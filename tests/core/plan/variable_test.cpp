#include "core/plan/space/variable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/plan/base_file.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> values(const std::string& text) {
  const Loaded<Variable> variable = parse_variable(text, ScenarioFile());
  return variable.value ? variable.value->values : std::vector<std::string>{code_of(variable.findings)};
}

TEST(Variable, AListIsTakenAsWritten) {
  EXPECT_THAT(values("loader.num_workers=4, 16,8,4"), ElementsAre("4", "16", "8"));
  EXPECT_THAT(values("storage.tier=parallelstore,gcs_standard"), ElementsAre("parallelstore", "gcs_standard"));
  EXPECT_THAT(values("/loader/in_order=true,false"), ElementsAre("true", "false"));
  EXPECT_THAT(values("workload.step_time=5 ms,{\"kind\": \"lognormal\", \"p50\": \"5 ms\", \"p99\": \"9 ms\"}"),
              ElementsAre("5 ms", "{\"kind\": \"lognormal\", \"p50\": \"5 ms\", \"p99\": \"9 ms\"}"));
}

TEST(Variable, StepsAreWalkedToTheEnd) {
  EXPECT_THAT(values("loader.num_workers=1..4"), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(values("loader.num_workers=2..9:3"), ElementsAre("2", "5", "8"));
  EXPECT_THAT(values("loader.num_workers=1..20:x2"), ElementsAre("1", "2", "4", "8", "16"));
  EXPECT_THAT(values("storage.capacity=12TiB..20 TiB:4TiB"), ElementsAre("12 TiB", "16 TiB", "20 TiB"));
  // 0.1 + 0.2 is 0.30000000000000004 in binary, and 0.3 is still reached.
  EXPECT_THAT(values("storage.noise=0.1..0.3:0.1"), ElementsAre("0.1", "0.2", "0.3"));
  EXPECT_THAT(values("workload.step_time.mean=10ms..30ms:10ms"), ElementsAre("10 ms", "20 ms", "30 ms"));
}

TEST(Variable, EveryWrongTextHasItsFinding) {
  EXPECT_THAT(values("loader.num_workers"), ElementsAre("not_a_variable"));
  EXPECT_THAT(values("loader.num_workers="), ElementsAre("not_a_variable"));
  EXPECT_THAT(values("loader.num_workers=9..1"), ElementsAre("empty_range"));
  EXPECT_THAT(values("loader.num_workers=1..9:0"), ElementsAre("bad_step"));
  EXPECT_THAT(values("loader.num_workers=0..9:x2"), ElementsAre("bad_step"));
  EXPECT_THAT(values("loader.num_workers=1..9:x1"), ElementsAre("bad_step"));
  EXPECT_THAT(values("dataset.samples=1..1000000"), ElementsAre("too_many_values"));
  EXPECT_THAT(values("storage.tier=a..b"), ElementsAre("not_a_range"));
  EXPECT_THAT(values("loader.num_worker=1..2"), ElementsAre("unknown_key"));
  EXPECT_THAT(values("loader.num_worker=1,2"), ElementsAre("unknown_key"));
  EXPECT_THAT(values("loader.num_workers=-1,2"), ElementsAre("out_of_range"));
  EXPECT_THAT(values("loader.num_workers=-1..2"), ElementsAre("out_of_range"));
  EXPECT_THAT(values("run.concurrent_jobs=a.json"), ElementsAre("base_field"));
  EXPECT_THAT(values("storage.capacity=1..2"), ElementsAre("missing_unit"));
}

TEST(Variable, EveryWrongValueOfAListIsSaid) {
  EXPECT_EQ(parse_variable("loader.num_workers=-1,2,x,-3", ScenarioFile()).findings.list().size(), 3U);
}

TEST(Variable, ARangeIsSampledEvenlyOrByRatio) {
  const auto at = [](const std::string& text, double fraction) {
    return value_at(*parse_variable(text, ScenarioFile()).value, fraction);
  };
  EXPECT_EQ(at("storage.noise=0..0.4", 0.25), "0.1");
  EXPECT_EQ(at("storage.read_bandwidth=1 GB/s..100 GB/s", 0.5), "10 GB/s");  // 100 times: by ratio
  EXPECT_EQ(at("storage.read_bandwidth=10 GB/s..50 GB/s", 0.5), "30 GB/s");
}

TEST(Variable, WholeNumbersOfARangeAreEquallyLikely) {
  Variable variable = *parse_variable("loader.num_workers=1..4", ScenarioFile()).value;
  EXPECT_EQ(value_at(variable, 0.0), "1");
  EXPECT_EQ(value_at(variable, 0.2499), "1");
  EXPECT_EQ(value_at(variable, 0.25), "2");
  EXPECT_EQ(value_at(variable, 0.9999), "4");
}

}  // namespace
}  // namespace stallcast
