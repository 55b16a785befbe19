#include "core/cases/published_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/cases/case_prediction.h"
#include "core/cases/cases_report.h"
#include "tests/core/rendered.h"
#include "tests/temporary_folder.h"

namespace stallcast {
namespace {

using testing::HasSubstr;

class PublishedCases : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) const {
    const auto folder = temporary_folder() / testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "case.json") << text;
    return folder / "case.json";
  }
};

PredictedCase predicted(double known, double predicted, double low, double high) {
  PredictedCase out;
  PredictedOutcome outcome;
  outcome.known = {"samples_per_s", known, known, known, ""};
  outcome.predicted = predicted;
  outcome.low = low;
  outcome.high = high;
  out.published.outcomes = {outcome.known};
  out.outcomes = {outcome};
  return out;
}

TEST_F(PublishedCases, EverythingThatIsWrongIsSaidAtOnce) {
  const auto loaded = load_published_case(file(R"({"case": 7, "source": {"title": "t", "url": "u"}, "stated": "one",
      "not_stated": [], "basis": "guessed", "colour": 1, "scenario": {}, "not_expressible": "why",
      "outcomes": [{"figure": "samples_per_s", "known": -3, "note": ""}]})"));
  EXPECT_FALSE(loaded.value.has_value());
  const std::string text = rendered(loaded.findings);
  for (const char* part :
       {"/case", "/source/read", "/stated", "/basis", "colour", "not_expressible", "/outcomes/0/known"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST_F(PublishedCases, AnOutcomeIsPredictedFromTheScenario) {
  // One GPU, 10 samples a step of a second, loaded in no time: 10 samples a second.
  const auto loaded = load_published_case(file(R"({"case": "ten", "source": {"title": "t", "url": "u", "read": "today"},
      "stated": ["a step of a second"], "not_stated": [], "basis": "stated",
      "scenario": {"cluster": {"cores_per_node": 8}, "workload": {"batch_size": 10, "step_time": "1 s"},
                   "dataset": {"samples": 1000, "sample_size": "1 kB"}, "loader": {"num_workers": 1}},
      "outcomes": [{"figure": "samples_per_s", "known": 8, "known_low": 6, "known_high": 9, "note": "n"}]})"));
  ASSERT_TRUE(loaded.ok()) << rendered(loaded.findings);
  const auto cases = predict_cases({*loaded.value}, Catalogue(), {});
  ASSERT_TRUE(cases.ok()) << rendered(cases.findings);
  const PredictedOutcome& outcome = cases.value->at(0).outcomes.at(0);
  EXPECT_NEAR(*outcome.predicted, 10.0, 0.05);
  EXPECT_NEAR(outcome.ratio(), 10.0 / 9.0, 0.01) << "to the nearer end of what is known";
  EXPECT_FALSE(outcome.in_range());
  EXPECT_THAT(render_cases_text(*cases.value), HasSubstr("ten"));
  EXPECT_EQ(cases_json(*cases.value)["score"]["within_30_percent"], 1.0);
}

TEST_F(PublishedCases, AFigureThatNoResultHasIsRefused) {
  auto loaded = load_published_case(file(R"({"case": "none", "source": {"title": "t", "url": "u", "read": "today"},
      "stated": [], "not_stated": [], "basis": "stated",
      "scenario": {"workload": {"batch_size": 10, "step_time": "1 s"},
                   "dataset": {"samples": 100, "sample_size": "1 kB"}},
      "outcomes": [{"figure": "images_per_s", "known": 8, "note": "n"}]})"));
  ASSERT_TRUE(loaded.ok()) << rendered(loaded.findings);
  EXPECT_THAT(rendered(predict_cases({*loaded.value}, Catalogue(), {}).findings), HasSubstr("images_per_s"));
}

// By hand: 1.2 and 0.8 are within 30 %, 1.9 within a factor of 2, 0.4 neither; one range of four misses; one case of
// five cannot be expressed and counts as missed.
TEST_F(PublishedCases, AreScoredByShares) {
  PredictedCase none;
  none.published.not_expressible = "why";
  none.published.outcomes = {KnownOutcome()};
  const CaseScore score = score_of(
      {predicted(10, 12, 9, 13), predicted(10, 8, 7, 11), predicted(10, 19, 9, 20), predicted(10, 4, 3, 5), none});
  EXPECT_EQ(score.outcomes, 5U);
  EXPECT_EQ(score.expressible, 4U);
  EXPECT_DOUBLE_EQ(score.within_30_percent, 0.4);
  EXPECT_DOUBLE_EQ(score.within_factor_2, 0.6);
  EXPECT_DOUBLE_EQ(score.in_range, 0.75);
}

}  // namespace
}  // namespace stallcast
