// A study of sensitivity as text, JSON and CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/report/sensitivity_json.h"
#include "core/report/sensitivity_text.h"
#include "tests/core/plan/inline_job.h"
#include "tests/core/report/text_width.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;

SensitivityStudy study_of(const std::vector<ResolvedScenario>& scenarios, bool uncertain) {
  SensitivityStudy study;
  study.seed = 1;
  study.scenarios = scenarios;
  study.figures = {find_kpi("gpu_utilization"), find_kpi("cost.total_usd")};
  if (uncertain) {
    SensitivityOptions options;
    options.figures = study.figures;
    options.samples = 16;
    study.inputs =
        analyse(scenarios.front(), {{"/storage/latency", 0.5, 2.0}, {"/cost/node_price", 0.9, 1.1}}, options);
  }
  study.break_even = break_even(scenarios);
  return study;
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

TEST(SensitivityCsv, HasAsManyCellsInEveryRow) {
  std::istringstream lines(sensitivity_csv(study_of({inline_job()}, true)));
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line); ++rows)
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 13) << line;
  EXPECT_GT(rows, 1U + 2U * 2U + 2U * 2U);
}

}  // namespace
}  // namespace stallcast
