#include "core/plan/review/review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/plan/review/review_parts.h"
#include "tests/core/plan/review_jobs.h"

namespace stallcast {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kQuestion = R"(, "plan": {"vary": ["loader.num_workers=1,2,3,4"], "min_utilization": 0.7})";

double utilization(const ReviewOption& option) { return option.evaluation.result.gpu_utilization.mean; }

// 3 workers give 0.73 and 4 give 0.97: both keep 0.7, and 4 end sooner, so they cost less.
TEST(Review, OfAQuestionRecommendsWhatSizeFinds) {
  const Review review = review_of(review_request({small_job("job", 2, kQuestion)}));
  ASSERT_EQ(review.options.size(), 2U);
  const ReviewOption& best = review.options.front();
  ASSERT_TRUE(review.sizing);
  EXPECT_EQ(best.point, review.sizing->best.front().point);
  // The search was coarse; what is shown of it is on the scale of the option's own run.
  EXPECT_NEAR(review.sizing->best.front().figures.at(Figure::kUtilization), utilization(best), 1e-12);
  for (const FrontPoint& point : review.sizing->front.points) {
    if (point.point.point != best.point) continue;
    EXPECT_NEAR(point.point.figures.at(Figure::kUtilization), utilization(best), 1e-12);
  }
  EXPECT_EQ(best.resolved.scenario.loader.num_workers, 4);
  EXPECT_EQ(best.label, "A");
  EXPECT_FALSE(best.missed);
  EXPECT_THAT(best.main_risk, Not(IsEmpty()));
  EXPECT_THAT(best.verdict, IsEmpty());
  const ReviewOption& given = review.options.back();
  EXPECT_EQ(given.origin, "as the scenario has it");
  EXPECT_NEAR(utilization(given), 2 / 4.1, 0.02);
  ASSERT_TRUE(given.missed);
  EXPECT_THAT(given.verdict, HasSubstr("misses the target of 70.0 % GPU utilization"));
  EXPECT_TRUE(review.complete);
}

TEST(Review, WhereNothingKeepsTheTargetsSaysWhatComesNearest) {
  ReviewRequest request = review_request({small_job("job", 1, R"(, "plan": {"vary": ["loader.num_workers=1,2"]})")});
  request.sizing.targets = {{Figure::kUtilization, 0.9}};
  const Review review = review_of(request);
  ASSERT_FALSE(review.options.empty());
  EXPECT_TRUE(review.options.front().missed);
  EXPECT_EQ(review.options.front().resolved.scenario.loader.num_workers, 2);
  EXPECT_THAT(review.options.front().main_risk, HasSubstr("misses the target of 90.0 %"));
}

// Of scenarios the cheapest: 4 workers take half the time of 2 and so half the money. All of it is machines, so the one
// costs as much as the other when its machines' price is multiplied by the ratio of their totals.
TEST(Review, OfSeveralScenariosRecommendsTheCheapestAndSaysWhereThatFlips) {
  ReviewRequest request = review_request({small_job("few", 2), small_job("many", 4)});
  request.files[1].scenario.cost.node_price = UsdPerHour::from_base(3700.0);
  const Review review = review_of(request);
  ASSERT_EQ(review.options.size(), 2U);
  EXPECT_EQ(review.options[0].name, "many");
  EXPECT_EQ(review.options[1].name, "few");
  EXPECT_THAT(review.options[1].verdict, HasSubstr("worse"));
  EXPECT_EQ(review.break_even_options, (std::vector<std::size_t>{0, 1}));
  const auto& rows = review.break_even.rows;
  const auto own = std::find_if(rows.begin(), rows.end(), [](const BreakEvenRow& row) {
    return row.input.pointer == "/cost/node_price" && row.input.owner == 0U;
  });
  ASSERT_NE(own, rows.end());
  ASSERT_TRUE(own->above);
  const auto total = [&](std::size_t i) { return find_kpi("cost.total_usd")->of(review.options[i].evaluation)->mean; };
  EXPECT_NEAR(own->above->factor, total(1) / total(0), 0.02);
  EXPECT_THAT(review.would_change, Contains(HasSubstr("B becomes best once the price of a node in option A is above")));
}

TEST(Review, OfAScenarioWithoutAQuestionAddsWhatItsBestSettingMakesOfIt) {
  const Review review = review_of(review_request({small_job("job", 2)}));
  ASSERT_EQ(review.options.size(), 2U);
  // The storage is the same, so names say what to set.
  EXPECT_THAT(review.options.front().name, HasSubstr("; 4 workers per GPU"));
  EXPECT_EQ(review.options.front().brief, "use 4 loader workers per GPU");
  EXPECT_EQ(review.options.back().brief, "as the scenario has it");
  EXPECT_GT(utilization(review.options.front()), utilization(review.options.back()) + 0.1);
}

// Two workers wait for storage: of all inputs the latency and the step time move utilization, a price does not.
TEST(Review, TurnsWhatNobodyStatesAnIntervalForAndSaysSo) {
  const Review review = review_of(review_request({small_job("job", 2, kQuestion)}));
  ASSERT_FALSE(review.tornado.tornado.empty());
  EXPECT_EQ(review.tornado.inputs.size(), review.assumed_intervals.size());
  EXPECT_THAT(review.assumed_intervals, Contains("/storage/latency"));
  EXPECT_THAT(review.assumed_intervals, Not(Contains("/loader/num_workers")));
  for (const TornadoBar& bar : review.tornado.tornado) {
    if (bar.input.pointer == "/cost/node_price") {
      EXPECT_EQ(bar.at_low.front(), bar.at_high.front());
      EXPECT_LT(bar.at_low.back(), bar.at_high.back());
    }
  }
  ASSERT_TRUE(review.next_measurement);
  EXPECT_THAT(review.next_measurement->pointer, Not(HasSubstr("price")));
}

TEST(Review, HasACurveForWhatCanBeTurned) {
  const Review review = review_of(review_request({small_job("job", 2, kQuestion)}));
  ASSERT_EQ(review.curves.size(), 1U);  // no size to choose, no checkpoints
  EXPECT_EQ(review.curves.front().pointer, "/loader/num_workers");
  EXPECT_FALSE(review.part.trace.spans.empty());
  EXPECT_GT(review.part.to_s, review.part.from_s);
}

TEST(Review, ListsEveryValueOfTheScenarioChosen) {
  const Review review = review_of(review_request({small_job("job", 2, kQuestion)}));
  std::set<std::string> listed;
  for (const Assumption& one : review.assumptions) EXPECT_TRUE(listed.insert(one.pointer).second);
  for (const auto& [pointer, from] : review.options.front().resolved.provenance) {
    const bool is_name = pointer == "/name" || pointer == "/description" || pointer == "/format_version";
    EXPECT_EQ(listed.contains(pointer), !is_name && !pointer.starts_with("/plan/")) << pointer;
  }
}

// A run of 20 s on storage that loses its data once in 100 s: 1 - exp(-1/5).
TEST(Review, ExposureToLostDataIsThatOfAConstantRate) {
  ReviewOption option;
  option.resolved.scenario.storage.mean_time_to_data_loss = seconds(100.0);
  option.evaluation.result.time_to_train_s = 20.0;
  const DataLoss loss = data_loss_of(option);
  ASSERT_TRUE(loss.probability);
  EXPECT_NEAR(*loss.probability, 1.0 - std::exp(-0.2), 1e-12);
  EXPECT_TRUE(loss.is_stated);
  EXPECT_FALSE(loss.usd);  // no run timeline was drawn
  EXPECT_FALSE(data_loss_of(ReviewOption()).is_stated);
}

TEST(Review, IsTheSameWhateverTheThreads) {
  ReviewRequest request = review_request({small_job("job", 2, kQuestion)});
  request.run.threads = 1;
  const std::string one = review_to_json(review_of(request)).dump();
  request.run.threads = 3;
  EXPECT_EQ(review_to_json(review_of(request)).dump(), one);
}

TEST(Review, StoppedSaysSo) {
  ReviewRequest request = review_request({small_job("job", 2), small_job("other", 3)});
  std::stop_source stop;
  stop.request_stop();
  request.run.stop = stop.get_token();
  EXPECT_FALSE(review_of(request).complete);
}

TEST(Review, IsOfTrainingJobs) {
  const Loaded<Review> found = review(review_request({R"({"job": "serving"})"}), shipped_catalogue());
  EXPECT_FALSE(found.value);
  EXPECT_EQ(code_of(found.findings), "not_one_training_job");
}

TEST(Accuracy, OfTheCatalogueHasACommandOrSaysWhyNot) {
  const Loaded<Accuracy> found = load_accuracy(std::filesystem::path(STALLCAST_SOURCE_DIR) / "models");
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found.value->figures.empty());
  for (const AccuracyFigure& one : found.value->figures) {
    EXPECT_FALSE(one.what.empty());
    EXPECT_TRUE(!one.command.empty() || !one.note.empty()) << one.what;
  }
}

}  // namespace
}  // namespace stallcast
