// What a chart widget is made of: ticks, numbers, geometry, the table, colours.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

#include "gui/charts/chart_marks.h"
#include "gui/charts/chart_painter.h"
#include "gui/charts/chart_table_model.h"
#include "gui/charts/chart_ticks.h"
#include "gui/charts/plot_axes.h"
#include "gui/palette.h"
#include "tests/gui/charts/hand_made_charts.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {
namespace {

// A unit of x is 100 pixels, one of y is 1 pixel upwards from 0.
PlotMap plainMap() {
  return {[](double x, double y) { return QPointF(100.0 * x, -y); }, false, 1000.0};
}

}  // namespace

class ChartPartsTest : public QObject {
  Q_OBJECT
 private slots:
  void ticksAreOneTwoTwoAndAHalfOrFive_data();
  void ticksAreOneTwoTwoAndAHalfOrFive();
  void rangesHoldSumsIntervalsAndRules();
  void sharesOfAWholeEndAtAHundred();
  void logarithmicRangesLeaveZeroOut();
  void axesKeepStillForSmallMoves();
  void numbersHaveFourDigits_data();
  void numbersHaveFourDigits();
  void valuesCarryTheirUnits();
  void barsStandOnEachOther();
  void waterfallsStandOnTheSumSoFar();
  void rangesLieAlongX();
  void theNearestMarkIsHit();
  void valuesThatAreNotFiniteAreLeftOut();
  void datumTextsSayValueUnitAndInterval();
  void theTableHasTheChartsNumbers();
  void theTableKeepsItsRowsWhileOnlyValuesChange();
  void seriesOfOneColourAreHatched();
  void coloursFollowTheGround();
};

void ChartPartsTest::ticksAreOneTwoTwoAndAHalfOrFive_data() {
  QTest::addColumn<double>("width");
  QTest::addColumn<int>("most");
  QTest::addColumn<double>("step");
  QTest::addColumn<int>("decimals");
  QTest::newRow("100 in 10") << 100.0 << 10 << 10.0 << 0;
  QTest::newRow("100 in 8") << 100.0 << 8 << 20.0 << 0;  // 12.5 wanted
  QTest::newRow("100 in 4") << 100.0 << 4 << 25.0 << 0;  // exactly 25
  QTest::newRow("1 in 4") << 1.0 << 4 << 0.25 << 2;      // two decimals show 0.25
  QTest::newRow("0.3 in 10") << 0.3 << 10 << 0.05 << 2;  // 0.03 wanted
  QTest::newRow("7 in 1") << 7.0 << 1 << 10.0 << 0;
}

void ChartPartsTest::ticksAreOneTwoTwoAndAHalfOrFive() {
  QFETCH(double, width);
  QFETCH(int, most);
  const Ticks ticks = niceTicks({0.0, width}, most);
  QTEST(ticks.step, "step");
  QTEST(ticks.decimals, "decimals");
}

void ChartPartsTest::rangesHoldSumsIntervalsAndRules() {
  Chart chart = linesChart();
  chart.y.unit = "s";
  chart.rules.push_back({false, 190.0, "limit"});
  // 0 to 190 with 4 % room = 197.6; steps of 25: 0 to 200.
  QCOMPARE(*shownRange(chart, false), (ValueRange{0.0, 200.0}));
  // The waterfall reaches 100, with room 104, steps of 20.
  QCOMPARE(*shownRange(waterfallChart(), false), (ValueRange{0.0, 120.0}));
  // 50 to 80 of the interval with room 48.8 to 81.2, steps of 5.
  QCOMPARE(*shownRange(rangesChart(), true), (ValueRange{45.0, 85.0}));
  Chart empty;
  QVERIFY(!shownRange(empty, true));
}

void ChartPartsTest::sharesOfAWholeEndAtAHundred() {
  Chart chart = barsChart();
  QCOMPARE(shownRange(chart, false)->high, 100.0);
  chart.series[0].data[0].y += 1e-9;  // as sums of doubles do
  QCOMPARE(shownRange(chart, false)->high, 100.0);
  chart.series[0].data[0].y = 70.0;
  QVERIFY(shownRange(chart, false)->high >= 110.0);
}

void ChartPartsTest::logarithmicRangesLeaveZeroOut() {
  Chart chart = pointsChart();
  chart.series[0].data.push_back(datumAt(0.0, 60.0));
  const ValueRange range = *shownRange(chart, true);
  QVERIFY(range.low > 50.0 && range.low < 100.0);
  QVERIFY(range.high > 10000.0 && range.high < 20000.0);
  QCOMPARE(logarithmBase(range), 10.0);
  QCOMPARE(logarithmBase({1.0, 50.0}), 2.0);
  QCOMPARE(logarithmBase({0.001, 0.07}), 10.0);
}

void ChartPartsTest::axesKeepStillForSmallMoves() {
  const ValueRange shown{0.0, 100.0};
  QCOMPARE(steadied(shown, {0.0, 80.0}), shown);
  QCOMPARE(steadied(shown, {0.0, 50.0}), (ValueRange{0.0, 50.0}));    // half of it would be empty
  QCOMPARE(steadied(shown, {0.0, 120.0}), (ValueRange{0.0, 120.0}));  // never cut off
  QCOMPARE(steadied(std::nullopt, {0.0, 80.0}), (ValueRange{0.0, 80.0}));
}

void ChartPartsTest::numbersHaveFourDigits_data() {
  QTest::addColumn<double>("value");
  QTest::addColumn<QString>("text");
  QTest::newRow("0") << 0.0 << "0";
  QTest::newRow("integer") << 8.0 << "8";
  QTest::newRow("percent") << 78.6132 << "78.61";
  QTest::newRow("thousands") << 1234567.0 << "1,234,567";
  QTest::newRow("small") << 0.0123456 << "0.01235";
  QTest::newRow("negative") << -12.5 << "-12.5";
  QTest::newRow("tiny") << 1.2345e-9 << "1.23e-09";
  QTest::newRow("not a number") << std::nan("") << "unknown";
}

void ChartPartsTest::numbersHaveFourDigits() {
  QFETCH(double, value);
  QTEST(numberText(value), "text");
}

void ChartPartsTest::valuesCarryTheirUnits() {
  const QString space(QChar(QChar::Nbsp));
  QCOMPARE(valueText({"", "%", false, true, {}}, 12.5), "12.5" + space + "%");
  QCOMPARE(valueText({"", "$", false, true, {}}, 1234.5), QString("$1,234.50"));
  QCOMPARE(valueText({"", "$", false, true, {}}, -3.0), QString("-$3.00"));
  QCOMPARE(valueText({"", "", false, true, {}}, 8.0), QString("8"));
  QCOMPARE(valueText({"", "", false, true, {"a", "b"}}, 1.0), QString("b"));
}

void ChartPartsTest::barsStandOnEachOther() {
  const std::vector<Mark> marks = layoutMarks(barsChart(), plainMap());
  QCOMPARE(marks.size(), std::size_t{6});
  // Series by series: computing of both, then latency. Of "now": 0 to 60, 60 to 90, 90 to 100.
  QCOMPARE(marks[0].area.bottom(), 0.0);
  QCOMPARE(marks[0].area.top(), -60.0);
  QCOMPARE(marks[2].area.bottom(), -60.0);
  QCOMPARE(marks[2].area.top(), -90.0);
  QCOMPARE(marks[4].area.top(), -100.0);
  QCOMPARE(marks[1].area.top(), -80.0);
  // 68 of the 100 pixels of a category, in its middle.
  QCOMPARE(marks[1].area.center().x(), 100.0);
  QCOMPARE(marks[1].area.width(), 68.0);

  Chart below = barsChart();
  below.series[1].data[0].y = -30.0;
  const std::vector<Mark> both = layoutMarks(below, plainMap());
  QCOMPARE(both[2].area.bottom(), 30.0);  // downwards from 0
  QCOMPARE(both[4].area.top(), -70.0);    // on the 60, as if that were not there
}

void ChartPartsTest::waterfallsStandOnTheSumSoFar() {
  const std::vector<Mark> marks = layoutMarks(waterfallChart(), plainMap());
  QCOMPARE(marks.size(), std::size_t{4});
  QCOMPARE(marks[1].area.bottom(), -50.0);
  QCOMPARE(marks[1].area.top(), -80.0);
  QCOMPARE(marks[2].area.top(), -100.0);
  QCOMPARE(marks[3].area.bottom(), 0.0);  // chosen
  QCOMPARE(marks[3].area.top(), -100.0);
  QVERIFY(!marks[0].link);
  QCOMPARE(*marks[1].link, QLineF(0.0, -50.0, 100.0, -50.0));
  QCOMPARE(*marks[3].link, QLineF(200.0, -100.0, 300.0, -100.0));
}

void ChartPartsTest::rangesLieAlongX() {
  const PlotMap map{[](double x, double y) { return QPointF(x, 40.0 * y); }, false, 1000.0};
  const std::vector<Mark> marks = layoutMarks(rangesChart(), map);
  QCOMPARE(marks[0].area.left(), 50.0);
  QCOMPARE(marks[0].area.right(), 80.0);
  QCOMPARE(marks[0].tip, QPointF(70.0, 0.0));
  QCOMPARE(marks[1].area.center().y(), 40.0);
}

void ChartPartsTest::theNearestMarkIsHit() {
  const std::vector<Mark> marks = layoutMarks(barsChart(), plainMap());
  QCOMPARE(markAt(marks, {0.0, -75.0}, 5.0), 2);
  QCOMPARE(markAt(marks, {37.0, -75.0}, 5.0), 2);  // 3 beside it
  QCOMPARE(markAt(marks, {50.0, -75.0}, 5.0), -1);
}

void ChartPartsTest::valuesThatAreNotFiniteAreLeftOut() {
  Chart chart = linesChart();
  chart.series[0].data[2].y = std::nan("");
  QCOMPARE(layoutMarks(chart, plainMap()).size(), std::size_t{7});
}

void ChartPartsTest::datumTextsSayValueUnitAndInterval() {
  const QString space(QChar(QChar::Nbsp));
  QCOMPARE(datumText(linesChart(), 0, 2), QString("tier A, Workers 4: 80_% (78_% to 82_%)").replace('_', space));
  QCOMPARE(datumText(rangesChart(), 0, 0),
           QString("latency, storage.latency: 70_% (50_% to 80_%)").replace('_', space));
  QCOMPARE(datumText(waterfallChart(), 0, 0), QString("computing: $50.00"));
  QCOMPARE(datumText(timelineChart(), 0, 0),
           QString("compute, compute 0, rank 0: 0_s to 10_s, lasts 10_s").replace('_', space));
  QCOMPARE(keyOf(waterfallChart(), 0, 1), QString("storage_latency"));
  QCOMPARE(keyOf(barsChart(), 1, 0), QString("storage_latency"));
}

void ChartPartsTest::theTableHasTheChartsNumbers() {
  for (const Chart& chart : everyKindOfChart()) {
    ChartTableModel model;
    QAbstractItemModelTester tester(&model);
    model.setChart(chart);
    int row = 0;
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      for (std::size_t d = 0; d < chart.series[s].data.size(); ++d, ++row) {
        const ChartDatum& datum = chart.series[s].data[d];
        const auto number = [&](int column) { return model.index(row, column).data(Qt::UserRole); };
        QCOMPARE(number(ChartTableModel::kX).toDouble(), datum.x);
        QCOMPARE(number(ChartTableModel::kY).toDouble(), datum.y);
        QCOMPARE(number(ChartTableModel::kLow).isValid(), datum.low.has_value());
        if (datum.low) QCOMPARE(number(ChartTableModel::kLow).toDouble(), *datum.low);
        if (datum.high) QCOMPARE(number(ChartTableModel::kHigh).toDouble(), *datum.high);
        QCOMPARE(model.index(row, ChartTableModel::kSeries).data().toString().toStdString(), chart.series[s].name);
        QCOMPARE(model.rowOf(static_cast<int>(s), static_cast<int>(d)), row);
      }
    }
    QCOMPARE(model.rowCount(), row);
    QCOMPARE(model.rowOf(99, 0), -1);
  }
}

void ChartPartsTest::theTableKeepsItsRowsWhileOnlyValuesChange() {
  ChartTableModel model;
  QAbstractItemModelTester tester(&model);
  Chart chart = linesChart();
  model.setChart(chart);
  QSignalSpy reset(&model, &QAbstractItemModel::modelReset), changed(&model, &QAbstractItemModel::dataChanged);
  chart.series[0].data[0].y = 41.0;
  model.setChart(chart);
  QCOMPARE(reset.count(), 0);
  QCOMPARE(changed.count(), 1);
  chart.series.pop_back();
  model.setChart(chart);
  QCOMPARE(reset.count(), 1);
  QCOMPARE(model.rowCount(), 4);
  QVERIFY(model.headerData(ChartTableModel::kY, Qt::Horizontal).toString().contains("%"));
}

void ChartPartsTest::seriesOfOneColourAreHatched() {
  const Chart chart = barsChart();
  QCOMPARE(hatchOf(chart, 0), Qt::NoBrush);
  QCOMPARE(hatchOf(chart, 1), Qt::NoBrush);
  QVERIFY(hatchOf(chart, 2) != Qt::NoBrush);  // the colour of the second
}

void ChartPartsTest::coloursFollowTheGround() {
  QVERIFY(!isDark(lightPalette()));
  QVERIFY(isDark(darkPalette()));
  const int count = static_cast<int>(chart_colours().size());
  for (int i = 0; i < count; ++i) {
    const ChartColour& colour = chart_colours()[static_cast<std::size_t>(i)];
    QCOMPARE(chartColour(i, lightPalette()), QColor(QString::fromStdString(colour.light)));
    QCOMPARE(chartColour(i + count, darkPalette()), QColor(QString::fromStdString(colour.dark)));
  }
}

}  // namespace stallcast::gui

using stallcast::gui::ChartPartsTest;
STALLCAST_GUI_TEST(ChartPartsTest);
#include "chart_parts_test.moc"
