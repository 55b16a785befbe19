#include "core/report/charts/charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

double& lost(RunResult& result, LostTime cause) { return result.lost_fraction[static_cast<std::size_t>(cause)]; }

Money usd(double dollars) { return Money::usd(ExactNumber::exactly(dollars)); }

// 70 % computing, 20 % latency, 9.95 % decode, 0.05 % barrier.
RunResult made_result() {
  RunResult result;
  lost(result, LostTime::kStorageLatency) = 0.2;
  lost(result, LostTime::kCpuDecode) = 0.0995;
  lost(result, LostTime::kBarrier) = 0.0005;
  return result;
}

TEST(LostTimeChart, SharesOfEveryResultSumToOneHundredPercent) {
  const RunResult one = made_result();
  RunResult other;
  lost(other, LostTime::kCheckpoint) = 0.25;
  const Chart chart = lost_time_chart({{"first", "A", &one, nullptr}, {"second", "B", &other, nullptr}});
  EXPECT_EQ(chart.kind, ChartKind::kBars);
  EXPECT_THAT(chart.x.categories, ElementsAre("first", "second"));
  std::map<double, double> sums;
  std::set<std::string> keys;
  for (const ChartSeries& series : chart.series) {
    EXPECT_TRUE(keys.insert(series.key).second);
    for (const ChartDatum& datum : series.data) sums[datum.x] += datum.y;
  }
  EXPECT_NEAR(sums[0.0], 100.0, 1e-9);
  EXPECT_NEAR(sums[1.0], 100.0, 1e-9);
  // The barrier is no thousandth of any: it is in "other".
  EXPECT_EQ(keys, (std::set<std::string>{"computing", "storage_latency", "cpu_decode", "checkpoint", "other"}));
  EXPECT_EQ(chart.series.front().key, "computing");
  EXPECT_THAT(chart.title, HasSubstr("70.0 %"));
  EXPECT_THAT(chart.title, HasSubstr("75.0 % (B)"));
  EXPECT_THAT(chart.alt, HasSubstr("20.0 % storage latency"));
}

TEST(LostTimeChart, OfOneResultNamesWhatLosesMost) {
  const RunResult one = made_result();
  const Chart chart = lost_time_chart({{"first", "A", &one, nullptr}});
  EXPECT_THAT(chart.title, HasSubstr("GPUs compute 70.0 % of the time; largest loss 20.0 %: storage latency"));
}

BillLine line(CostCategory category, double dollars) {
  BillLine out;
  out.category = category;
  out.offer.list_price = usd(dollars);
  out.offer.discount = 0;
  out.quantity = 1;
  return out;
}

// Machines $100: 60 computed, 30 waited for storage, 9.95 for cores, 0.05 for the barrier; storage 40, requests 5.
CostBreakdown made_cost() {
  CostBreakdown cost;
  cost.run_is_sized = true;
  cost.lines = {line(CostCategory::kCompute, 100.0), line(CostCategory::kStorage, 40.0),
                line(CostCategory::kRequests, 5.0)};
  cost.useful_compute = usd(60.0);
  cost.lost = {{"storage_latency", "waiting for first bytes", usd(30.0)},
               {"cpu_decode", "decoding", usd(9.95)},
               {"barrier", "waiting for ranks", usd(0.05)}};
  return cost;
}

TEST(CostWaterfall, EndsAtTheTotalOfTheBill) {
  const CostBreakdown cost = made_cost();
  const RunResult result;
  const Chart chart = cost_waterfall_chart({"first", "A", &result, &cost});
  // Each bar has the colour that its cause has in every chart, and its name beside it.
  std::vector<ChartDatum> data;
  for (const ChartSeries& series : chart.series) {
    ASSERT_EQ(series.data.size(), 1U);
    data.push_back(series.data.front());
  }
  EXPECT_EQ(chart.series.front().colour, computing_colour());
  EXPECT_EQ(chart.series[1].colour, cause_colour(LostTime::kStorageLatency));
  EXPECT_FALSE(needs_legend(chart));
  ASSERT_EQ(data.size(), chart.x.categories.size());
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < data.size(); ++i) {
    EXPECT_FALSE(data[i].chosen);
    sum += data[i].y;
  }
  EXPECT_TRUE(data.back().chosen);
  EXPECT_DOUBLE_EQ(data.back().y, 145.0);
  EXPECT_NEAR(sum, 145.0, 1e-9);
  EXPECT_THAT(chart.x.categories, ElementsAre("computing", "waiting for first bytes", "decoding", "storage", "requests",
                                              "everything else", "total"));
  EXPECT_THAT(chart.title, HasSubstr("$145.00 in total, $40.00 of it for GPUs that did not compute"));
}

// The second run loses time to a cause that the first does not, and its bars still come in the order of the bill.
TEST(CostChart, StacksTheBillOfEachRun) {
  CostBreakdown cheap = made_cost(), dear = made_cost();
  cheap.lost[0].dollars = Money();
  dear.lost[0].dollars = usd(130.0);
  dear.lines.push_back(line(CostCategory::kCompute, 100.0));
  const RunResult result;
  const Chart chart = cost_chart({{"first", "A", &result, &cheap}, {"second", "B", &result, &dear}});
  EXPECT_EQ(chart.kind, ChartKind::kBars);
  EXPECT_THAT(chart.x.categories, ElementsAre("first", "second"));
  std::vector<std::string> names;
  std::vector<double> sums = {0.0, 0.0};
  for (const ChartSeries& series : chart.series) {
    names.push_back(series.name);
    for (const ChartDatum& datum : series.data) sums[static_cast<std::size_t>(datum.x)] += datum.y;
  }
  EXPECT_THAT(
      names, ElementsAre("computing", "waiting for first bytes", "decoding", "storage", "requests", "everything else"));
  EXPECT_NEAR(sums[0], cheap.total()->to_double(), 1e-9);
  EXPECT_NEAR(sums[1], dear.total()->to_double(), 1e-9);
  EXPECT_THAT(chart.title, HasSubstr("(A) to"));
}

TEST(CostChart, LeavesOutARunWithoutATotalAndSaysWhy) {
  CostBreakdown known = made_cost(), unknown = made_cost();
  unknown.unknown.push_back({CostCategory::kRequests, "read requests", "no price is known", "give one"});
  const RunResult result;
  const Chart chart = cost_chart({{"first", "A", &result, &unknown}, {"second", "B", &result, &known}});
  EXPECT_THAT(chart.x.categories, ElementsAre("second"));
  EXPECT_THAT(chart.alt, HasSubstr("first: There is no total. UNKNOWN read requests: no price is known"));
  EXPECT_EQ(chart.title, "The run costs $145.00");
  EXPECT_THAT(cost_chart({{"first", "A", &result, &unknown}}).series, IsEmpty());
}

TEST(CostWaterfall, WithoutATotalSaysWhatIsMissing) {
  CostBreakdown cost = made_cost();
  cost.unknown.push_back({CostCategory::kRequests, "read requests", "no price is known", "give one"});
  const RunResult result;
  const Chart chart = cost_waterfall_chart({"first", "A", &result, &cost});
  EXPECT_THAT(chart.series, IsEmpty());
  EXPECT_THAT(chart.alt, HasSubstr("UNKNOWN read requests: no price is known"));
  cost.run_is_sized = false;
  EXPECT_THAT(cost_waterfall_chart({"first", "A", &result, &cost}).alt, HasSubstr("length of the run"));
}

KpiValues busy(double utilization) {
  Evaluation evaluation;
  evaluation.result.gpu_utilization = {utilization, utilization - 0.01, utilization + 0.01};
  return kpi_values(evaluation);
}

// 9000, 18000 and 27000 GiB; the last cannot be bought.
Curve made_curve() {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  Curve curve;
  curve.pointer = "/storage/capacity";
  curve.steps = {{"9000 GiB", 9000 * kGiB, busy(0.5), ""},
                 {"18000 GiB", 18000 * kGiB, busy(0.9), ""},
                 {"27000 GiB", 27000 * kGiB, std::nullopt, "nobody sells it"},
                 {"36000 GiB", 36000 * kGiB, busy(0.905), ""}};
  curve.now = 0;
  curve.knee = 1;
  return curve;
}

TEST(CurveChart, IsInTheUnitsOfTheTextsAndMarksTheKnee) {
  const Chart chart = curve_chart(made_curve(), *find_kpi("gpu_utilization"));
  EXPECT_EQ(chart.kind, ChartKind::kLines);
  EXPECT_EQ(chart.x.unit, "GiB");
  EXPECT_EQ(chart.y.unit, "%");
  ASSERT_EQ(chart.series.size(), 1U);
  const auto& data = chart.series.front().data;
  ASSERT_EQ(data.size(), 3U);
  EXPECT_NEAR(data[1].x, 18000.0, 1e-6);
  EXPECT_NEAR(data[1].y, 90.0, 1e-9);
  EXPECT_NEAR(*data[1].low, 89.0, 1e-9);
  EXPECT_NEAR(*data[1].high, 91.0, 1e-9);
  EXPECT_TRUE(data[0].chosen);
  EXPECT_FALSE(data[1].chosen);
  ASSERT_EQ(chart.rules.size(), 2U);
  EXPECT_NEAR(chart.rules[1].at, 18000.0, 1e-6);
  EXPECT_EQ(chart.title, "GPU utilization stops growing at a storage capacity of 18000 GiB");
  EXPECT_THAT(chart.alt, HasSubstr("27000 GiB cannot be: nobody sells it"));
  EXPECT_EQ(chart.id, "curve-storage-capacity-gpu-utilization");
}

TEST(CurveChart, OfABaselineStandsBesideItsOwn) {
  Curve other = made_curve();
  for (CurveStep& step : other.steps)
    if (step.figures) step.figures = busy(0.4);
  other.now = 3;
  const Chart chart = curve_chart(made_curve(), *find_kpi("gpu_utilization"), CurveBaseline{"36000 GiB", &other});
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[0].name, "as it is");
  EXPECT_EQ(chart.series[1].name, "baseline");
  EXPECT_NE(chart.series[0].colour, chart.series[1].colour);
  EXPECT_NEAR(chart.series[0].data[1].y, 90.0, 1e-9);
  EXPECT_NEAR(chart.series[1].data[1].y, 40.0, 1e-9);
  EXPECT_TRUE(chart.series[1].data[2].chosen);
  ASSERT_EQ(chart.rules.size(), 3U);
  EXPECT_EQ(chart.rules[2].label, "baseline: 36000 GiB");
  EXPECT_THAT(chart.alt, HasSubstr("The baseline: 40.0 % at 9000 GiB"));
}

// A baseline that differs in nothing but the field is on the same curve: only its place is marked.
TEST(CurveChart, ABaselineOnTheSameCurveIsAMark) {
  const Chart chart = curve_chart(made_curve(), *find_kpi("gpu_utilization"), CurveBaseline{"18000 GiB", nullptr});
  ASSERT_EQ(chart.series.size(), 1U);
  EXPECT_EQ(chart.series[0].name, "GPU utilization");
  ASSERT_EQ(chart.rules.size(), 2U);
  EXPECT_EQ(chart.rules[1].label, "knee, and baseline: 18000 GiB");
}

TEST(CurveChart, ADifferenceBelowAPointIsNoAdvice) {
  Curve curve = made_curve();
  curve.knee = 0;
  curve.steps[0].figures = busy(0.896);
  EXPECT_EQ(curve_chart(curve, *find_kpi("gpu_utilization")).title,
            "GPU utilization hardly depends on the storage capacity: 89.6 % to 90.5 %");
}

TEST(CurveChart, SaysHowFarAFigureStaysAsGood) {
  Curve curve = made_curve();
  curve.knee = 0;
  curve.steps[0].figures = busy(0.9);
  curve.steps[1].figures = busy(0.895);
  curve.steps[3].figures = busy(0.5);
  EXPECT_EQ(curve_chart(curve, *find_kpi("gpu_utilization")).title,
            "GPU utilization stays at 90.0 % up to a storage capacity of 18000 GiB");
  curve.steps[1].figures = busy(0.6);  // falls at once
  EXPECT_THAT(curve_chart(curve, *find_kpi("gpu_utilization")).title, HasSubstr("highest at"));
  curve.steps[1].figures = busy(0.9);
  curve.steps[3].figures = busy(0.95);  // it grows
  EXPECT_THAT(curve_chart(curve, *find_kpi("gpu_utilization")).title, HasSubstr("highest at"));
}

TEST(CurveChart, OfAFigureThatIsNotKnownIsEmptyAndSaysSo) {
  const Chart chart = curve_chart(made_curve(), *find_kpi("cost.total_usd"));
  EXPECT_THAT(chart.series.front().data, IsEmpty());
  EXPECT_THAT(chart.title, HasSubstr("not known"));
}

TEST(CurveChart, OfWordsHasCategories) {
  Curve curve;
  curve.pointer = "/checkpoint/mode";
  curve.steps = {{"sync", 0, busy(0.8), ""}, {"async", 1, busy(0.9), ""}};
  const Chart chart = curve_chart(curve, *find_kpi("gpu_utilization"));
  EXPECT_EQ(chart.kind, ChartKind::kPoints);
  EXPECT_THAT(chart.x.categories, ElementsAre("sync", "async"));
  EXPECT_THAT(chart.title, HasSubstr("highest at a checkpoint mode of async: 90.0 %"));
}

FrontPoint front_point(std::int64_t index, double dollars, double utilization, bool keeps) {
  FrontPoint front;
  front.point.index = index;
  front.point.point = {{"/storage/tier", "tier_" + std::to_string(index)}, {"/storage/capacity", ""}};
  front.point.figures.of(Figure::kTotal) = exact_estimate(dollars);
  front.point.figures.of(Figure::kUtilization) = exact_estimate(utilization);
  front.keeps_targets = keeps;
  return front;
}

TEST(ParetoChart, SplitsThoseThatKeepTheTargetsAndMarksTheChosen) {
  SizeResult result;
  result.targets = {{Figure::kUtilization, 0.9}};
  result.front.points = {front_point(1, 100.0, 0.5, false), front_point(2, 300.0, 0.95, true)};
  result.best = {result.front.points[1].point};
  result.tier_titles = {{"tier_2", "The second tier"}};
  const Chart chart = pareto_chart(result, Figure::kTotal, Figure::kUtilization);
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[0].name, "meets the targets");
  ASSERT_EQ(chart.series[0].data.size(), 1U);
  EXPECT_DOUBLE_EQ(chart.series[0].data[0].x, 300.0);
  EXPECT_DOUBLE_EQ(chart.series[0].data[0].y, 95.0);
  EXPECT_TRUE(chart.series[0].data[0].chosen);
  EXPECT_EQ(chart.series[0].data[0].label, "The second tier");
  EXPECT_EQ(chart.series[1].data[0].label, "tier_1");  // that has no title
  EXPECT_FALSE(chart.series[1].data[0].chosen);
  ASSERT_EQ(chart.rules.size(), 1U);
  EXPECT_FALSE(chart.rules[0].at_x);
  EXPECT_DOUBLE_EQ(chart.rules[0].at, 90.0);
  EXPECT_THAT(chart.title, HasSubstr("$300.00"));
  EXPECT_THAT(pareto_chart({}, Figure::kTotal, Figure::kTime).series, IsEmpty());
}

TornadoBar bar(const std::string& pointer, std::vector<double> low, std::vector<double> high) {
  return {{pointer, 0.9, 1.1}, 1.0, std::move(low), std::move(high)};
}

// Two figures; the second depends most on the latency, and nothing is known of the third input.
TEST(TornadoChart, IsWidestFirstInTheFigureAsked) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  Sensitivity sensitivity;
  sensitivity.as_given = {0.8, 100.0};
  sensitivity.tornado = {bar("/storage/read_bandwidth", {0.7, 101.0}, {0.9, 99.0}),
                         bar("/storage/latency", {0.82, 90.0}, {0.78, 120.0}),
                         bar("/cost/node_price", {0.8, unknown}, {0.8, unknown})};
  const std::vector<const Kpi*> figures = {find_kpi("gpu_utilization"), find_kpi("cost.total_usd")};
  const Chart chart = tornado_chart(sensitivity, 1, figures);
  EXPECT_THAT(chart.y.categories, ElementsAre("Latency of the storage", "Read bandwidth of the storage"));
  const auto& data = chart.series.front().data;
  EXPECT_DOUBLE_EQ(*data[0].low, 90.0);
  EXPECT_DOUBLE_EQ(*data[0].high, 120.0);
  EXPECT_DOUBLE_EQ(data[0].x, 100.0);
  EXPECT_THAT(chart.title, HasSubstr("depends most on the latency of the storage: $90.00 to $120.00"));
  EXPECT_EQ(tornado_chart(sensitivity, 0, figures, 1).y.categories.size(), 1U);
  EXPECT_THAT(tornado_chart(Sensitivity{{}, {0.8}, {}, 0, {}, 0, true}, 0, {figures[0]}).series, IsEmpty());
}

WordedChange change(const std::string& name, bool can_be_set, double before, double after) {
  return {name, name + " in words", {}, can_be_set, before, after, {}};
}

TEST(ChangesChart, SetsApartWhatNobodyCanSet) {
  const Chart chart = changes_chart(0.5, {change("limit", false, 0.5, 0.9), change("workers", true, 0.5, 0.6),
                                          change("nothing", true, 0.5, 0.5005), change("worse", true, 0.5, 0.4)});
  EXPECT_THAT(chart.y.categories, ElementsAre("limit in words", "workers in words", "worse in words"));
  EXPECT_THAT(chart.title, HasSubstr("workers in words, 50.0 % to 60.0 %"));
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[0].key, "can");
  const auto& can = chart.series[0].data;
  ASSERT_EQ(can.size(), 2U);
  EXPECT_DOUBLE_EQ(*can[0].low, 50.0);
  EXPECT_DOUBLE_EQ(*can[0].high, 60.0);
  EXPECT_DOUBLE_EQ(*can[1].low, 40.0);
  EXPECT_EQ(can[1].key, "worse");
  EXPECT_THAT(changes_chart(0.5, {change("worse", true, 0.5, 0.4)}).title, HasSubstr("No change"));
  EXPECT_THAT(changes_chart(0.5, {}).series, IsEmpty());
}

TEST(WayChart, StepsLeadFromNowToThen) {
  const std::vector<WordedChange> steps = {change("workers", true, 0.5, 0.7), change("limit", false, 0.7, 0.95)};
  const Chart chart = way_chart(0.5, steps, 0.9);
  EXPECT_THAT(chart.x.categories, ElementsAre("now", "workers in words", "limit in words", "then"));
  double sum = 0.0;
  for (const ChartDatum& datum : chart.series[0].data) sum += datum.key == "then" ? 0.0 : datum.y;
  EXPECT_NEAR(sum, chart.series[0].data.back().y, 1e-9);
  EXPECT_EQ(chart.title, "2 changes to get from 50.0 % to 95.0 %");
  EXPECT_DOUBLE_EQ(chart.rules.front().at, 90.0);
  EXPECT_EQ(way_chart(0.5, steps, 0.99).title, "What was tried leads from 50.0 % to 95.0 %, not to 99.0 %");
  EXPECT_EQ(way_chart(0.5, {}, 0.4).title, "GPU utilization is 50.0 %: no change is needed for 40.0 %");
  EXPECT_EQ(way_chart(0.5, {}, 0.9).title, "From 50.0 % nothing that was tried leads to 90.0 %");
}

TEST(GoodputChart, PartsSumToTheWallTime) {
  TimelineResult timeline;
  timeline.replications = 100;
  const auto set = [&](WallTime what, double hours) {
    timeline.mean.time_s[static_cast<std::size_t>(what)] = 3600.0 * hours;
  };
  set(WallTime::kTraining, 9.0);
  set(WallTime::kRework, 0.25);
  set(WallTime::kRestart, 0.75);
  const Chart chart = goodput_chart(timeline);
  EXPECT_EQ(chart.y.unit, "h");
  const auto& data = chart.series.front().data;
  ASSERT_EQ(data.size(), 4U);
  EXPECT_NEAR(data[0].y + data[1].y + data[2].y, data[3].y, 1e-9);
  EXPECT_NEAR(data[3].y, 10.0, 1e-9);
  EXPECT_THAT(chart.title, HasSubstr("90.0 % of the wall time"));
  EXPECT_THAT(chart.title, HasSubstr("starting or restarting processes: 45 min"));
  EXPECT_THAT(goodput_chart({}).series, IsEmpty());
}

TEST(TimelineChart, ClipsSpansToTheStretchAndLeavesOutEmptyLanes) {
  Trace trace;
  trace.tracks = {{0, "rank 0"}, {0, "idle"}, {1, "rank 8"}};
  constexpr std::int64_t kMs = 1'000'000;
  trace.spans = {{0, 60 * kMs, 0, TraceSpanKind::kCompute, 1},
                 {60 * kMs, 90 * kMs, 0, TraceSpanKind::kWaitData, 2},
                 {10 * kMs, 20 * kMs, 1, TraceSpanKind::kCompute, 1},
                 {55 * kMs, 200 * kMs, 2, TraceSpanKind::kCompute, 1}};
  const Chart chart = timeline_chart(trace, 0.05, 0.1);
  EXPECT_EQ(chart.x.unit, "ms");
  EXPECT_THAT(chart.y.categories, ElementsAre("rank 0", "node 1 rank 8"));
  ASSERT_EQ(chart.series.size(), 2U);
  const auto& compute = chart.series[0].data;
  ASSERT_EQ(compute.size(), 2U);
  EXPECT_NEAR(*compute[0].low, 50.0, 1e-9);
  EXPECT_NEAR(*compute[0].high, 60.0, 1e-9);
  EXPECT_NEAR(*compute[1].high, 100.0, 1e-9);
  EXPECT_DOUBLE_EQ(compute[1].y, 1.0);
  // 10 + 45 ms computing, 30 ms waiting.
  EXPECT_THAT(chart.alt, HasSubstr("compute 55 ms and wait for data 30 ms"));
  EXPECT_EQ(chart.title, "What each process does in 50 ms of the run, from 50 ms on");
  // Where three digits do not tell the ends apart, the stretch still has its length.
  EXPECT_EQ(timeline_chart(trace, 115.0, 115.05).title, "What each process does in 50 ms of the run, from 115 s on");
}

TEST(Charts, HaveIdsThatFilesAndAnchorsTake) {
  const RunResult result = made_result();
  const CostBreakdown cost = made_cost();
  const NamedResult hostile{"<script>alert('x')</script>", "../A b", &result, &cost};
  EXPECT_EQ(cost_waterfall_chart(hostile).id, "cost-A-b");
  for (const Chart& chart : {lost_time_chart({hostile}), cost_waterfall_chart(hostile)}) {
    EXPECT_THAT(chart.title, Not(IsEmpty()));
    EXPECT_THAT(chart.alt, Not(IsEmpty()));
    for (const char c : chart.id) EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-');
  }
}

TEST(Charts, EveryCauseHasAColour) {
  for (std::size_t c = 0; c < static_cast<std::size_t>(LostTime::kCount); ++c) {
    EXPECT_GE(cause_colour(static_cast<LostTime>(c)), 0);
    EXPECT_NE(cause_colour(static_cast<LostTime>(c)), computing_colour());
  }
}

}  // namespace
}  // namespace stallcast
