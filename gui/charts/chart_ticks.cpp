#include "gui/charts/chart_ticks.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <limits>

namespace stallcast::gui {
namespace {

constexpr int kUsualTicks = 8;
constexpr double kRounding = 1e-6;  // by which shares of a whole may exceed it

class Span {
 public:
  void add(double value) {
    if (!std::isfinite(value) || (positive_only && value <= 0.0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }

  bool positive_only = false;
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
};

bool intervalIsAlongX(ChartKind kind) { return kind == ChartKind::kRanges || kind == ChartKind::kTimeline; }

void addData(const Chart& chart, bool of_x, Span& span) {
  for (const ChartSeries& series : chart.series) {
    for (const ChartDatum& datum : series.data) {
      span.add(of_x ? datum.x : datum.y);
      if (intervalIsAlongX(chart.kind) != of_x) continue;
      if (datum.low) span.add(*datum.low);
      if (datum.high) span.add(*datum.high);
    }
  }
}

// Stacked bars and waterfalls reach as far as their sums.
void addSums(const Chart& chart, Span& span) {
  std::vector<std::pair<double, const ChartDatum*>> data;
  for (const ChartSeries& series : chart.series)
    for (const ChartDatum& datum : series.data) data.emplace_back(datum.x, &datum);
  std::stable_sort(data.begin(), data.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  double sum = 0.0, below = 0.0;
  const double* at = nullptr;
  for (const auto& [x, datum] : data) {
    const bool begins = chart.kind == ChartKind::kBars ? at == nullptr || *at != x : datum->chosen;
    if (begins) sum = below = 0.0;
    at = &x;
    double& side = chart.kind == ChartKind::kBars && datum->y < 0.0 ? below : sum;
    side += datum->y;
    span.add(side);
  }
}

ValueRange byRatio(const Span& span) {
  const double room = span.high > 1.5 * span.low ? 1.12 : 1.5;
  return {span.low / room, span.high * room};
}

}  // namespace

Ticks niceTicks(const ValueRange& range, int most) {
  const double wanted = range.width() / std::max(1, most);
  if (!(wanted > 0.0) || !std::isfinite(wanted)) return {};
  const int power = static_cast<int>(std::floor(std::log10(wanted)));
  const double unit = std::pow(10.0, power);
  const double ratio = wanted / unit * (1.0 - 1e-9);
  for (const double digit : {1.0, 2.0, 2.5, 5.0}) {
    if (ratio <= digit) return {digit * unit, std::max(0, -power + (digit == 2.5 ? 1 : 0))};
  }
  return {10.0 * unit, std::max(0, -power - 1)};
}

ValueRange widened(const ValueRange& range, const Ticks& ticks) {
  constexpr double kSlack = 1e-9;
  return {ticks.step * std::floor(range.low / ticks.step + kSlack),
          ticks.step * std::ceil(range.high / ticks.step - kSlack)};
}

double logarithmBase(const ValueRange& range) {
  return range.low >= 0.5 && range.high < 300.0 * range.low ? 2.0 : 10.0;
}

std::optional<ValueRange> shownRange(const Chart& chart, bool of_x) {
  const ChartAxis& axis = of_x ? chart.x : chart.y;
  Span span;
  span.positive_only = axis.logarithmic;
  if (!of_x && (chart.kind == ChartKind::kBars || chart.kind == ChartKind::kWaterfall)) {
    addSums(chart, span);
    span.add(0.0);
  } else {
    addData(chart, of_x, span);
  }
  for (const ChartRule& rule : chart.rules)
    if (rule.at_x == of_x) span.add(rule.at);
  if (span.empty()) return std::nullopt;
  if (axis.logarithmic) return byRatio(span);
  const double full = span.high;
  if (axis.from_zero) span.add(0.0);
  if (chart.kind == ChartKind::kTimeline) {
    if (span.high <= span.low) span.high = span.low + 1.0;
    return ValueRange{span.low, span.high};
  }
  const double room = 0.04 * (span.high - span.low);
  if (span.high <= span.low) {
    const double around = span.high == 0.0 ? 1.0 : 0.1 * std::abs(span.high);
    span.low -= axis.from_zero ? 0.0 : around;
    span.high += around;
  } else {
    if (span.high != 0.0) span.high += room;
    if (span.low != 0.0) span.low -= room;
  }
  ValueRange range = widened({span.low, span.high}, niceTicks({span.low, span.high}, kUsualTicks));
  if (axis.unit == "%" && full <= 100.0 + kRounding) range.high = std::min(range.high, 100.0);
  return range;
}

QString numberText(double value) {
  if (!std::isfinite(value)) return QStringLiteral("unknown");
  static const QLocale kEnglish(QLocale::English, QLocale::UnitedStates);
  const double size = std::abs(value);
  if (size != 0.0 && (size < 1e-6 || size >= 1e12)) return QString::number(value, 'g', 3);
  const int whole = size < 1.0 ? 0 : static_cast<int>(std::floor(std::log10(size))) + 1;
  const int leading = size > 0.0 && size < 1.0 ? static_cast<int>(-std::floor(std::log10(size))) - 1 : 0;
  const int decimals = std::max(0, 4 - whole) + leading;
  QString text = kEnglish.toString(value, 'f', decimals);
  if (!text.contains('.')) return text;
  while (text.endsWith('0')) text.chop(1);
  if (text.endsWith('.')) text.chop(1);
  return text == QStringLiteral("-0") ? QStringLiteral("0") : text;
}

QString valueText(const ChartAxis& axis, double value) {
  if (!axis.categories.empty()) {
    const auto at = static_cast<std::size_t>(std::max(0.0, std::round(value)));
    return at < axis.categories.size() ? QString::fromStdString(axis.categories[at]) : QString();
  }
  const QString number = numberText(value);
  if (axis.unit.empty()) return number;
  if (axis.unit == "$") {
    static const QLocale kEnglish(QLocale::English, QLocale::UnitedStates);
    const QString dollars = std::abs(value) >= 0.1 || value == 0.0 ? kEnglish.toString(std::abs(value), 'f', 2)
                                                                   : numberText(std::abs(value));
    return (value < 0.0 ? QStringLiteral("-$") : QStringLiteral("$")) + dollars;
  }
  return number + QChar(QChar::Nbsp) + QString::fromStdString(axis.unit);
}

}  // namespace stallcast::gui
