// stallcast compare and sensitivity: what they print, refuse, and end with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CompareCommand : public Cli {
 protected:
  std::string slower_job() const {
    std::string text = kSmallJob;
    text.replace(text.find("\"2 ms\""), 6, "\"8 ms\"");
    return file("slower.json", text);
  }
};

TEST_F(CompareCommand, PrintsTheDifference) {
  const Outcome outcome = run({"compare", job(), slower_job()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Take A"), HasSubstr("storage.latency"), HasSubstr("8 ms")));
}

// What simulate alone says, and --set for all of them.
TEST_F(CompareCommand, ValuesAreThoseOfSimulate) {
  const Outcome outcome = run({"compare", job(), slower_job(), "--set", "loader.num_workers=1", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  const Outcome alone = run({"simulate", job(), "--set", "loader.num_workers=1", "--format", "json"});
  EXPECT_EQ(document["figures"][0]["values"][0], nlohmann::json::parse(alone.out)["gpu_utilization"]);
  EXPECT_EQ(document["scenarios"][1]["scenario"]["loader"]["num_workers"], 1);
}

TEST_F(CompareCommand, FailIfLooksAtEveryScenario) {
  const Outcome alone = run({"simulate", slower_job(), "--format", "json"});
  const auto slow = nlohmann::json::parse(alone.out)["gpu_utilization"]["mean"].get<double>();
  const std::string condition = "gpu_utilization<" + std::to_string(slow + 0.01);
  const Outcome outcome = run({"compare", job(), slower_job(), "--fail-if", condition});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("gpu_utilization of B is"), Not(HasSubstr("of A is"))));
  EXPECT_THAT(outcome.out, HasSubstr("Results"));
}

TEST_F(CompareCommand, RefusesWhatCannotBeCompared) {
  EXPECT_EQ(run({"compare", job()}).code, 2);
  EXPECT_EQ(run({"compare", job(), path("nowhere.json")}).code, 3);
  const Outcome wrong =
      run({"compare", file("a.json", R"({"storge": {}})"), file("b.json", R"({"loader": {"num_wrkers": 2}})")});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.out, IsEmpty());
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("/storge"), HasSubstr("/loader/num_wrkers")));
}

TEST_F(CompareCommand, SensitivityLooksAtGivenInputsAndBreakEvens) {
  const Outcome outcome = run({"sensitivity", job(), "--input", "storage.latency=1 ms..4 ms", "--samples", "4", "--kpi",
                               "samples_per_s", "--until", "gpu_utilization<0.5", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["tornado"][0]["low_factor"], 0.5);
  EXPECT_EQ(document["figures"][0], "samples_per_s");
  EXPECT_EQ(document["break_even"]["condition"], "gpu_utilization<0.5");
  const Outcome table = run({"sensitivity", job(), slower_job()});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("A has the"));
}

TEST_F(CompareCommand, SensitivitySaysAllThatIsWrongAtOnce) {
  const Outcome outcome = run({"sensitivity", job(), "--kpi", "gpu_utilisation", "--input", "storage.latncy=x1..x2",
                               "--until", "cost.totl_usd<5", "--by", "speed"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("did you mean gpu_utilization?"), HasSubstr("storage.latency"),
                                 HasSubstr("did you mean cost.total_usd?"), HasSubstr("--by: error[unknown_figure]")));
  EXPECT_EQ(run({"sensitivity", job(), job(), "--until", "gpu_utilization<0.5"}).code, 2);
}

}  // namespace
}  // namespace stallcast
