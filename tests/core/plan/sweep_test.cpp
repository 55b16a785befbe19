#include "core/plan/sweep/sweep.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/kpi.h"
#include "core/plan/sweep/sweep_point.h"
#include "core/report/text/sweep_text.h"
#include "core/report/words/text_layout.h"
#include "tests/core/plan/sweep_fixture.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// 3 x 2 x 4 points. What a node costs does not change a run, so that four points share each.
SmallSweep mixed() {
  return SmallSweep::of(
      {"loader.num_workers=1,2,4", "loader.prefetch_factor=2,4", "cost.node_price=$1/h,$2/h,$3/h,$4/h"});
}

// Figures at each point are those of this configuration simulated alone.
TEST_F(SweepTest, EachPointIsItsConfiguration) {
  const SmallSweep small = mixed();
  sweep(small, at("a"));
  const Loaded<SweptPoints> points = merge_points({at("a")});
  ASSERT_TRUE(points.ok());
  ASSERT_EQ(points.value->lines.size(), 24u);
  for (std::int64_t index = 0; index < 24; ++index) {
    const ordered_json line = ordered_json::parse(points.value->lines[static_cast<std::size_t>(index)]);
    const Point point = small.space.point(index);
    const Evaluation alone = evaluate(*resolve_at(small.base, point, shipped_catalogue()).value, RunOptions{});
    EXPECT_EQ(line.at("index"), index);
    EXPECT_EQ(line.at("/loader/num_workers").dump(), point[0].text);
    EXPECT_EQ(line.at("/cost/node_price"), point[2].text);
    EXPECT_EQ(line.at("status"), "ok");
    for (const Kpi& kpi : kpi_table()) {
      const auto value = kpi.of(alone);
      ASSERT_EQ(line.at(kpi.name).is_null(), !value) << kpi.name;
      if (value) {
        EXPECT_EQ(line.at(kpi.name).get<double>(), value->mean) << kpi.name;
      }
    }
    EXPECT_EQ(line.at("bound.binding_resource"), alone.bound.binding_resource);
    EXPECT_EQ(line.at("bottleneck"), bottleneck_name(alone.result));
    EXPECT_EQ(line.at("converged"), alone.result.converged);
  }
}

// 3 x 2 runs, each for the 4 points that differ in the price alone: whichever thread is first.
TEST_F(SweepTest, PointsThatDifferInPricesShareARun) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    std::int64_t simulations = 0;
    const SweepProgress progress = sweep(mixed(), at("a" + std::to_string(threads)), {}, threads, &simulations);
    EXPECT_EQ(progress.computed, 24);
    EXPECT_EQ(progress.finished, 24);
    EXPECT_EQ(simulations, 6) << threads;
  }
}

TEST_F(SweepTest, IsTheSameBytesWhateverThreads) {
  sweep(mixed(), at("one"));
  const std::string one = results({at("one")});
  ASSERT_THAT(one, StartsWith("{\"index\":0,"));
  for (const unsigned threads : {2U, 3U, 8U}) {
    sweep(mixed(), at("many" + std::to_string(threads)), {}, threads);
    EXPECT_EQ(results({at("many" + std::to_string(threads))}), one) << threads;
  }
}

// Cut after any of its lines, or inside one, and continued: finished points are kept, the rest is computed, and the
// results are the same bytes.
TEST_F(SweepTest, GoesOnWhereItWasToTheSameBytes) {
  sweep(mixed(), at("one"));
  const std::string one = results({at("one")});
  const std::string whole = content(at("one") / "points-1-of-1.jsonl");
  for (const std::size_t part : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    const std::size_t size = whole.size() * part / 10;
    write(at("cut") / "points-1-of-1.jsonl", whole.substr(0, size));
    const auto kept = std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size), '\n');
    const SweepProgress progress = sweep(mixed(), at("cut"), {}, 2);
    EXPECT_EQ(progress.finished, 24);
    EXPECT_EQ(progress.computed, 24 - std::max<std::ptrdiff_t>(kept - 1, 0));
    EXPECT_EQ(results({at("cut")}), one) << part;
  }
}

TEST_F(SweepTest, AFinishedSweepComputesNothing) {
  sweep(mixed(), at("one"));
  std::int64_t simulations = -1;
  const SweepProgress progress = sweep(mixed(), at("one"), {}, 2, &simulations);
  EXPECT_EQ(progress.computed, 0);
  EXPECT_EQ(simulations, 0);
}

// 12 TiB and 16 TiB are sold, 13 TiB is not.
TEST_F(SweepTest, APointThatCannotBeIsARowThatSaysWhy) {
  const SmallSweep small = SmallSweep::of({"storage.capacity=12 TiB,13 TiB,16 TiB"}, R"({
    "workload": {"batch_size": 4, "step_time": "10 ms"}, "dataset": {"sample_size": "100 kB", "samples": 80},
    "storage": {"tier": "parallelstore", "capacity": "12 TiB"}, "run": {"whole_run": true}})");
  const SweepProgress progress = sweep(small, at("a"));
  EXPECT_EQ(progress.finished, 3);
  EXPECT_EQ(progress.failed, 1);
  const Loaded<SweptPoints> points = merge_points({at("a")});
  ASSERT_TRUE(points.ok());
  EXPECT_EQ(points.value->failed, 1);
  const ordered_json line = ordered_json::parse(points.value->lines.at(1));
  EXPECT_EQ(line.at("status"), "invalid");
  EXPECT_THAT(line.at("error").get<std::string>(), AllOf(HasSubstr("13 TiB"), Not(HasSubstr("\n"))));
  EXPECT_EQ(ordered_json::parse(points.value->lines.at(2)).at("status"), "ok");
}

// RFC 4180: a cell with a quote or a comma is in quotes; what a line does not have is empty.
TEST_F(SweepTest, ACsvRowHasACellForEachColumn) {
  const ordered_json line = {{"index", 7}, {"/name", "a \"b\", c"}, {"x", 0.1}, {"y", nullptr}, {"converged", true}};
  EXPECT_EQ(sweep_csv_row(line.dump(), {"index", "/name", "x", "y", "z", "converged"}),
            "7,\"a \"\"b\"\", c\",0.1,,,true\n");
}

TEST_F(SweepTest, CsvHasOnlyTheIntervalsThatSomePointHas) {
  sweep(mixed(), at("a"));
  (void)results({at("a")});
  const std::string csv = content(at("merged") / kResultsCsv);
  const std::string head = csv.substr(0, csv.find('\n') + 1);
  EXPECT_THAT(head, StartsWith("index,/loader/num_workers,/loader/prefetch_factor,/cost/node_price,status,gpu_util"));
  EXPECT_THAT(head, AllOf(HasSubstr(",cost.total_usd,"), HasSubstr(",error\n")));
  EXPECT_THAT(head, Not(HasSubstr("samples_per_s.ci95_low")));
  const auto commas = [](const std::string& row) { return std::count(row.begin(), row.end(), ','); };
  std::istringstream rows(csv);
  for (std::string row; std::getline(rows, row);) EXPECT_EQ(commas(row), commas(head));
}

TEST_F(SweepTest, StoppedItKeepsWhatIsFinished) {
  const SmallSweep small = mixed();
  std::stop_source stop;
  PointRunner runner(small.base, small.space, shipped_catalogue(), stop.get_token());
  {
    const auto file = PointsFile::open(at("a"), small.header);
    SweepOptions options;
    options.threads = 2;
    options.stop = stop.get_token();
    options.progress = [&stop](const SweepProgress& progress) {
      if (progress.finished == 5) stop.request_stop();
    };
    const SweepProgress progress = run_sweep(runner, {}, small.space.size(), **file.value, options);
    EXPECT_GE(progress.finished, 5);
    EXPECT_LT(progress.finished, 24);
  }
  EXPECT_EQ(results({at("a")}), "");
  sweep(small, at("a"));
  sweep(small, at("b"));
  EXPECT_EQ(results({at("a")}), results({at("b")}));
}

TEST_F(SweepTest, AnEstimateIsOfWhatIsLeft) {
  const SmallSweep small = mixed();
  PointRunner runner(small.base, small.space, shipped_catalogue());
  const SweepEstimate estimate = estimate_sweep(runner, {}, 24, 14, 1);
  EXPECT_EQ(estimate.points, 10);
  EXPECT_GT(estimate.point_s, 0.0);
  EXPECT_DOUBLE_EQ(estimate.total_s, 10.0 * estimate.point_s);
  EXPECT_DOUBLE_EQ(estimate_sweep(runner, {}, 24, 24, 1).total_s, 0.0);
  EXPECT_FALSE(estimate.too_much());
  EXPECT_TRUE((SweepEstimate{100'001, 1e-9, 1e-4, 0.0}.too_much()));
  EXPECT_TRUE((SweepEstimate{2, 3601.0, 3601.0, 0.0}.too_much()));
}

// 1000 points in 100 s are 10 points/s; 10000 - 1234 = 8766 points are left, for 876.6 s.
TEST(SweepText, SaysRateAndTimeLeft) {
  SweepProgress progress{.points = 10000, .finished = 1234, .failed = 0, .computed = 1000, .elapsed_s = 100.0};
  EXPECT_EQ(progress_text(progress), "1234 of 10000 points, 10 points/s, " + duration_text(876.6) + " left");
  progress.failed = 3;
  EXPECT_THAT(progress_text(progress), EndsWith(" left, 3 cannot be"));
  EXPECT_EQ(summary_text(progress), "1234 of 10000 points, 3 of them cannot be; 1000 computed now in " +
                                        duration_text(100.0) + ", 10 points/s");
  progress = {.points = 5, .finished = 5, .failed = 0, .computed = 0, .elapsed_s = 0.0};
  EXPECT_EQ(summary_text(progress), "5 of 5 points; none was left to compute");
}

// What a run depends on is in the identity; what it is called is not.
TEST(SweepIdentity, IsOfWhatPointsDependOn) {
  const auto identity = [](const std::string& scenario, const std::vector<std::string>& vary, DesignSpec design = {}) {
    return SmallSweep::of(vary, scenario, design).header.identity;
  };
  const std::string job = R"({"name": "a", "storage": {"latency": "2 ms"}})";
  const ordered_json one = identity(job, {"loader.num_workers=1,2,3"});
  EXPECT_EQ(identity(R"({"storage": {"latency": "2 ms"}, "description": "other"})", {"loader.num_workers=1..3"}), one);
  const auto changed = [&one](const ordered_json& other) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : one.items())
      if (other.at(key) != value) keys.push_back(key);
    return keys;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(changed(identity(R"({"storage": {"latency": "3 ms"}})", {"loader.num_workers=1..3"})),
              ElementsAre("scenario_hash"));
  EXPECT_THAT(changed(identity(R"({"storage": {"latency": "2 ms"}, "loader": {"num_workers": 4}})",
                               {"loader.num_workers=1..3"})),
              ElementsAre("scenario_hash"));  // given, though it is the default
  EXPECT_THAT(changed(identity(R"({"storage": {"latency": "2 ms"}, "run": {"seed": 9}})", {"loader.num_workers=1..3"})),
              ElementsAre("seed"));
  EXPECT_THAT(
      changed(identity(R"({"storage": {"latency": "2 ms"}, "run": {"precision": 0.1}})", {"loader.num_workers=1..3"})),
      ElementsAre("precision"));
  EXPECT_THAT(changed(identity(job, {"loader.num_workers=1,3,2"})), ElementsAre("vary"));
  EXPECT_THAT(changed(identity(job, {"loader.num_workers=1..3"}, {Design::kLatinHypercube, 3, 5})),
              ElementsAre("design", "design_seed"));
  EXPECT_THAT(changed(identity(job, {"loader.prefetch_factor=1..3"})), ElementsAre("vary", "fields"));
}

// Two long lists that differ in their last value only.
TEST(SweepIdentity, TellsLongListsApart) {
  std::string list = "loader.num_workers=0";
  for (int i = 1; i < 200; ++i) list += "," + std::to_string(i);
  const auto vary = [](const std::string& text) { return SmallSweep::of({text}).header.identity.at("vary")[0]; };
  EXPECT_NE(vary(list + ",201"), vary(list + ",202"));
  EXPECT_LT(vary(list).dump().size(), 400u);
}

}  // namespace
}  // namespace stallcast
