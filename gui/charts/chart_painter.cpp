#include "gui/charts/chart_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "gui/charts/chart_ticks.h"
#include "gui/palette.h"

namespace stallcast::gui {
namespace {

constexpr std::size_t kMostLineMarks = 60;  // of a line: with more, its points are not marked one by one
constexpr double kRuleZone = 4.0;
constexpr double kRulePlaces = 60.0;  // that are tried for the label of a rule
constexpr double kNarrow = 1.6;       // of a bar, in pixels
constexpr double kPart = 0.7;         // how strong the parts of a waterfall of one colour are beside its sums

QColor withAlpha(QColor colour, double alpha) {
  colour.setAlphaF(static_cast<float>(alpha * static_cast<double>(colour.alphaF())));
  return colour;
}

// Black or white, whichever reads better on `ground`.
QColor readableOn(const QColor& ground) {
  const double light = 0.299 * ground.red() + 0.587 * ground.green() + 0.114 * ground.blue();
  return light > 140.0 ? QColor(Qt::black) : QColor(Qt::white);
}

// In a bar there is little room: shares in tenths.
QString barText(const ChartAxis& axis, double value) {
  if (axis.unit == "%" && std::abs(value) >= 1.0) return QString::number(value, 'f', 1) + QStringLiteral(" %");
  return valueText(axis, value);
}

}  // namespace

Qt::BrushStyle hatchOf(const Chart& chart, std::size_t series) {
  const auto count = static_cast<int>(chart_colours().size());
  const auto is_same = [&](const ChartSeries& other) {
    return other.colour % count == chart.series[series].colour % count;
  };
  const auto before =
      std::count_if(chart.series.begin(), chart.series.begin() + static_cast<std::ptrdiff_t>(series), is_same);
  constexpr Qt::BrushStyle kStyles[] = {Qt::NoBrush, Qt::BDiagPattern, Qt::FDiagPattern, Qt::DiagCrossPattern};
  return kStyles[static_cast<std::size_t>(before) % std::size(kStyles)];
}

QColor hatchColour(const QColor& ground) { return withAlpha(readableOn(ground), 0.45 * ground.alphaF()); }

bool hasKey(const Chart& chart, const QString& key) {
  if (key.isEmpty()) return false;
  const std::string wanted = key.toStdString();
  return std::any_of(chart.series.begin(), chart.series.end(), [&wanted](const ChartSeries& series) {
    return series.key == wanted || std::any_of(series.data.begin(), series.data.end(),
                                               [&wanted](const ChartDatum& datum) { return datum.key == wanted; });
  });
}

ChartPainter::ChartPainter(QGraphicsItem* parent) : QGraphicsItem(parent) {
  setZValue(100.0);
  setAcceptedMouseButtons(Qt::NoButton);
}

void ChartPainter::setScene(Scene scene) {
  prepareGeometryChange();
  scene_ = std::move(scene);
  dims_ = hasKey(*scene_.chart, highlight_);
  hovered_ = -1;
  if (current_ >= static_cast<int>(scene_.marks.size())) current_ = -1;
  update();
}

void ChartPainter::setLook(const QPalette& palette, const QFont& font) {
  palette_ = palette;
  font_ = font;
  update();
}

void ChartPainter::setHighlight(const QString& key) {
  highlight_ = key;
  dims_ = scene_.chart != nullptr && hasKey(*scene_.chart, key);
  update();
}

void ChartPainter::setRings(int hovered, int current) {
  if (hovered == hovered_ && current == current_) return;
  hovered_ = hovered;
  current_ = current;
  update();
}

QRectF ChartPainter::boundingRect() const { return scene_.plot.adjusted(-40.0, -40.0, 40.0, 40.0); }

const ChartSeries& ChartPainter::seriesOf(const Mark& mark) const {
  return scene_.chart->series[static_cast<std::size_t>(mark.series)];
}

const ChartDatum& ChartPainter::datumOf(const Mark& mark) const {
  return seriesOf(mark).data[static_cast<std::size_t>(mark.datum)];
}

double ChartPainter::strength(const Mark& mark) const {
  if (!dims_) return 1.0;
  const std::string key = highlight_.toStdString();
  return seriesOf(mark).key == key || datumOf(mark).key == key ? 1.0 : kDimmed;
}

void ChartPainter::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/, QWidget* /*widget*/) {
  if (scene_.chart == nullptr) return;
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setFont(font_);
  painter->save();
  painter->setClipRect(scene_.plot.adjusted(-8.0, -8.0, 8.0, 8.0));
  const QRectF seen = scene_.plot.adjusted(-8.0, -8.0, 8.0, 8.0);
  std::map<std::pair<int, double>, double> last;  // by series and lane: the pixel of its last narrow bar
  for (const Mark& mark : scene_.marks) {
    if (scene_.chart->kind == ChartKind::kTimeline && mark.area.width() < kNarrow) {
      const double pixel = std::floor(mark.area.left());
      const auto [at, is_new] = last.try_emplace({mark.series, mark.area.top()}, pixel);
      if (!is_new && std::exchange(at->second, pixel) == pixel) continue;  // nobody would see it
    }
    const QRectF all =
        mark.whisker ? mark.area.united(QRectF(mark.whisker->p1(), mark.whisker->p2()).normalized()) : mark.area;
    if (all.adjusted(-1, -1, 1, 1).intersects(seen) || mark.link) drawMark(*painter, mark);
  }
  for (const Mark& mark : scene_.marks)
    if (!mark.is_point && mark.area.intersects(seen)) drawBarText(*painter, mark);
  drawRing(*painter, hovered_, mutedText(palette_, 0.9));
  drawRing(*painter, current_, palette_.color(QPalette::Highlight));
  painter->restore();
  drawRules(*painter);
}

void ChartPainter::drawMark(QPainter& painter, const Mark& mark) const {
  if (mark.link) {
    painter.setPen(QPen(mutedText(palette_, 0.5), 1.0));
    painter.drawLine(*mark.link);
  }
  if (mark.is_point) {
    drawPoint(painter, mark);
  } else {
    drawBar(painter, mark);
  }
}

void ChartPainter::drawPoint(QPainter& painter, const Mark& mark) const {
  const ChartSeries& series = seriesOf(mark);
  const bool chosen = datumOf(mark).chosen;
  const bool is_line = scene_.chart->kind == ChartKind::kLines;
  if (is_line && series.data.size() > kMostLineMarks && !chosen) return;
  const QColor colour = withAlpha(chartColour(series.colour, palette_), strength(mark));
  if (mark.whisker) {
    painter.setPen(QPen(withAlpha(colour, 0.75), 1.4));
    painter.drawLine(*mark.whisker);
    for (const QPointF& end : {mark.whisker->p1(), mark.whisker->p2()})
      painter.drawLine(end - QPointF(3.5, 0.0), end + QPointF(3.5, 0.0));
  }
  const bool filled = chosen || is_line;
  painter.setPen(QPen(filled ? palette_.color(QPalette::Base) : colour, 1.6));
  painter.setBrush(filled ? colour : palette_.color(QPalette::Base));
  painter.drawEllipse(mark.area);
  const std::string& key = datumOf(mark).key;
  if (is_line || key.empty() || key.size() > 2) return;
  painter.setPen(withAlpha(palette_.color(QPalette::Text), strength(mark)));
  painter.drawText(mark.area.topRight() + QPointF(3.0, 0.0), QString::fromStdString(key));
}

void ChartPainter::drawBar(QPainter& painter, const Mark& mark) const {
  const bool same_colour = scene_.chart->kind == ChartKind::kWaterfall && scene_.chart->series.size() == 1;
  const bool is_part = same_colour && !datumOf(mark).chosen;
  const QColor colour =
      withAlpha(chartColour(seriesOf(mark).colour, palette_), (is_part ? kPart : 1.0) * strength(mark));
  const bool narrow = std::min(mark.area.width(), mark.area.height()) < 4.0;
  painter.setPen(narrow ? QPen(Qt::NoPen) : QPen(palette_.color(QPalette::Base), 1.0));
  painter.setBrush(colour);
  painter.drawRect(mark.area);
  if (const Qt::BrushStyle hatch = hatchOf(*scene_.chart, static_cast<std::size_t>(mark.series));
      hatch != Qt::NoBrush) {
    painter.setBrush(QBrush(hatchColour(colour), hatch));
    painter.drawRect(mark.area);
  }
  if (scene_.chart->kind == ChartKind::kRanges) {
    painter.setPen(QPen(palette_.color(QPalette::Text), 2.0));
    painter.drawLine(QPointF(mark.tip.x(), mark.area.top() - 2.0), QPointF(mark.tip.x(), mark.area.bottom() + 2.0));
  } else if (scene_.chart->kind == ChartKind::kTimeline && datumOf(mark).chosen) {
    painter.setPen(QPen(palette_.color(QPalette::Text), 2.0));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(mark.area);
  }
  if (!mark.whisker) return;
  painter.setPen(QPen(palette_.color(QPalette::Text), 1.4));
  painter.drawLine(*mark.whisker);
}

void ChartPainter::drawBarText(QPainter& painter, const Mark& mark) const {
  const ChartKind kind = scene_.chart->kind;
  if (kind == ChartKind::kRanges || strength(mark) < 1.0) return;
  const QFontMetricsF metrics(font_);
  const bool fits_any =
      mark.area.width() > 2.0 * metrics.averageCharWidth() && mark.area.height() + 1.0 >= metrics.height();
  if (!fits_any && kind != ChartKind::kWaterfall) return;
  const ChartDatum& datum = datumOf(mark);
  const QString text =
      kind == ChartKind::kTimeline ? QString::fromStdString(datum.label) : barText(scene_.chart->y, datum.y);
  const QSizeF size(metrics.horizontalAdvance(text), metrics.height());
  if (size.width() + 6.0 <= mark.area.width() && size.height() <= mark.area.height() + 1.0) {
    painter.setPen(readableOn(chartColour(seriesOf(mark).colour, palette_)));
    painter.drawText(mark.area, Qt::AlignCenter, text);
    return;
  }
  if (kind != ChartKind::kWaterfall) return;
  painter.setPen(palette_.color(QPalette::Text));
  if (!scene_.transposed) {
    painter.drawText(QPointF(mark.area.center().x() - size.width() / 2.0, mark.area.top() - metrics.descent()), text);
    return;
  }
  const double base = mark.area.center().y() + (metrics.ascent() - metrics.descent()) / 2.0;
  const bool right = mark.area.right() + 4.0 + size.width() <= scene_.plot.right() + 4.0;
  painter.drawText(QPointF(right ? mark.area.right() + 4.0 : mark.area.left() - 4.0 - size.width(), base), text);
}

void ChartPainter::drawRing(QPainter& painter, int mark, const QColor& colour) const {
  if (mark < 0 || mark >= static_cast<int>(scene_.marks.size())) return;
  const Mark& one = scene_.marks[static_cast<std::size_t>(mark)];
  painter.setPen(QPen(colour, 2.0));
  painter.setBrush(Qt::NoBrush);
  if (one.is_point) {
    painter.drawEllipse(one.area.adjusted(-3.5, -3.5, 3.5, 3.5));
  } else {
    painter.drawRect(one.area.adjusted(-1.5, -1.5, 1.5, 1.5));
  }
}

// Whether a box lies on a point, a bar or a line between two points.
bool ChartPainter::coversData(const QRectF& box) const {
  const Mark* before = nullptr;
  for (const Mark& mark : scene_.marks) {
    if (mark.area.intersects(box)) return true;
    if (before != nullptr && before->series == mark.series && scene_.chart->kind == ChartKind::kLines) {
      const QLineF way(before->tip, mark.tip);
      const QLineF sides[] = {{box.topLeft(), box.topRight()},
                              {box.bottomLeft(), box.bottomRight()},
                              {box.topLeft(), box.bottomLeft()},
                              {box.topRight(), box.bottomRight()}};
      for (const QLineF& side : sides)
        if (way.intersects(side, nullptr) == QLineF::BoundedIntersection) return true;
    }
    before = &mark;
  }
  return false;
}

// Above a lying rule, below labels that are there. Beside an upright one, on the right rather than the left and as far
// up as there is room that is free of other labels, of data and of other upright rules, or of as much of that as can
// be.
QRectF ChartPainter::ruleBox(const QSizeF& size, double where, bool upright, const std::vector<QRectF>& taken) const {
  const QRectF& plot = scene_.plot;
  const auto is_taken = [&taken](const QRectF& box) {
    return std::any_of(taken.begin(), taken.end(), [&box](const QRectF& other) { return other.intersects(box); });
  };
  QRectF box(QPointF(), size);
  if (!upright) {
    box.moveBottomRight({plot.right() - kRuleZone, where - 1.0});
    if (box.top() < plot.top()) box.moveTop(where + 1.0);
    while (is_taken(box) && box.bottom() < plot.bottom()) box.translate(0.0, size.height());
    return box;
  }
  QRectF best;
  int fewest = 3;  // of what the best place covers: data, a rule
  const double step = std::max(3.0, plot.height() / kRulePlaces);
  for (const double left : {where + kRuleZone, where - kRuleZone - size.width()}) {
    box.moveLeft(left);
    if (box.left() < plot.left() || box.right() > plot.right()) continue;
    const int crossed = crossesRule(box) ? 1 : 0;
    for (double top = plot.top() + 2.0; top + size.height() <= plot.bottom(); top += step) {
      box.moveTop(top);
      if (is_taken(box)) continue;
      const int covered = crossed + (coversData(box) ? 1 : 0);
      if (covered < fewest) best = box;
      fewest = std::min(fewest, covered);
      if (covered == 0) return box;
    }
  }
  if (fewest <= 2) return best;
  box.moveTopLeft({std::max(plot.left(), where - kRuleZone - size.width()), plot.top()});  // there is no room
  return box;
}

bool ChartPainter::crossesRule(const QRectF& box) const {
  for (std::size_t i = 0; i < scene_.rules.size() && i < scene_.chart->rules.size(); ++i)
    if (scene_.chart->rules[i].at_x != scene_.transposed && scene_.rules[i].x() >= box.left() &&
        scene_.rules[i].x() <= box.right())
      return true;
  return false;
}

void ChartPainter::drawRules(QPainter& painter) const {
  const QFontMetricsF metrics(font_);
  const QRectF& plot = scene_.plot;
  QColor ground = palette_.color(QPalette::Base);
  ground.setAlphaF(0.85F);
  struct Line {
    const ChartRule* rule;
    double where;
    bool upright;
  };
  std::vector<Line> lines;
  painter.setPen(QPen(mutedText(palette_, 0.8), 1.3, Qt::DashLine));
  for (std::size_t i = 0; i < scene_.rules.size() && i < scene_.chart->rules.size(); ++i) {
    const ChartRule& rule = scene_.chart->rules[i];
    const QPointF at = scene_.rules[i];
    const bool upright = rule.at_x != scene_.transposed;
    const double where = upright ? at.x() : at.y();
    if (where < (upright ? plot.left() : plot.top()) - 1.0 || where > (upright ? plot.right() : plot.bottom()) + 1.0)
      continue;
    lines.push_back({&rule, where, upright});
    painter.drawLine(upright ? QLineF(where, plot.top(), where, plot.bottom())
                             : QLineF(plot.left(), where, plot.right(), where));
  }
  // Labels lie on the lines, not under them.
  std::vector<QRectF> taken;
  for (const auto& [rule, where, upright] : lines) {
    const QString text = metrics.elidedText(QString::fromStdString(rule->label), Qt::ElideRight, plot.width() * 0.6);
    const QSizeF size(metrics.horizontalAdvance(text) + kRuleZone, metrics.height());
    const QRectF box = ruleBox(size, where, upright, taken);
    taken.push_back(box);
    painter.fillRect(box, ground);
    painter.setPen(palette_.color(QPalette::Text));
    painter.drawText(box, Qt::AlignCenter, text);
  }
}

}  // namespace stallcast::gui
