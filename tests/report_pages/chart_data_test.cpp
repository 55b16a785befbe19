// What is drawn where: scales, sums of bars, CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/report/charts/axis_scale.h"
#include "core/report/charts/chart_ink.h"
#include "core/report/charts/chart_words.h"
#include "core/report/charts/row_spans.h"
#include "tests/report_pages/sample_document.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

ChartDatum datum(double x, double y, bool chosen = false) {
  return {.x = x, .y = y, .low = {}, .high = {}, .label = "", .key = "", .chosen = chosen};
}

TEST(AxisScale, HasRoundTicksAroundTheValues) {
  // 91 / 8 is 11.4; the next of 1, 2, 5 times a power of ten is 20, and 91 lies below 5 of them.
  const AxisScale scale = make_scale({.title = "", .unit = "%"}, 24.0, 91.0, 8.0);
  EXPECT_THAT(scale.ticks, ElementsAre(0.0, 20.0, 40.0, 60.0, 80.0, 100.0));
  EXPECT_EQ(scale.place(50.0), 50.0);    // start 0, length 100
  EXPECT_EQ(scale.place(150.0), 100.0);  // outside: the nearer end
}

TEST(AxisScale, BeginsAtTheValuesWhereItNeedNotBeginAtZero) {
  const AxisScale scale = make_scale({.from_zero = false}, 14800.0, 24230.0, 7.0);
  EXPECT_EQ(scale.from, 14000.0);  // steps of 2000: 9430 / 7 is 1347
  EXPECT_EQ(scale.to, 26000.0);
}

TEST(AxisScale, PutsEqualFactorsAtEqualDistances) {
  const AxisScale scale = make_scale({.logarithmic = true}, 1.0, 64.0, 7.0);
  EXPECT_THAT(scale.ticks, ElementsAre(1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0));
  EXPECT_NEAR(scale.place(10.0), 50.0, 1e-9);
  EXPECT_NEAR(scale.place(2.0) - scale.place(1.0), scale.place(20.0) - scale.place(10.0), 1e-9);
  EXPECT_EQ(scale.place(0.0), 0.0);
}

TEST(AxisScale, EndsForAnyValues) {
  const double values[] = {0.0,   -0.0,    1e-320,   5e-324,    1e-9,       1.0,         -3.0,
                           1e300, 1.7e308, -1.7e308, kInfinite, -kInfinite, std::nan("")};
  for (const double low : values)
    for (const double high : values)
      for (const bool logarithmic : {false, true}) {
        const AxisScale scale = make_scale({.logarithmic = logarithmic, .from_zero = false}, low, high, 6.0);
        EXPECT_LE(scale.ticks.size(), 50U) << low << " " << high;
        EXPECT_TRUE(std::isfinite(scale.place(low))) << low << " " << high;
      }
}

TEST(ValueText, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(value_text({.unit = "%"}, 78.64), "78.6 %");
  EXPECT_EQ(value_text({.unit = "$"}, 18904.4), "$18,904");
  EXPECT_EQ(value_text({.unit = "$"}, -4.567), "-$4.57");
  EXPECT_EQ(value_text({.unit = "$/h"}, 3.0), "$3/h");
  EXPECT_EQ(value_text({}, 0.00012345), "0.000123");
  EXPECT_EQ(value_text({.unit = "s"}, std::nan("")), "unknown");
  EXPECT_EQ(tick_text(-0.0), "0");
  EXPECT_EQ(tick_text(1234567.0), "1,234,567");
  EXPECT_EQ(tick_text(3 * 0.1), "0.3");
}

TEST(RowSpans, StackPositiveAndNegativeApart) {
  Chart chart{.kind = ChartKind::kBars, .x = {.categories = {"a"}}};
  chart.series = {{.data = {datum(0, 3)}}, {.data = {datum(0, -2)}}, {.data = {datum(0, 4)}}};
  const auto spans = row_spans(chart);
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans[0].to, 3.0);
  EXPECT_EQ(spans[1].from, 0.0);
  EXPECT_EQ(spans[1].to, -2.0);
  EXPECT_EQ(spans[2].from, 3.0);
  EXPECT_EQ(spans[2].to, 7.0);
}

TEST(RowSpans, OfAWaterfallBeginWhereTheLastEnded) {
  Chart chart{.kind = ChartKind::kWaterfall, .x = {.categories = {"first", "more", "less", "total"}}};
  // Out of order: categories decide.
  chart.series = {{.data = {datum(3, 12, true), datum(0, 10, true), datum(1, 5), datum(2, -3)}}};
  const auto spans = row_spans(chart);
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans[1].from, 10.0);
  EXPECT_EQ(spans[1].to, 15.0);
  EXPECT_EQ(spans[2].to, 12.0);
  EXPECT_EQ(spans[3].from, 0.0);
  EXPECT_EQ(spans[3].to, spans[2].to);  // the total is where the steps end
  EXPECT_EQ(range_of_values(chart).high, 15.0);
}

TEST(RowSpans, LeaveOutWhatHasNoPlace) {
  Chart chart{.kind = ChartKind::kBars, .x = {.categories = {"a"}}};
  chart.series = {{.data = {datum(0, std::nan("")), datum(1, 1), datum(-1, 1), datum(0.5, 1), datum(kInfinite, 1)}}};
  EXPECT_TRUE(row_spans(chart).empty());
}

TEST(ChartCsv, HasUnitsNamesAndQuotes) {
  Chart chart{.kind = ChartKind::kBars,
              .x = {.title = "Option", .categories = {"A, large", "B"}},
              .y = {.title = "GPU time", .unit = "%"}};
  ChartDatum first = datum(0, 24.5);
  first.low = 24.0;
  first.high = 25.25;
  first.label = "say \"hi\"";
  chart.series = {{.name = "computing", .data = {first, datum(1, std::nan(""))}}};
  EXPECT_EQ(chart_csv(chart),
            "Series,Label,Option,GPU time in %,Low in %,High in %\n"
            "computing,\"say \"\"hi\"\"\",\"A, large\",24.5,24,25.25\n"
            "computing,,B,,,\n");
}

TEST(ChartCsv, NamesTheUnitOfIntervalsThatLieAlongX) {
  const Chart chart{.kind = ChartKind::kRanges, .x = {.title = "Cost", .unit = "$"}, .y = {.title = "Input"}};
  EXPECT_EQ(chart_csv(chart), "Series,Label,Cost in $,Input,Low in $,High in $\n");
}

TEST(ChartCsv, HasARowForEachDatumOfEveryChart) {
  for (const Chart& chart : testing::sample_charts()) {
    std::size_t data = 0;
    for (const ChartSeries& series : chart.series) data += series.data.size();
    EXPECT_EQ(chart_cells(chart).size(), data + 1) << chart.id;
  }
}

TEST(ChartColours, AreDistinctAndRepeatForAnyNumber) {
  const auto count = static_cast<int>(chart_colours().size());
  for (const int colour : {0, 3, count - 1}) {
    EXPECT_EQ(colour_index({.colour = colour + count}), static_cast<std::size_t>(colour));
    EXPECT_EQ(colour_index({.colour = colour - 2 * count}), static_cast<std::size_t>(colour));
  }
  EXPECT_STREQ(text_on("#000000"), "#ffffff");
  EXPECT_STREQ(text_on("#f0e442"), "#000000");
}

}  // namespace
}  // namespace stallcast
