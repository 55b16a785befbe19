// --fail-if: what ends a command with exit code 4, what with 2, and that the result is written all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/report/json/result_shape.h"
#include "core/report/words/assumed_inputs.h"
#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FailIf : public Cli {};

// 20 steps of 10 ms that wait for reads: GPUs are busy for less than all and more than none of the time.
TEST_F(FailIf, AConditionThatHoldsEndsWithFourAfterTheResult) {
  const Outcome outcome =
      run({"simulate", job(), "--format", "json", "--fail-if", "gpu_utilization<0.999", "--fail-if", "steps>1000"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_LT(nlohmann::json::parse(outcome.out)["gpu_utilization"]["mean"], 0.999);
  EXPECT_THAT(outcome.err, HasSubstr("--fail-if 'gpu_utilization<0.999': gpu_utilization is "));
  EXPECT_THAT(outcome.err, Not(HasSubstr("steps")));
}

TEST_F(FailIf, AConditionThatDoesNotHoldChangesNothing) {
  const Outcome plain = run({"simulate", job()}), gated = run({"simulate", job(), "--fail-if", "gpu_utilization<1 %"});
  EXPECT_EQ(gated.code, 0);
  EXPECT_EQ(gated.err, plain.err);
}

// A job described by hand has no price: what is not known cannot be below a limit.
TEST_F(FailIf, AnUnknownNumberDoesNotPass) {
  for (const char* condition : {"cost.total_usd>$500", "cost.by_cause.staging>$1", "run_timeline.ettr<0.9"}) {
    const Outcome outcome = run({"simulate", job(), "--fail-if", condition});
    EXPECT_EQ(outcome.code, 4) << condition;
    EXPECT_THAT(outcome.err, HasSubstr("is not known")) << condition;
    EXPECT_THAT(outcome.out, HasSubstr("GPU utilization"));
  }
}

TEST_F(FailIf, WrongConditionsAreSaidAtOnceBeforeTheRun) {
  const Outcome outcome = run({"simulate", job(), "--fail-if", "gpu_utilisation<0.9", "--fail-if", "au=1", "--fail-if",
                               "run_timeline.wall_s.ci95_hihg>1"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("did you mean gpu_utilization?"), HasSubstr("error[not_a_condition]"),
                                 HasSubstr("did you mean run_timeline.wall_s.ci95_high?")));
}

TEST_F(FailIf, ExplainHasItToo) {
  EXPECT_EQ(run({"explain", job(), "--fail-if", "gpu_utilization<0.999"}).code, 4);
  EXPECT_EQ(run({"explain", job(), "--fail-if", "gpu_utilization<0.001"}).code, 0);
  EXPECT_EQ(run({"explain", job(), "--fail-if", "utilization<0.001"}).code, 2);
}

// Paths of several jobs are known only when they have run.
TEST_F(FailIf, SeveralJobsAreLookedUpInTheirResult) {
  file("other.json", kSmallJob);
  const std::string two = file("two.json", R"({
    "name": "two", "workload": {"batch_size": 4, "step_time": "10 ms"},
    "dataset": {"sample_size": "100 kB", "samples": 80}, "loader": {"num_workers": 2},
    "storage": {"latency": "2 ms", "stream_bandwidth": "1 GB/s"},
    "run": {"whole_run": true, "concurrent_jobs": ["other.json"]}})");
  EXPECT_EQ(run({"simulate", two, "--fail-if", "jobs.0.gpu_utilization<0.9999"}).code, 4);
  EXPECT_EQ(run({"simulate", two, "--fail-if", "jobs.0.gpu_utilization<0.0001"}).code, 0);
  EXPECT_EQ(run({"simulate", two, "--fail-if", "gpu_utilization<0.0001"}).code, 2);
}

// Every number and null of a real result has its key in the shape, so that no good path is refused.
void expect_covered(const nlohmann::ordered_json& result, const nlohmann::ordered_json& shape, const std::string& at) {
  if (shape.is_null() || !result.is_object()) return;
  for (const auto& [key, value] : result.items()) {
    if (at.empty() && (key == "scenario" || key == "provenance" || key == "catalogue" || key == "assumptions"))
      continue;
    ASSERT_TRUE(shape.contains(key)) << at << "." << key;
    expect_covered(value, shape.at(key), at + "." + key);
  }
}

TEST_F(FailIf, TheShapeHasEveryPathOfAResult) {
  const std::string scenarios = STALLCAST_SOURCE_DIR "/scenarios/";
  for (const char* name : {"08_checkpoint_sync.json", "21_uncertain_inputs.json", "weeks/scratch_23tib.json"}) {
    const Outcome outcome =
        run({"simulate", scenarios + name, "--precision", "0.1", "--replications", "2", "--format", "json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    nlohmann::ordered_json shape = result_shape();
    shape.update(assumed_ranges_shape());
    expect_covered(nlohmann::ordered_json::parse(outcome.out), shape, "");
  }
}

}  // namespace
}  // namespace stallcast
