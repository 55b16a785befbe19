// A comparison as text, JSON and CSV: the same numbers, and no line beyond 80 columns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/report/json/comparison_json.h"
#include "core/report/text/comparison_markdown.h"
#include "core/report/text/comparison_text.h"
#include "core/report/words/text_layout.h"
#include "tests/core/plan/inline_job.h"
#include "tests/core/report/text_width.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Comparison& three_jobs() {
  static const Comparison comparison = [] {
    ResolvedScenario slow = inline_job(0.010);
    slow.scenario.storage.tier = "a_storage_tier_with_a_name_that_is_far_too_long_for_any_column";
    slow.scenario.storage.request_time = seconds(0.000123456789);
    slow.provenance["/storage/request_time"].origin = Origin::kCatalogue;
    return compare({inline_job(0.005), slow, inline_job(0.005, 12.0)});
  }();
  return comparison;
}

TEST(ComparisonText, SaysTheAdviceAndEachDifferenceIn80Columns) {
  const std::string text = render_text(three_jobs());
  EXPECT_LE(widest_line(text), kColumns) << text;
  EXPECT_THAT(text, HasSubstr(three_jobs().advice.sentence.substr(0, 20)));
  EXPECT_THAT(text, HasSubstr("storage.latency"));
  EXPECT_THAT(text, HasSubstr("123.5 us *"));  // four digits, from the catalogue
  EXPECT_THAT(text, HasSubstr("-4.7"));        // 90.0 - 94.7 points
  EXPECT_THAT(text, HasSubstr("C - A"));
}

TEST(ComparisonText, OfEqualScenariosSaysSo) {
  const std::string text = render_text(compare({inline_job(), inline_job()}));
  EXPECT_THAT(text, HasSubstr("Every input is the same"));
  EXPECT_THAT(text, HasSubstr("do not differ"));
  EXPECT_THAT(text, Not(HasSubstr("+$")));
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(ComparisonMarkdown, OfAChangeIsSomeTwentyLines) {
  ResolvedScenario changed = inline_job(0.010);
  changed.scenario.name = "a | b\n# `c`";
  changed.provenance["/storage/latency"].origin = Origin::kFile;
  const Comparison comparison = compare({inline_job(0.005), changed});
  const std::string text = comparison_markdown(comparison);
  EXPECT_LE(lines_of(text), 22U) << text;
  EXPECT_THAT(text, HasSubstr("| GPU utilization | 94.7 % | 90.0 % | -4.7"));
  EXPECT_THAT(text, HasSubstr("the latency of the storage 5 ms → 10 ms"));
  EXPECT_THAT(text, HasSubstr(" rises by "));
  // A name can neither end its cell nor begin a heading.
  EXPECT_THAT(text, HasSubstr("a \\| b \\# \\`c\\`"));
}

TEST(ComparisonMarkdown, OfEqualScenariosClaimsNothing) {
  const std::string text = comparison_markdown(compare({inline_job(), inline_job()}));
  EXPECT_THAT(text, HasSubstr("does not change by more than chance"));
  EXPECT_THAT(text, HasSubstr("Every input is the same"));
}

TEST(ComparisonJson, HoldsTheFiguresOfEachScenarioAndTheirDifferences) {
  const auto document = comparison_document(three_jobs());
  EXPECT_EQ(document["format_version"], 2);
  ASSERT_EQ(document["scenarios"].size(), 3U);
  EXPECT_EQ(document["scenarios"][1]["label"], "B");
  const auto& figure = document["figures"][0];
  EXPECT_EQ(figure["name"], "gpu_utilization");
  EXPECT_EQ(figure["values"][1]["mean"], document["scenarios"][1]["gpu_utilization"]["mean"]);
  EXPECT_TRUE(figure["differences"][0].is_null());
  EXPECT_NEAR(figure["differences"][1]["mean"].get<double>(), 0.9 - 90.0 / 95.0, 1e-3);
  EXPECT_EQ(document["advice"]["best"], "A");
  EXPECT_EQ(document["lost_time_fraction"]["computing"][0], figure["values"][0]["mean"]);
  EXPECT_EQ(document["inputs"][0]["values"].size(), 3U);
  EXPECT_EQ(document["pairs"], kPairs);
}

// Of a job without prices, dollars are null and empty, never 0.
TEST(ComparisonJson, WhatIsNotKnownIsNull) {
  ResolvedScenario job = inline_job();
  job.scenario.cost = {};
  const Comparison comparison = compare({job, inline_job()});
  const auto document = comparison_document(comparison);
  EXPECT_TRUE(document["cost_usd"]["total"][0].is_null());
  EXPECT_TRUE(document["cost_usd"]["total"][1].is_number());
  EXPECT_THAT(comparison_csv(comparison), HasSubstr("cost.total_usd,A,,,,,,\n"));
}

TEST(ComparisonCsv, HasARowForEachFigureAndScenario) {
  const std::string csv = comparison_csv(three_jobs());
  const auto rows = static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n'));
  EXPECT_EQ(rows, 1 + 3 * three_jobs().figures.size());
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) EXPECT_EQ(std::count(line.begin(), line.end(), ','), 7) << line;
}

}  // namespace
}  // namespace stallcast
