// Every way to use a chart: mouse, keys, menu, table, files; what is drawn is what the Chart says.
#include "gui/charts/chart_widget.h"

#include <QAction>
#include <QBarCategoryAxis>
#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QMenu>
#include <QMessageBox>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QSvgRenderer>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QToolTip>
#include <QValueAxis>
#include <QtTest>

#include "core/report/charts/chart_svg.h"
#include "gui/charts/chart_export.h"
#include "gui/charts/chart_legend.h"
#include "gui/charts/chart_table_model.h"
#include "gui/charts/chart_ticks.h"
#include "gui/charts/plot_view.h"
#include "gui/palette.h"
#include "tests/gui/charts/hand_made_charts.h"
#include "tests/gui/gui_test.h"

namespace stallcast::gui {
namespace {

constexpr QSize kSize(700, 460);

// A chart on the screen, with its parts at hand.
struct Shown {
  explicit Shown(const Chart& chart) : widget("chart") {
    widget.setChart(chart);
    widget.resize(kSize);
    widget.show();
    (void)QTest::qWaitForWindowExposed(&widget);
    plot = widget.findChild<PlotView*>("chart.plot");
    table = widget.findChild<QTableView*>("chart.table");
  }
  void click(int series, int datum) const {
    QTest::mouseClick(plot->viewport(), Qt::LeftButton, {}, plot->placeOf(series, datum));
  }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) const { QTest::keyClick(plot, key, modifiers); }
  void move(const QPoint& at, Qt::MouseButtons buttons = {}) const {
    QMouseEvent event(QEvent::MouseMove, at, plot->viewport()->mapToGlobal(at), Qt::NoButton, buttons, {});
    QApplication::sendEvent(plot->viewport(), &event);
  }
  void drag(const QPoint& from, const QPoint& to) const {
    QTest::mousePress(plot->viewport(), Qt::LeftButton, {}, from);
    move(to, Qt::LeftButton);
    QTest::mouseRelease(plot->viewport(), Qt::LeftButton, {}, to);
  }
  void wheel(int delta, Qt::KeyboardModifiers modifiers) const {
    const QPointF at = plot->viewport()->rect().center();
    QWheelEvent event(at, plot->viewport()->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(plot->viewport(), &event);
  }
  QAction* action(const char* name) const { return widget.findChild<QAction*>(QStringLiteral("chart.") + name); }
  std::vector<QLineSeries*> lines() const {
    std::vector<QLineSeries*> out;
    for (QAbstractSeries* series : plot->chart()->series())
      if (auto* line = qobject_cast<QLineSeries*>(series); line != nullptr && line->count() > 0) out.push_back(line);
    return out;
  }

  ChartWidget widget;
  PlotView* plot = nullptr;
  QTableView* table = nullptr;
};

// How far two images differ: pixels that are not equal.
int differing(const QImage& a, const QImage& b) {
  int count = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) count += a.pixel(x, y) != b.pixel(x, y) ? 1 : 0;
  return count;
}

}  // namespace

class ChartWidgetTest : public QObject {
  Q_OBJECT
 private slots:
  void everyDatumIsDrawnWhereItsNumbersAre();
  void linesAndBandsAreTheData();
  void axesHoldEverything();
  void shortAxesWrapTheirTitles();
  void categoriesAreNamed();
  void longNamesAreReadFromTopToBottom();
  void namesWithoutRoomAreShortenedOrLeftOut();
  void aChartOfTheSameShapeIsUpdatedInPlace();
  void anotherShapeTakesItsPlace();
  void clicksPick();
  void keysReachEveryDatum();
  void arrowsGoToTheNextDatumThatWay();
  void theMouseSaysWhatADatumIs();
  void whatIsHighlightedStandsOut();
  void legendsPickSeries();
  void keysPickSeriesInTheLegend();
  void zoomsByKeysWheelAndDragAndBack();
  void zoomSurvivesNewValues();
  void barsDoNotZoom();
  void aLineWithAKeyIsMovedByADrag();
  void noLabelLiesOnAnotherLine();
  void theTableIsAnotherWayToRead();
  void theMenuOpensByMouseAndKey();
  void filesHoldTheChart();
  void theDialogSaves();
  void whatCannotBeSavedIsSaid();
  void copiesImageAndTable();
  void emptyChartsSayWhy();
  void namesForScreenReaders();
  void survivesHidingResizingAndDarkness();
};

void ChartWidgetTest::everyDatumIsDrawnWhereItsNumbersAre() {
  for (const Chart& chart : everyKindOfChart()) {
    const Shown shown(chart);
    std::size_t count = 0;
    for (const ChartSeries& series : chart.series) count += series.data.size();
    QCOMPARE(shown.plot->marks().size(), count);
    const QRectF plot = shown.plot->chart()->plotArea().adjusted(-1.0, -1.0, 1.0, 1.0);
    for (const Mark& mark : shown.plot->marks()) {
      QVERIFY2(plot.contains(mark.tip), chart.id.c_str());
      if (!mark.is_point) QVERIFY2(plot.contains(mark.area), chart.id.c_str());
    }
  }
  // On a linear axis equal steps are equal lengths: of the curve y = 20, 35, 50 at x = 1, 2, 4.
  const Shown shown(linesChart());
  const auto& marks = shown.plot->marks();
  const double one = marks[5].tip.x() - marks[4].tip.x(), two = marks[6].tip.x() - marks[5].tip.x();
  QVERIFY(std::abs(two - 2.0 * one) < 0.01);
  QVERIFY(std::abs((marks[4].tip.y() - marks[5].tip.y()) - (marks[5].tip.y() - marks[6].tip.y())) < 0.01);
  // Where Qt Charts draws its line.
  for (int d = 0; d < 4; ++d) {
    const QPointF drawn = shown.plot->chart()->mapToPosition(shown.lines()[1]->at(d), shown.lines()[1]);
    QVERIFY(QLineF(drawn, marks[static_cast<std::size_t>(4 + d)].tip).length() < 0.01);
  }
  // On a logarithmic one equal ratios are: 100, 1000, 10000.
  const Shown log(pointsChart());
  const auto& points = log.plot->marks();
  QVERIFY(std::abs((points[1].tip.x() - points[0].tip.x()) - (points[2].tip.x() - points[1].tip.x())) < 0.01);
}

void ChartWidgetTest::linesAndBandsAreTheData() {
  const Chart chart = linesChart();
  const Shown shown(chart);
  const std::vector<QLineSeries*> lines = shown.lines();
  QCOMPARE(lines.size(), chart.series.size());
  for (std::size_t s = 0; s < lines.size(); ++s) {
    QCOMPARE(lines[s]->count(), 4);
    for (int d = 0; d < 4; ++d) {
      const ChartDatum& datum = chart.series[s].data[static_cast<std::size_t>(d)];
      QCOMPARE(lines[s]->at(d), QPointF(datum.x, datum.y));
    }
  }
}

void ChartWidgetTest::axesHoldEverything() {
  for (const Chart& chart : everyKindOfChart()) {
    const Shown shown(chart);
    for (const bool of_x : {true, false}) {
      const ChartAxis& axis = of_x ? chart.x : chart.y;
      if (!axis.categories.empty()) continue;
      const PlotAxis& drawn = of_x == shown.plot->isTransposed() ? shown.plot->leftAxis() : shown.plot->bottomAxis();
      const ValueRange wanted = *shownRange(chart, of_x);
      QVERIFY(drawn.range().low <= wanted.low && drawn.range().high >= wanted.high);
      QCOMPARE(drawn.qt()->titleText().toStdString(), axis_heading(axis));
      QCOMPARE(qobject_cast<QLogValueAxis*>(drawn.qt()) != nullptr, axis.logarithmic);
    }
  }
}

// On two lines where one is longer than the axis; where it is still shorter, the unit stays.
void ChartWidgetTest::shortAxesWrapTheirTitles() {
  Chart chart = linesChart();
  chart.y.title = "GPU utilization at least";
  Shown shown(chart);
  const auto title = [&] { return shown.plot->leftAxis().qt()->titleText(); };
  const QString whole = QString::fromStdString(axis_heading(chart.y));
  QCOMPARE(title(), whole);
  const int tall = shown.widget.height();
  const int line = QFontMetrics(shown.plot->font()).horizontalAdvance("GPU utilization");
  shown.widget.resize(shown.widget.width(),
                      tall - static_cast<int>(shown.plot->chart()->plotArea().height()) + line + 10);
  shown.widget.setChart(chart);
  QTRY_COMPARE(title(), QString(whole).replace(" at", "<br>at"));
  shown.widget.resize(shown.widget.width(), shown.widget.height() - line / 2);
  QTRY_COMPARE(title(), QString::fromStdString(chart.y.unit));
  shown.widget.resize(shown.widget.width(), tall);
  QTRY_COMPARE(title(), whole);
}

void ChartWidgetTest::categoriesAreNamed() {
  const Shown shown(rangesChart());
  auto* names = qobject_cast<QBarCategoryAxis*>(shown.plot->leftAxis().qt());
  QVERIFY(names != nullptr);
  QCOMPARE(names->categories(), QStringList({"dataset.decode_time", "storage.latency"}));  // upwards
  // The first one is on top.
  QVERIFY(shown.plot->marks()[0].area.bottom() < shown.plot->marks()[1].area.top());
}

void ChartWidgetTest::longNamesAreReadFromTopToBottom() {
  Shown shown(waterfallChart());
  QVERIFY(shown.plot->isTransposed());
  QVERIFY(shown.plot->marks()[0].area.bottom() < shown.plot->marks()[1].area.top());
  QVERIFY(std::abs(shown.plot->marks()[0].area.right() - shown.plot->marks()[1].area.left()) < 0.01);
  Chart brief = waterfallChart();
  brief.x.categories = {"a", "b", "c", "d"};
  shown.widget.setChart(brief);
  QVERIFY(!shown.plot->isTransposed());
  QVERIFY(std::abs(shown.plot->marks()[0].area.top() - shown.plot->marks()[1].area.bottom()) < 0.01);
}

void ChartWidgetTest::namesWithoutRoomAreShortenedOrLeftOut() {
  Shown shown(rangesChart());
  const auto names = [&] { return qobject_cast<QBarCategoryAxis*>(shown.plot->leftAxis().qt())->categories(); };
  Chart chart = rangesChart();
  chart.y.categories[0] = std::string(300, 'x');
  shown.widget.setChart(chart);
  QVERIFY(names().last().contains(QString::fromUtf8("…")));
  QVERIFY(shown.plot->chart()->plotArea().width() > 0.4 * shown.plot->width());
  // A hundred lanes on 460 pixels: not one line of text for each.
  Chart lanes = timelineChart();
  lanes.y.categories.clear();
  for (int i = 0; i < 100; ++i) lanes.y.categories.push_back("rank " + std::to_string(i));
  shown.widget.setChart(lanes);
  shown.widget.resize(kSize + QSize(1, 0));
  QCOMPARE(names().size(), 100);
  QCOMPARE(names().last(), QString("rank 0"));
  const QStringList all = names();
  const auto named = std::count_if(all.begin(), all.end(), [](const QString& n) { return n.contains("rank"); });
  QVERIFY(named > 5 && named < 50);
}

void ChartWidgetTest::aChartOfTheSameShapeIsUpdatedInPlace() {
  Chart chart = linesChart();
  Shown shown(chart);
  const QList<QAbstractSeries*> series = shown.plot->chart()->series();
  const QAbstractAxis* axis = shown.plot->leftAxis().qt();
  const ValueRange range = shown.plot->leftAxis().range();
  const double before = shown.plot->marks()[0].tip.y();
  chart.series[0].data[0].y = 45.0;
  shown.widget.setChart(chart);
  QCOMPARE(shown.plot->chart()->series(), series);
  QCOMPARE(shown.plot->leftAxis().qt(), axis);
  QCOMPARE(shown.plot->leftAxis().range(), range);
  QVERIFY(shown.plot->marks()[0].tip.y() < before);
  QCOMPARE(shown.lines()[0]->at(0), QPointF(1.0, 45.0));
}

void ChartWidgetTest::anotherShapeTakesItsPlace() {
  Shown shown(barsChart());
  for (const Chart& chart : everyKindOfChart()) {
    shown.widget.setChart(chart);
    std::size_t count = 0;
    for (const ChartSeries& series : chart.series) count += series.data.size();
    QCOMPARE(shown.plot->marks().size(), count);
    QCOMPARE(shown.plot->chart()->axes().size(), 2);
    QCOMPARE(shown.widget.findChild<QLabel*>("chart.title")->text().toStdString(), chart.title);
  }
}

void ChartWidgetTest::clicksPick() {
  for (const Chart& chart : everyKindOfChart()) {
    const Shown shown(chart);
    QSignalSpy picked(&shown.widget, &ChartWidget::picked);
    const int last = static_cast<int>(chart.series.back().data.size()) - 1;
    const int series = static_cast<int>(chart.series.size()) - 1;
    shown.click(series, last);
    QCOMPARE(picked.count(), 1);
    QCOMPARE(picked[0][0].toString(), keyOf(chart, series, last));
    QCOMPARE(picked[0][1].toInt(), series);
    QCOMPARE(picked[0][2].toInt(), last);
  }
  const Shown shown(pointsChart());
  QSignalSpy picked(&shown.widget, &ChartWidget::picked);
  QTest::mouseClick(shown.plot->viewport(), Qt::LeftButton, {}, QPoint(3, 3));
  QTest::mouseClick(shown.plot->viewport(), Qt::RightButton, {}, shown.plot->placeOf(0, 0));
  QCOMPARE(picked.count(), 0);
}

void ChartWidgetTest::keysReachEveryDatum() {
  for (const Chart& chart : everyKindOfChart()) {
    const Shown shown(chart);
    QSignalSpy picked(&shown.widget, &ChartWidget::picked);
    shown.key(Qt::Key_Home);
    const int count = static_cast<int>(shown.plot->marks().size());
    for (int i = 0; i < count; ++i) {
      QCOMPARE(shown.plot->current(), i);
      shown.key(i % 2 == 0 ? Qt::Key_Return : Qt::Key_Space);
      shown.key(Qt::Key_PageDown);
    }
    QCOMPARE(picked.count(), count);
    QCOMPARE(shown.plot->current(), count - 1);
    shown.key(Qt::Key_PageUp);
    QCOMPARE(shown.plot->current(), count - 2);
    shown.key(Qt::Key_End);
    QCOMPARE(shown.plot->current(), count - 1);
  }
}

void ChartWidgetTest::arrowsGoToTheNextDatumThatWay() {
  const Shown shown(linesChart());
  shown.plot->setCurrent(1, 0);  // tier B at 1 worker, below tier A
  shown.key(Qt::Key_Up);
  QCOMPARE(shown.plot->current(), 0);
  shown.key(Qt::Key_Right);
  QCOMPARE(shown.plot->current(), 1);
  shown.key(Qt::Key_Down);
  QCOMPARE(shown.plot->current(), 5);
  shown.key(Qt::Key_Left);
  QCOMPARE(shown.plot->current(), 4);
  shown.key(Qt::Key_Left);  // there is none
  QCOMPARE(shown.plot->current(), 4);
}

void ChartWidgetTest::theMouseSaysWhatADatumIs() {
  const Shown shown(linesChart());
  shown.move(shown.plot->placeOf(0, 2));
  QTRY_COMPARE_WITH_TIMEOUT(QToolTip::text(), datumText(linesChart(), 0, 2), kLongest);
  QVERIFY(QToolTip::text().contains("78"));
  shown.key(Qt::Key_Home);
  QTRY_COMPARE_WITH_TIMEOUT(QToolTip::text(), datumText(linesChart(), 0, 0), kLongest);
  QToolTip::hideText();
}

void ChartWidgetTest::whatIsHighlightedStandsOut() {
  for (const Chart& chart : everyKindOfChart()) {
    Shown shown(chart);
    const QImage plain = shown.widget.grab().toImage();
    shown.widget.highlight("no such key");
    QCOMPARE(differing(shown.widget.grab().toImage(), plain), 0);
    shown.widget.highlight(keyOf(chart, 0, 0));
    const QImage marked = shown.widget.grab().toImage();
    QVERIFY2(differing(marked, plain) > 100, chart.id.c_str());
    shown.widget.highlight("");
    QCOMPARE(differing(shown.widget.grab().toImage(), plain), 0);
  }
  // The bar that is highlighted keeps its colour, the others lose theirs.
  Shown shown(barsChart());
  const auto colourOf = [&](int series, int datum) {
    const QRectF area = shown.plot->marks()[static_cast<std::size_t>(2 * series + datum)].area;
    return shown.plot->grab().toImage().pixelColor((area.topLeft() + QPointF(4.0, 4.0)).toPoint());
  };
  const QColor latency = colourOf(1, 0), computing = colourOf(0, 0);
  shown.widget.highlight("storage_latency");
  QCOMPARE(colourOf(1, 0), latency);
  QVERIFY(colourOf(0, 0).lightness() > computing.lightness() + 50);
}

void ChartWidgetTest::legendsPickSeries() {
  const Shown shown(barsChart());
  auto* legend = shown.widget.findChild<ChartLegend*>("chart.legend");
  QVERIFY(legend->isVisible());
  QSignalSpy picked(&shown.widget, &ChartWidget::picked);
  QTest::mouseClick(legend, Qt::LeftButton, {}, legend->entryRect(1).center());
  QCOMPARE(picked.count(), 1);
  QCOMPARE(picked[0][0].toString(), QString("storage_latency"));
  QCOMPARE(picked[0][2].toInt(), -1);
  QVERIFY(legend->heightForWidth(60) > legend->heightForWidth(600));  // in more lines
  const Shown single(waterfallChart());
  QVERIFY(!single.widget.findChild<ChartLegend*>("chart.legend")->isVisible());
}

void ChartWidgetTest::keysPickSeriesInTheLegend() {
  const Chart chart = barsChart();
  const Shown shown(chart);
  auto* legend = shown.widget.findChild<ChartLegend*>("chart.legend");
  QVERIFY(legend->focusPolicy() & Qt::TabFocus);
  QSignalSpy picked(&shown.widget, &ChartWidget::picked);
  const int last = static_cast<int>(chart.series.size()) - 1;
  for (int i = 0; i <= last + 1; ++i) {  // once too often: the last one stays
    const ChartSeries& series = chart.series[static_cast<std::size_t>(std::min(i, last))];
    QCOMPARE(legend->accessibleDescription().toStdString(), series.name);
    QTest::keyClick(legend, i % 2 == 0 ? Qt::Key_Return : Qt::Key_Space);
    QCOMPARE(picked.count(), i + 1);
    QCOMPARE(picked.last()[0].toString().toStdString(), series.key);
    QCOMPARE(picked.last()[2].toInt(), -1);
    QTest::keyClick(legend, i % 2 == 0 ? Qt::Key_Right : Qt::Key_Down);
  }
  for (int i = 0; i <= last + 1; ++i) QTest::keyClick(legend, i % 2 == 0 ? Qt::Key_Left : Qt::Key_Up);
  QCOMPARE(legend->accessibleDescription().toStdString(), chart.series.front().name);
}

void ChartWidgetTest::zoomsByKeysWheelAndDragAndBack() {
  for (const Chart& chart : {linesChart(), pointsChart(), timelineChart()}) {
    const Shown shown(chart);
    const ValueRange all = shown.plot->bottomAxis().range();
    QVERIFY(!shown.action("reset_zoom")->isEnabled());
    shown.key(Qt::Key_Plus);
    QVERIFY(shown.plot->isZoomed());
    QVERIFY(shown.plot->bottomAxis().range().width() < all.width());
    QVERIFY(shown.action("reset_zoom")->isEnabled());
    const ValueRange near = shown.plot->bottomAxis().range();
    shown.key(Qt::Key_Right, Qt::ShiftModifier);
    QVERIFY(shown.plot->bottomAxis().range().low > near.low);
    shown.key(Qt::Key_Minus);
    shown.key(Qt::Key_Minus);
    QCOMPARE(shown.plot->bottomAxis().range(), all);  // never beyond
    shown.wheel(120, Qt::NoModifier);
    QVERIFY(!shown.plot->isZoomed());
    shown.wheel(120, Qt::ControlModifier);
    QVERIFY(shown.plot->isZoomed());
    shown.key(Qt::Key_0);
    QVERIFY(!shown.plot->isZoomed());
    const QRect room = shown.plot->viewport()->rect();
    QSignalSpy picked(&shown.widget, &ChartWidget::picked);
    shown.drag(room.center() - QPoint(60, 40), room.center() + QPoint(60, 40));
    QVERIFY(shown.plot->isZoomed());
    QCOMPARE(picked.count(), 0);
    // 120 pixels of the plot's width are now all of it.
    if (!shown.plot->bottomAxis().shape().logarithmic) {
      const double share = shown.plot->bottomAxis().range().width() / all.width();
      QVERIFY(std::abs(share - 120.0 / shown.plot->chart()->plotArea().width()) < 0.02);
    }
    shown.action("reset_zoom")->trigger();
    QCOMPARE(shown.plot->bottomAxis().range(), all);
  }
}

void ChartWidgetTest::zoomSurvivesNewValues() {
  Chart chart = linesChart();
  Shown shown(chart);
  shown.key(Qt::Key_Plus);
  const ValueRange near = shown.plot->bottomAxis().range();
  chart.series[0].data[2].y = 79.0;
  shown.widget.setChart(chart);
  QCOMPARE(shown.plot->bottomAxis().range(), near);
  shown.widget.setChart(barsChart());
  QVERIFY(!shown.plot->isZoomed());
}

void ChartWidgetTest::barsDoNotZoom() {
  for (const Chart& chart : {barsChart(), waterfallChart(), rangesChart()}) {
    const Shown shown(chart);
    shown.key(Qt::Key_Plus);
    shown.wheel(120, Qt::ControlModifier);
    QVERIFY(!shown.plot->isZoomed());
  }
}

void ChartWidgetTest::aLineWithAKeyIsMovedByADrag() {
  Chart chart = pointsChart();
  chart.rules = {{false, 75.0, "target 75 %", "utilization"}, {true, 300.0, "knee"}};
  const Shown shown(chart);
  QSignalSpy moved(&shown.widget, &ChartWidget::ruleMoved);
  const auto screen = [&](double share_x, double share_y) {
    const QRectF plot = shown.plot->chart()->plotArea();
    const QPointF at(plot.left() + share_x * plot.width(), plot.bottom() - share_y * plot.height());
    return shown.plot->mapFromScene(shown.plot->chart()->mapToScene(at));
  };
  const double from = shown.plot->leftAxis().shareOf(75.0), to = shown.plot->leftAxis().shareOf(85.0);
  shown.drag(screen(0.4, from), screen(0.5, to));
  QCOMPARE(moved.count(), 1);
  QCOMPARE(moved[0][0].toString(), QString("utilization"));
  // To the pixel: the axis shows some 20 % on some hundred of them.
  QVERIFY(std::abs(moved[0][1].toDouble() - 85.0) < 0.5);
  QCOMPARE(shown.plot->shownChart().rules[0].at, moved[0][1].toDouble());
  QVERIFY(!shown.plot->isZoomed());

  // One without a key stays where it is: the drag is one that zooms.
  const double knee = shown.plot->bottomAxis().shareOf(300.0);
  shown.drag(screen(knee, 0.2), screen(knee + 0.3, 0.6));
  QCOMPARE(moved.count(), 1);
  QCOMPARE(shown.plot->shownChart().rules[1].at, 300.0);
  QVERIFY(shown.plot->isZoomed());
}

void ChartWidgetTest::noLabelLiesOnAnotherLine() {
  Chart chart = linesChart();
  chart.rules = {{true, 5.0, "as it is: five"}, {true, 5.5, "most that pays: 5.5"}};
  Chart unnamed = chart;
  for (ChartRule& rule : unnamed.rules) rule.label.clear();
  const Shown shown(chart), bare(unnamed);
  const QImage named = shown.plot->grab().toImage(), lines = bare.plot->grab().toImage();
  QVERIFY(differing(named, lines) > 100);
  const QRectF plot = shown.plot->chart()->plotArea();
  for (const ChartRule& rule : chart.rules) {
    const double x = plot.left() + shown.plot->bottomAxis().shareOf(rule.at) * plot.width();
    const int column = shown.plot->mapFromScene(shown.plot->chart()->mapToScene({x, plot.center().y()})).x();
    for (int y = 0; y < named.height(); ++y) QCOMPARE(named.pixel(column, y), lines.pixel(column, y));
  }
}

void ChartWidgetTest::theTableIsAnotherWayToRead() {
  Shown shown(linesChart());
  shown.plot->setFocus();
  QTest::keyClick(shown.plot, Qt::Key_T, Qt::ControlModifier | Qt::AltModifier);
  QVERIFY(shown.widget.isTableShown());
  QVERIFY(shown.table->isVisible());
  QCOMPARE(shown.table->model()->rowCount(), 8);
  QSignalSpy picked(&shown.widget, &ChartWidget::picked);
  shown.table->setCurrentIndex(shown.table->model()->index(5, 0));
  QTest::keyClick(shown.table, Qt::Key_Return);
  QCOMPARE(picked.count(), 1);
  QCOMPARE(picked[0][1].toInt(), 1);
  QCOMPARE(picked[0][2].toInt(), 1);
  shown.widget.highlight("/loader/num_workers=2");
  QCOMPARE(shown.table->selectionModel()->selectedRows().size(), 1);
  QCOMPARE(shown.table->selectionModel()->selectedRows().first().row(), 2);
  shown.widget.showTable(false);
  QVERIFY(shown.plot->isVisible());
}

void ChartWidgetTest::theMenuOpensByMouseAndKey() {
  const Shown shown(linesChart());
  auto* button = shown.widget.findChild<QToolButton*>("chart.menu");
  const auto menu = [&] { return shown.widget.findChild<QMenu*>("chart.context"); };
  QTest::mouseClick(button, Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(menu() != nullptr && menu()->isVisible(), kLongest);
  QCOMPARE(menu()->actions().size(), 6);
  QTest::keyClick(menu(), Qt::Key_Escape);
  QTRY_VERIFY_WITH_TIMEOUT(menu() == nullptr, kLongest);
  QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(50, 50), shown.plot->mapToGlobal(QPoint(50, 50)));
  QApplication::sendEvent(shown.plot->viewport(), &event);
  QTRY_VERIFY_WITH_TIMEOUT(menu() != nullptr && menu()->isVisible(), kLongest);
  menu()->close();
}

void ChartWidgetTest::filesHoldTheChart() {
  const QTemporaryDir folder;
  for (const Chart& chart : everyKindOfChart()) {
    Shown shown(chart);
    const auto path = [&](const char* suffix) {
      return folder.filePath(QString::fromStdString(chart.id) + '.' + suffix);
    };
    const auto content = [](const QString& name) {
      QFile file(name);
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    for (const char* suffix : {"svg", "png", "csv"}) QVERIFY(shown.widget.saveTo(path(suffix)));
    QCOMPARE(content(path("csv")).toStdString(), chart_csv(chart));
    QCOMPARE(content(path("svg")).toStdString(), chart_svg(chart));
    const QSvgRenderer drawing(path("svg"));
    QVERIFY(drawing.isValid());
    const QImage image(path("png"));
    QCOMPARE(image.size(), (QSizeF(drawing.defaultSize()) * kImageScale).toSize());
    QImage empty(image.size(), image.format());
    empty.fill(image.pixelColor(0, 0));
    QVERIFY(differing(image, empty) > 100);
    const QImage dark = chartImage(chart, kImageScale, true);
    QCOMPARE(dark.size(), image.size());
    for (const QPoint& corner : {image.rect().topLeft(), image.rect().bottomRight()})
      QVERIFY(image.pixelColor(corner).lightness() > 250 && dark.pixelColor(corner).lightness() < 40);
    QCOMPARE(chartImage(chart, 0.5).width(), (QSizeF(drawing.defaultSize()) * 0.5).toSize().width());
  }
  QVERIFY(chartImage(barsChart(), 1000.0).width() <= 16384);
}

void ChartWidgetTest::theDialogSaves() {
  const QTemporaryDir folder;
  QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  const Shown shown(barsChart());
  shown.plot->setFocus();
  QTest::keyClick(shown.plot, Qt::Key_C, Qt::ControlModifier | Qt::AltModifier);
  QFileDialog* dialog = nullptr;
  QTRY_VERIFY_WITH_TIMEOUT((dialog = shown.widget.findChild<QFileDialog*>("chart.save")) != nullptr, kLongest);
  auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
  QVERIFY(name != nullptr);
  QCOMPARE(QFileInfo(name->text()).fileName(), QString("bars.csv"));
  name->setText(folder.filePath("mine"));
  QTest::keyClick(name, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(folder.filePath("mine.csv")), kLongest);
}

void ChartWidgetTest::whatCannotBeSavedIsSaid() {
  Shown shown(barsChart());
  for (const QString& path : {QString("/no/such/folder/a.svg"), QString("/tmp/chart.jpeg")}) {
    QVERIFY(!shown.widget.saveTo(path));
    QMessageBox* box = nullptr;
    QTRY_VERIFY_WITH_TIMEOUT((box = shown.widget.findChild<QMessageBox*>("chart.problem")) != nullptr, kLongest);
    QVERIFY(box->text().contains(path));
    QTest::keyClick(box, Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(shown.widget.findChild<QMessageBox*>("chart.problem") == nullptr, kLongest);
  }
}

void ChartWidgetTest::copiesImageAndTable() {
  Shown shown(barsChart());
  shown.plot->setFocus();
  QTest::keyClick(shown.plot, Qt::Key_C, Qt::ControlModifier);
  QVERIFY(!QApplication::clipboard()->image().isNull());
  shown.widget.showTable(true);
  shown.widget.copyToClipboard();
  QCOMPARE(QApplication::clipboard()->text().toStdString(), chart_csv(barsChart()));
}

void ChartWidgetTest::emptyChartsSayWhy() {
  Chart chart = waterfallChart();
  chart.series[0].data.clear();
  chart.alt = "There is no total: the length of the run is not given.";
  Shown shown(chart);
  auto* empty = shown.widget.findChild<QLabel*>("chart.empty");
  QVERIFY(empty->isVisible());
  QCOMPARE(empty->text().toStdString(), chart.alt);
  shown.widget.setEmptyText("later");
  QCOMPARE(empty->text(), QString("later"));
  shown.widget.setChart(waterfallChart());
  QVERIFY(!empty->isVisible());
  QVERIFY(shown.plot->isVisible());
}

void ChartWidgetTest::namesForScreenReaders() {
  const Chart chart = linesChart();
  const Shown shown(chart);
  QCOMPARE(shown.widget.accessibleName().toStdString(), chart.title);
  QCOMPARE(shown.widget.accessibleDescription().toStdString(), chart.alt);
  QCOMPARE(shown.plot->accessibleName().toStdString(), chart.title);
  shown.key(Qt::Key_End);
  QCOMPARE(shown.plot->accessibleDescription(), datumText(chart, 1, 3));
  QVERIFY(!shown.widget.findChild<QToolButton*>("chart.menu")->accessibleName().isEmpty());
}

void ChartWidgetTest::survivesHidingResizingAndDarkness() {
  for (const Chart& chart : everyKindOfChart()) {
    Shown shown(chart);
    shown.widget.hide();
    Chart other = chart;
    other.series[0].data[0].y *= 0.9;
    shown.widget.setChart(other);
    shown.widget.resize(300, 220);
    shown.widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&shown.widget));
    shown.widget.resize(1400, 900);
    const QImage light = shown.widget.grab().toImage();
    shown.widget.setPalette(darkPalette());
    const QImage dark = shown.widget.grab().toImage();
    QVERIFY(light.pixelColor(2, 2).lightness() > 200);
    QVERIFY(dark.pixelColor(2, 2).lightness() < 60);
    const QPoint corner = shown.plot->mapTo(&shown.widget, QPoint(2, 2));
    QVERIFY(dark.pixelColor(corner).lightness() < 60);
    const QRectF plot = shown.plot->chart()->plotArea();
    QVERIFY(plot.width() > 500.0 && plot.height() > 400.0);
    for (const Mark& mark : shown.plot->marks()) QVERIFY(plot.adjusted(-1, -1, 1, 1).contains(mark.tip));
  }
}

}  // namespace stallcast::gui

using stallcast::gui::ChartWidgetTest;
STALLCAST_GUI_TEST(ChartWidgetTest);
#include "chart_widget_test.moc"
