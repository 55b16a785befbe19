// A study of sensitivity as text, JSON and CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/report/json/sensitivity_json.h"
#include "core/report/text/sensitivity_text.h"
#include "tests/core/plan/inline_job.h"
#include "tests/core/report/text_width.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;

SensitivityStudy study_of(const std::vector<ResolvedScenario>& scenarios, bool uncertain) {
  SensitivityOptions options;
  options.figures = {find_kpi("gpu_utilization"), find_kpi("cost.total_usd")};
  options.samples = 16;
  const std::vector<UncertainInput> some = {{"/storage/latency", 0.5, 2.0}, {"/cost/node_price", 0.9, 1.1}};
  return study_sensitivity(scenarios, InputsOfEach(scenarios.size(), uncertain ? some : std::vector<UncertainInput>()),
                           options, {});
}

TEST(SensitivityText, SaysWhatMovesAJobIn80Columns) {
  const std::string text = render_text(study_of({inline_job()}, true));
  EXPECT_LE(widest_line(text), kColumns) << text;
  EXPECT_THAT(text, HasSubstr("GPU utilization is 94.7 % as given"));
  EXPECT_THAT(text, HasSubstr("2.5 ms to 10 ms"));
  EXPECT_THAT(text, HasSubstr("97.3 % to 90.0 %"));  // 90 / 92.5, 90 / 100
  EXPECT_THAT(text, HasSubstr("no effect"));         // of the price on utilization
  EXPECT_THAT(text, HasSubstr("It drops by more than a point when"));
}

TEST(SensitivityText, WithoutUncertainInputsProposesTheOption) {
  EXPECT_THAT(render_text(study_of({inline_job()}, false)), HasSubstr("--input"));
}

TEST(SensitivityText, OfSeveralSaysWhoseInputChangesTheAdvice) {
  const std::string text = render_text(study_of({inline_job(0.005, 10.0), inline_job(1e-9, 11.0)}, false));
  EXPECT_LE(widest_line(text), kColumns) << text;
  EXPECT_THAT(text, HasSubstr("A has the lowest total cost"));
  EXPECT_THAT(text, HasSubstr("cost.node_price of A"));
  EXPECT_THAT(text, HasSubstr("B above $10.4/h"));
}

TEST(SensitivityJson, HoldsEveryTable) {
  const auto document = sensitivity_document(study_of({inline_job()}, true));
  EXPECT_EQ(document["format_version"], 1);
  EXPECT_EQ(document["complete"], true);
  EXPECT_EQ(document["tornado"][0]["input"], "/storage/latency");
  EXPECT_EQ(document["tornado"][0]["unit"], "s");
  EXPECT_NEAR(document["tornado"][0]["at_high"]["gpu_utilization"].get<double>(), 0.9, 1e-3);
  EXPECT_EQ(document["sobol"]["indices"]["gpu_utilization"][1]["total"]["mean"], 0.0);  // the price
  EXPECT_EQ(document["break_even"]["advice"], false);
  EXPECT_TRUE(document["break_even"]["inputs"][0]["scenario"].is_null());
}

TEST(SensitivityJson, OfSeveralNamesScenarios) {
  const auto document = sensitivity_document(study_of({inline_job(0.005, 10.0), inline_job(1e-9, 11.0)}, false));
  EXPECT_TRUE(document["tornado"].is_null());
  EXPECT_EQ(document["break_even"]["advice"], "A");
  // The two nearest: A's machine dearer, or B's cheaper.
  for (const std::size_t row : {0U, 1U}) {
    const auto& input = document["break_even"]["inputs"][row];
    EXPECT_EQ(input["input"], "/cost/node_price");
    EXPECT_EQ(input[input["scenario"] == "A" ? "above" : "below"]["advice"], "B");
  }
}

// A waits 5 ms beside 90 ms and costs $10 an hour, B does not wait and costs $12: 100 steps in 9.5 s and 9 s, that is
// 2.639 and 3.0 cents. Waiting 10 ms makes A's 2.778 cents; only at $11 is A, at 2.903, nearly as dear as B. At $10.8
// B costs 2.7 cents, still more than A.
TEST(SensitivityText, OfSeveralSaysWhatTheDifferenceDependsOn) {
  const std::string text = render_text(study_of({inline_job(0.005, 10.0), inline_job(1e-9, 12.0)}, true));
  EXPECT_LE(widest_line(text), kColumns) << text;
  EXPECT_THAT(text, HasSubstr("Total cost of B less that of A is +$0.00 as given."));
  EXPECT_THAT(text, HasSubstr("cost.node_price of B"));
  EXPECT_THAT(text, HasSubstr("Share of the variance of total cost of B less that of A by input (16 samples)"));
  EXPECT_THAT(text, HasSubstr("GPU utilization of A is 94.7 % as given"));
  EXPECT_THAT(text, HasSubstr("GPU utilization of B is 100.0 % as given"));
  EXPECT_THAT(text, HasSubstr("A has the lowest total cost"));
}

TEST(SensitivityJson, OfSeveralHasEachAndTheirDifference) {
  const auto document = sensitivity_document(study_of({inline_job(0.005, 10.0), inline_job(1e-9, 12.0)}, true));
  EXPECT_TRUE(document["tornado"].is_null());
  EXPECT_EQ(document["figures"][0], "cost.total_usd");
  ASSERT_EQ(document["each"].size(), 2U);
  EXPECT_EQ(document["each"][1]["label"], "B");
  EXPECT_EQ(document["each"][1]["tornado"].size(), 2U);
  const auto& difference = document["difference"];
  EXPECT_EQ(difference["best"], "A");
  EXPECT_EQ(difference["other"], "B");
  EXPECT_NEAR(difference["as_given"]["cost.total_usd"].get<double>(), 0.03 - 0.02639, 1e-4);
  // The widest: B's price, of 2.7 to 3.3 cents.
  EXPECT_EQ(difference["tornado"][0]["input"], "/cost/node_price");
  EXPECT_EQ(difference["tornado"][0]["scenario"], "B");
  EXPECT_NEAR(difference["tornado"][0]["at_low"]["cost.total_usd"].get<double>(), 0.027 - 0.02639, 1e-4);
  EXPECT_EQ(difference["sobol"]["indices"]["cost.total_usd"].size(), 4U);
}

TEST(SensitivityCsv, HasAsManyCellsInEveryRow) {
  std::istringstream lines(sensitivity_csv(study_of({inline_job()}, true)));
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line); ++rows)
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 13) << line;
  EXPECT_GT(rows, 1U + 2U * 2U + 2U * 2U);
  std::istringstream both(sensitivity_csv(study_of({inline_job(0.005, 10.0), inline_job(1e-9, 12.0)}, true)));
  for (std::string line; std::getline(both, line);) EXPECT_EQ(std::count(line.begin(), line.end(), ','), 13) << line;
}

}  // namespace
}  // namespace stallcast
