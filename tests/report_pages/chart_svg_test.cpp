// Drawn charts: well formed, complete, without labels on top of each other.
#include "core/report/charts/chart_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cmath>
#include <sstream>

#include "core/report/charts/chart_vega.h"
#include "core/report/charts/svg_canvas.h"
#include "core/report/words/markup.h"
#include "tests/report_pages/sample_document.h"

namespace stallcast {
namespace {

using Tree = boost::property_tree::ptree;

Tree parsed(const std::string& svg) {
  std::istringstream stream(svg);
  Tree tree;
  boost::property_tree::read_xml(stream, tree);
  return tree.get_child("svg");
}

std::vector<Tree> elements(const Tree& svg, const std::string& name, const std::string& with_class = "") {
  std::vector<Tree> found;
  for (const auto& [child_name, child] : svg) {
    const std::string classes = " " + child.get<std::string>("<xmlattr>.class", "") + " ";
    if (child_name == name && (with_class.empty() || classes.find(" " + with_class + " ") != std::string::npos))
      found.push_back(child);
  }
  return found;
}

double number_of(const Tree& element, const std::string& name) { return element.get<double>("<xmlattr>." + name); }

SvgBox box_of(const Tree& text) {
  const std::string anchor = text.get<std::string>("<xmlattr>.text-anchor");
  const SvgBox box = text_box(text.data(), number_of(text, "x"), number_of(text, "y"),
                              anchor == "start"    ? SvgAnchor::kStart
                              : anchor == "middle" ? SvgAnchor::kMiddle
                                                   : SvgAnchor::kEnd);
  return {box.left + 1.0, box.top + 1.0, box.right - 1.0, box.bottom - 1.0};
}

class EveryChart : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Chart chart = testing::sample_charts().at(GetParam());
};

TEST_P(EveryChart, IsWellFormedAndSaysWhatItShows) {
  for (const bool alone : {true, false}) {
    const Tree svg = parsed(chart_svg(chart, {.alone = alone}));
    EXPECT_EQ(svg.get<std::string>("title"), clean_text(chart.title));
    EXPECT_EQ(svg.get<std::string>("desc"), clean_text(chart.alt));
    EXPECT_EQ(svg.count("style"), alone ? 1U : 0U);
  }
}

TEST_P(EveryChart, HasNoPlaceThatIsNoNumber) {
  const std::string svg = chart_svg(chart);
  EXPECT_EQ(svg.find("\"nan"), std::string::npos);
  EXPECT_EQ(svg.find("\"inf"), std::string::npos);
  EXPECT_EQ(svg.find("\"-inf"), std::string::npos);
}

TEST_P(EveryChart, HasNoLabelsOnTopOfEachOtherOrOutside) {
  for (const SvgOptions& options :
       {SvgOptions{}, SvgOptions{.width = 420.0}, SvgOptions{.width = 940.0, .height = 250.0}}) {
    const Tree svg = parsed(chart_svg(chart, options));
    std::vector<std::pair<SvgBox, std::string>> boxes;
    for (const Tree& text : elements(svg, "text"))
      if (text.get<std::string>("<xmlattr>.class") != "title") boxes.emplace_back(box_of(text), text.data());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      EXPECT_GE(boxes[i].first.left, -1.0) << boxes[i].second;
      EXPECT_LE(boxes[i].first.right, options.width + 1.0) << boxes[i].second;
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_FALSE(boxes[i].first.overlaps(boxes[j].first))
            << boxes[i].second << " on " << boxes[j].second << " at width " << options.width;
    }
  }
}

TEST_P(EveryChart, HasAVegaLiteSpecificationWithItsData) {
  const auto specification = chart_vega(chart);
  std::size_t data = 0;
  for (const ChartSeries& series : chart.series) data += series.data.size();
  EXPECT_EQ(specification.at("data").at("values").size(), data);
  EXPECT_NO_THROW(specification.dump());  // all text is UTF-8
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryChart, ::testing::Range<std::size_t>(0, testing::sample_charts().size()),
                         [](const auto& tested) {
                           std::string name = testing::sample_charts().at(tested.param).id;
                           std::erase(name, '-');
                           return name;
                         });

Chart bars_of(const std::vector<double>& values) {
  Chart chart{.id = "b", .kind = ChartKind::kBars, .y = {.unit = "%"}};
  chart.series = {{.name = "s", .data = {}}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    chart.x.categories.push_back("row");
    chart.series[0].data.push_back(
        {.x = static_cast<double>(i), .y = values[i], .low = {}, .high = {}, .label = "", .key = ""});
  }
  return chart;
}

TEST(ChartSvg, DrawsBarsAsLongAsTheirValues) {
  const auto marks = elements(parsed(chart_svg(bars_of({25.0, 100.0, 0.0}))), "rect", "mark");
  ASSERT_EQ(marks.size(), 3U);
  EXPECT_NEAR(4.0 * number_of(marks[0], "width"), number_of(marks[1], "width"), 0.5);  // a tenth of a px each
  EXPECT_EQ(number_of(marks[2], "width"), 0.0);
}

TEST(ChartSvg, DrawsPointsAtTheirPlaces) {
  Chart chart{.id = "p", .kind = ChartKind::kPoints};
  chart.series = {
      {.data = {{.x = 0.0, .y = 0.0}, {.x = 5.0, .y = 10.0}, {.x = 10.0, .y = 5.0}, {.x = std::nan(""), .y = 1.0}}}};
  const auto marks = elements(parsed(chart_svg(chart)), "circle");
  ASSERT_EQ(marks.size(), 3U);  // the one without a place is left out
  // 5 is halfway between 0 and 10 on both axes; upwards is less in SVG.
  EXPECT_NEAR(number_of(marks[1], "cx"), (number_of(marks[0], "cx") + number_of(marks[2], "cx")) / 2.0, 0.1);
  EXPECT_NEAR(number_of(marks[2], "cy"), (number_of(marks[0], "cy") + number_of(marks[1], "cy")) / 2.0, 0.1);
  EXPECT_LT(number_of(marks[1], "cy"), number_of(marks[0], "cy"));
}

TEST(ChartSvg, ConnectsTheStepsOfAWaterfall) {
  for (const Chart& chart : testing::sample_charts()) {
    if (chart.id != "cost") continue;
    const Tree svg = parsed(chart_svg(chart));
    const auto marks = elements(svg, "rect", "mark");
    const auto lines = elements(svg, "line", "connector");
    ASSERT_EQ(lines.size() + 1, marks.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
      EXPECT_NEAR(number_of(lines[i], "x1"), number_of(marks[i], "x") + number_of(marks[i], "width"), 0.2);
  }
}

TEST(ChartSvg, SaysWhyThereIsNothing) {
  const Chart chart{.id = "e", .title = "No price", .alt = "no price is given"};
  EXPECT_THAT(chart_svg(chart), ::testing::HasSubstr(">no price is given</text>"));
}

TEST(ChartSvg, IsReadableOnDarkGround) {
  const std::string svg = chart_svg(bars_of({1.0}));
  EXPECT_THAT(svg, ::testing::HasSubstr("@media screen and (prefers-color-scheme:dark)"));
}

TEST(ChartSvg, KeepsLongTimelinesSmall) {
  Chart chart{
      .id = "t", .kind = ChartKind::kTimeline, .x = {.unit = "s", .from_zero = false}, .y = {.categories = {"lane"}}};
  chart.series = {{.name = "read", .data = {}}};
  for (int i = 0; i < 100000; ++i)
    chart.series[0].data.push_back({.x = i * 1.0, .y = 0.0, .low = i, .high = i + 0.5, .label = "read", .key = "read"});
  EXPECT_LT(chart_svg(chart).size(), 300000U);  // at most one bar for each 0.4 px of 760, 75 bytes each, and the rest
}

}  // namespace
}  // namespace stallcast
