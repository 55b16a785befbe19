#include "gui/charts/plot_view.h"

#include <QAreaSeries>
#include <QEvent>
#include <QFontMetrics>
#include <QGraphicsLayout>
#include <QLineSeries>
#include <QLocale>
#include <QPen>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "gui/palette.h"

namespace stallcast::gui {
namespace {

constexpr double kLineWidth = 2.2;

bool hasBand(const ChartSeries& series) {
  return std::any_of(series.data.begin(), series.data.end(),
                     [](const ChartDatum& d) { return d.low && d.high && *d.high > *d.low; });
}

// What two charts share when the series of one can hold the data of the other.
bool sameSeries(const Chart& a, const Chart& b) {
  if (a.kind != b.kind || a.series.size() != b.series.size()) return false;
  for (std::size_t i = 0; i < a.series.size(); ++i)
    if (hasBand(a.series[i]) != hasBand(b.series[i])) return false;
  return true;
}

bool standsOnCategories(const Chart& chart) {
  return (chart.kind == ChartKind::kBars || chart.kind == ChartKind::kWaterfall) && !chart.x.categories.empty();
}

}  // namespace

PlotView::PlotView(QWidget* parent) : QChartView(new QChart, parent) {
  QChart* const frame = QChartView::chart();
  frame->legend()->hide();
  frame->setBackgroundVisible(false);
  frame->setMargins(QMargins(0, 0, 0, 0));
  frame->layout()->setContentsMargins(0, 0, 0, 0);
  frame->setAnimationOptions(QChart::NoAnimation);
  frame->setLocalizeNumbers(true);
  frame->setLocale(QLocale(QLocale::English, QLocale::UnitedStates));
  painter_ = new ChartPainter(frame);
  setRenderHint(QPainter::Antialiasing);
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  viewport()->setMouseTracking(true);
  connect(frame, &QChart::plotAreaChanged, this, [this] { layoutMarks(); });
  rebuild();
}

AxisShape PlotView::shapeOf(const ChartAxis& axis, bool of_x) const {
  AxisShape shape;
  shape.categorical = !axis.categories.empty();
  shape.logarithmic = !shape.categorical && axis.logarithmic;
  if (!shape.logarithmic) return shape;
  if (const auto range = shownRange(data_, of_x)) {
    shape.base = logarithmBase(*range);
  } else {
    shape.logarithmic = false;  // nothing above 0 to show
  }
  return shape;
}

// Names of categories that do not fit side by side are read from top to bottom.
bool PlotView::wantsTransposed() const {
  if (!standsOnCategories(data_)) return false;
  if (data_.kind == ChartKind::kBars && data_.x.categories.size() <= 2) return true;
  const QFontMetrics metrics(font());
  int widest = 0;
  for (const std::string& name : data_.x.categories)
    widest = std::max(widest, metrics.horizontalAdvance(QString::fromStdString(name)));
  const int room = (width() - 8 * metrics.averageCharWidth()) / static_cast<int>(data_.x.categories.size());
  return widest + metrics.averageCharWidth() > room;
}

void PlotView::setChart(const Chart& chart) {
  const bool same = sameSeries(chart, data_);
  const std::optional<ChartRule> held =
      moving_ >= 0 ? std::optional(data_.rules[static_cast<std::size_t>(moving_)]) : std::nullopt;
  data_ = chart;
  moving_ = -1;
  for (std::size_t i = 0; held && i < data_.rules.size(); ++i) {
    if (data_.rules[i].key != held->key) continue;
    moving_ = static_cast<int>(i);
    data_.rules[i].at = held->at;
  }
  if (!same) {
    zoomed_ = false;
    current_ = -1;
    rebuild();
    emit zoomChanged();
    return;
  }
  adopt();
}

void PlotView::adopt() {
  const bool fits = wantsTransposed() == transposed_ && shapeOf(bottomSpec(), !transposed_) == bottom_.shape() &&
                    shapeOf(leftSpec(), transposed_) == left_.shape();
  if (!fits) {
    rebuild();
    return;
  }
  fillLines();
  showRanges();
  layoutMarks();
}

void PlotView::rebuild() {
  chart()->removeAllSeries();
  lines_.clear();
  full_x_ = full_y_ = std::nullopt;
  transposed_ = wantsTransposed();
  bottom_.rebuild(*chart(), Qt::Horizontal, shapeOf(bottomSpec(), !transposed_));
  left_.rebuild(*chart(), Qt::Vertical, shapeOf(leftSpec(), transposed_));
  const auto attach = [this](QAbstractSeries* series) {
    chart()->addSeries(series);
    series->attachAxis(bottom_.qt());
    series->attachAxis(left_.qt());
  };
  anchor_ = new QLineSeries;
  attach(anchor_);
  if (data_.kind == ChartKind::kLines) {
    for (const ChartSeries& series : data_.series) {
      Line line;
      if (hasBand(series)) {
        line.low = new QLineSeries(this);
        line.high = new QLineSeries(this);
        line.band = new QAreaSeries(line.high, line.low);
        attach(line.band);
      }
      line.line = new QLineSeries;
      attach(line.line);
      lines_.push_back(line);
    }
  }
  setLook();
  fillLines();
  showRanges();
  layoutMarks();
}

void PlotView::fillLines() {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    QList<QPointF> points, low, high;
    for (const ChartDatum& datum : data_.series[i].data) {
      if (!std::isfinite(datum.x) || !std::isfinite(datum.y)) continue;
      points.append({datum.x, datum.y});
      low.append({datum.x, datum.low.value_or(datum.y)});
      high.append({datum.x, datum.high.value_or(datum.y)});
    }
    const Line& line = lines_[i];
    if (line.line->points() != points) line.line->replace(points);
    if (line.band == nullptr) continue;
    if (line.low->points() != low) line.low->replace(low);
    if (line.high->points() != high) line.high->replace(high);
  }
  lookAtLines();
}

void PlotView::showRanges() {
  const auto wanted_x = shownRange(data_, !transposed_), wanted_y = shownRange(data_, transposed_);
  full_x_ = wanted_x ? steadied(full_x_, *wanted_x) : std::optional<ValueRange>();
  full_y_ = wanted_y ? steadied(full_y_, *wanted_y) : std::optional<ValueRange>();
  const ValueRange none{0.0, 1.0};
  showRanges(zoomed_ ? bottom_.range() : full_x_.value_or(none), zoomed_ ? left_.range() : full_y_.value_or(none));
}

void PlotView::showRanges(const ValueRange& bottom, const ValueRange& left) {
  constexpr int kMost = 10;
  const QFontMetrics metrics(font());
  const QRectF plot = chart()->plotArea();
  const int across = std::max(2, static_cast<int>(plot.width()) / (9 * metrics.averageCharWidth()));
  const int up = std::max(2, static_cast<int>(plot.height()) / (2 * metrics.height() + metrics.descent()));
  const PlotAxis::Room room{plot.height(), static_cast<double>(width()), font()};
  bottom_.show(bottomSpec(), bottom, std::min(kMost, across), room);
  left_.show(leftSpec(), left, std::min(kMost, up), room);
}

// As QChart::mapToPosition() does, without asking the chart for each of many data.
QPointF PlotView::toScreen(const QRectF& plot, double x, double y) const {
  QPointF at = transposed_ ? QPointF(y, x) : QPointF(x, y);
  if (left_.shape().categorical) at.setY(static_cast<double>(leftSpec().categories.size()) - 1.0 - at.y());
  return {plot.left() + plot.width() * bottom_.shareOf(at.x()), plot.bottom() - plot.height() * left_.shareOf(at.y())};
}

void PlotView::layoutMarks() {
  const QRectF plot = chart()->plotArea();
  PlotMap map;
  map.to_screen = [this, plot](double x, double y) { return toScreen(plot, x, y); };
  map.transposed = transposed_;
  map.thickest = 3.2 * QFontMetrics(font()).height();
  ChartPainter::Scene scene;
  scene.chart = &data_;
  scene.plot = plot;
  scene.marks = gui::layoutMarks(data_, map);
  scene.transposed = transposed_;
  for (const ChartRule& rule : data_.rules) {
    const ValueRange& x = transposed_ ? left_.range() : bottom_.range();
    const ValueRange& y = transposed_ ? bottom_.range() : left_.range();
    scene.rules.push_back(rule.at_x ? toScreen(plot, rule.at, y.low) : toScreen(plot, x.low, rule.at));
  }
  painter_->setScene(std::move(scene));
  hovered_ = -1;
  if (current_ >= static_cast<int>(marks().size())) current_ = -1;
  painter_->setRings(-1, hasFocus() ? current_ : -1);
}

void PlotView::setHighlight(const QString& key) {
  if (key == highlight_) return;
  highlight_ = key;
  painter_->setHighlight(key);
  lookAtLines();
}

void PlotView::lookAtLines() {
  const bool dims = hasKey(data_, highlight_);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const ChartSeries& series = data_.series[i];
    const bool own = std::any_of(series.data.begin(), series.data.end(), [this](const ChartDatum& datum) {
      return QString::fromStdString(datum.key) == highlight_;
    });
    QColor colour = chartColour(series.colour, palette());
    if (dims && !own && QString::fromStdString(series.key) != highlight_) colour.setAlphaF(static_cast<float>(kDimmed));
    const QPen pen(colour, kLineWidth);
    if (lines_[i].line->pen() != pen) lines_[i].line->setPen(pen);
    if (lines_[i].band == nullptr) continue;
    colour.setAlphaF(0.18F * colour.alphaF());
    lines_[i].band->setPen(Qt::NoPen);
    lines_[i].band->setBrush(colour);
  }
}

void PlotView::setLook() {
  setBackgroundBrush(palette().color(QPalette::Base));
  const bool lanes = data_.kind == ChartKind::kTimeline;
  bottom_.setLook(palette(), font(), lanes);
  left_.setLook(palette(), font(), lanes);
  anchor_->setPen(Qt::NoPen);
  painter_->setLook(palette(), font());
  lookAtLines();
}

void PlotView::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  adopt();
}

void PlotView::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  setLook();
  if (event->type() == QEvent::FontChange) adopt();
}

QPoint PlotView::placeOf(int series, int datum) const {
  for (const Mark& mark : marks()) {
    if (mark.series != series || mark.datum != datum) continue;
    const QPointF at = mark.is_point ? mark.tip : mark.area.center();
    return mapFromScene(chart()->mapToScene(at));
  }
  return {-1, -1};
}

bool PlotView::canZoom() const {
  return data_.kind == ChartKind::kLines || data_.kind == ChartKind::kPoints || data_.kind == ChartKind::kTimeline;
}

}  // namespace stallcast::gui
