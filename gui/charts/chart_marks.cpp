#include "gui/charts/chart_marks.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <map>

#include "gui/charts/chart_ticks.h"

namespace stallcast::gui {
namespace {

constexpr double kBarShare = 0.68;   // of the room of a category
constexpr double kLaneShare = 0.74;  // of a lane of a timeline
constexpr double kPointRadius = 4.5;
constexpr double kThinnest = 1.5;

class MarkLayout {
 public:
  MarkLayout(const Chart& chart, const PlotMap& map) : chart_(chart), map_(map) {}

  std::vector<Mark> make() {
    switch (chart_.kind) {
      case ChartKind::kBars:
        addBars();
        break;
      case ChartKind::kWaterfall:
        addWaterfall();
        break;
      case ChartKind::kLines:
      case ChartKind::kPoints:
        forEach([this](int s, int d) { addPoint(s, d); });
        break;
      case ChartKind::kRanges:
      case ChartKind::kTimeline:
        forEach([this](int s, int d) { addRange(s, d); });
        break;
    }
    return std::move(marks_);
  }

 private:
  const ChartDatum& datum(int s, int d) const {
    return chart_.series[static_cast<std::size_t>(s)].data[static_cast<std::size_t>(d)];
  }

  void forEach(const std::function<void(int, int)>& act) const {
    for (std::size_t s = 0; s < chart_.series.size(); ++s)
      for (std::size_t d = 0; d < chart_.series[s].data.size(); ++d) {
        const ChartDatum& one = chart_.series[s].data[d];
        if (std::isfinite(one.x) && std::isfinite(one.y)) act(static_cast<int>(s), static_cast<int>(d));
      }
  }

  // A bar of the category `at` between two values.
  QRectF bar(double at, double from, double to, double share, bool across) const {
    const auto place = [&](double category, double value) {
      return across ? map_.to_screen(value, category) : map_.to_screen(category, value);
    };
    const bool lies = across || map_.transposed;
    const QPointF a = place(at - 0.5, from), b = place(at + 0.5, to), middle = place(at, from);
    const double room = lies ? std::abs(b.y() - a.y()) : std::abs(b.x() - a.x());
    const double thick = std::max(kThinnest, std::min(share * room, map_.thickest));
    if (lies) {
      const double left = std::min(a.x(), b.x()), right = std::max(a.x(), b.x());
      return {left, middle.y() - thick / 2.0, std::max(kThinnest, right - left), thick};
    }
    const double top = std::min(a.y(), b.y()), bottom = std::max(a.y(), b.y());
    return {middle.x() - thick / 2.0, top, thick, bottom - top};
  }

  void addStanding(int s, int d, double from) {
    const ChartDatum& one = datum(s, d);
    Mark mark;
    mark.series = s;
    mark.datum = d;
    mark.area = bar(one.x, from, from + one.y, kBarShare, false);
    mark.tip = map_.to_screen(one.x, from + one.y);
    if (one.low && one.high && *one.high > *one.low)
      mark.whisker = QLineF(map_.to_screen(one.x, from + *one.low), map_.to_screen(one.x, from + *one.high));
    marks_.push_back(mark);
  }

  void addBars() {
    std::map<double, std::pair<double, double>> reached;  // category -> sums upwards and downwards
    forEach([&](int s, int d) {
      const ChartDatum& one = datum(s, d);
      auto& [up, down] = reached[one.x];
      double& sum = one.y < 0.0 ? down : up;
      addStanding(s, d, sum);
      sum += one.y;
    });
  }

  void addWaterfall() {
    std::vector<std::pair<int, int>> order;
    forEach([&](int s, int d) { order.emplace_back(s, d); });
    std::stable_sort(order.begin(), order.end(), [this](const auto& a, const auto& b) {
      return datum(a.first, a.second).x < datum(b.first, b.second).x;
    });
    double sum = 0.0;
    const ChartDatum* before = nullptr;
    for (const auto& [s, d] : order) {
      const ChartDatum& one = datum(s, d);
      const double reached = sum;
      if (one.chosen) sum = 0.0;
      addStanding(s, d, sum);
      if (before != nullptr)
        marks_.back().link = QLineF(map_.to_screen(before->x, reached), map_.to_screen(one.x, reached));
      sum += one.y;
      before = &one;
    }
  }

  void addPoint(int s, int d) {
    const ChartDatum& one = datum(s, d);
    Mark mark;
    mark.series = s;
    mark.datum = d;
    mark.is_point = true;
    mark.tip = map_.to_screen(one.x, one.y);
    const double radius = one.chosen ? 1.5 * kPointRadius : kPointRadius;
    mark.area = QRectF(mark.tip.x() - radius, mark.tip.y() - radius, 2.0 * radius, 2.0 * radius);
    if (chart_.kind == ChartKind::kPoints && one.low && one.high && *one.high > *one.low)
      mark.whisker = QLineF(map_.to_screen(one.x, *one.low), map_.to_screen(one.x, *one.high));
    marks_.push_back(mark);
  }

  void addRange(int s, int d) {
    const ChartDatum& one = datum(s, d);
    Mark mark;
    mark.series = s;
    mark.datum = d;
    const double share = chart_.kind == ChartKind::kTimeline ? kLaneShare : kBarShare;
    mark.area = bar(one.y, one.low.value_or(one.x), one.high.value_or(one.x), share, true);
    mark.tip = chart_.kind == ChartKind::kTimeline ? mark.area.center() : map_.to_screen(one.x, one.y);
    marks_.push_back(mark);
  }

  const Chart& chart_;
  const PlotMap& map_;
  std::vector<Mark> marks_;
};

double distanceTo(const QRectF& area, const QPointF& point) {
  const double dx = std::max({area.left() - point.x(), 0.0, point.x() - area.right()});
  const double dy = std::max({area.top() - point.y(), 0.0, point.y() - area.bottom()});
  return std::hypot(dx, dy);
}

// "8 workers", "$12.30": where the datum stands on the axis that does not measure it.
QString placeText(const Chart& chart, const ChartDatum& datum) {
  const bool across = chart.kind == ChartKind::kRanges || chart.kind == ChartKind::kTimeline;
  const ChartAxis& axis = across ? chart.y : chart.x;
  const QString value = valueText(axis, across ? datum.y : datum.x);
  if (!axis.categories.empty() || axis.title.empty()) return value;
  return QString::fromStdString(axis.title) + ' ' + value;
}

// "(11.9 to 12.7 %)"
QString betweenText(const ChartAxis& axis, double low, double high) {
  return QStringLiteral("%1 to %2").arg(valueText(axis, low), valueText(axis, high));
}

}  // namespace

std::vector<Mark> layoutMarks(const Chart& chart, const PlotMap& map) { return MarkLayout(chart, map).make(); }

int markAt(const std::vector<Mark>& marks, const QPointF& point, double reach) {
  int found = -1;
  double nearest = reach;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const Mark& mark = marks[i];
    const double away =
        mark.is_point ? std::hypot(mark.tip.x() - point.x(), mark.tip.y() - point.y()) : distanceTo(mark.area, point);
    if (away > nearest) continue;
    nearest = away;
    found = static_cast<int>(i);
  }
  return found;
}

QString keyOf(const Chart& chart, int series, int datum) {
  const ChartSeries& line = chart.series[static_cast<std::size_t>(series)];
  const std::string& own = line.data[static_cast<std::size_t>(datum)].key;
  return QString::fromStdString(own.empty() ? line.key : own);
}

QString datumText(const Chart& chart, int series, int datum) {
  const ChartSeries& line = chart.series[static_cast<std::size_t>(series)];
  const ChartDatum& one = line.data[static_cast<std::size_t>(datum)];
  QStringList what;
  const auto say = [&what](const QString& text) {
    if (!text.isEmpty() && !what.contains(text)) what.append(text);
  };
  if (chart.series.size() > 1) say(QString::fromStdString(line.name));
  say(QString::fromStdString(one.label));
  const QString place = placeText(chart, one);
  if (!QString::fromStdString(one.label).contains(place)) say(place);
  const bool across = chart.kind == ChartKind::kRanges || chart.kind == ChartKind::kTimeline;
  const ChartAxis& axis = across ? chart.x : chart.y;
  QString text = what.join(QStringLiteral(", "));
  if (chart.kind == ChartKind::kTimeline) {
    const double low = one.low.value_or(one.x), high = one.high.value_or(one.x);
    return text + QStringLiteral(": ") + betweenText(axis, low, high) + QStringLiteral(", lasts ") +
           valueText(axis, high - low);
  }
  text += QStringLiteral(": ") + valueText(axis, across ? one.x : one.y);
  if (one.low && one.high && *one.high > *one.low)
    text += QStringLiteral(" (") + betweenText(axis, *one.low, *one.high) + ')';
  return text;
}

}  // namespace stallcast::gui
