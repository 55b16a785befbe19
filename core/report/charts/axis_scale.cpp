#include "core/report/charts/axis_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/charts/row_spans.h"

namespace stallcast {
namespace {

constexpr double kLargest = 1e290;  // beyond it, and below its inverse, steps of ticks would leave what a double holds

class Extent {
 public:
  void add(double value) {
    if (!std::isfinite(value)) return;
    range_.low = empty_ ? value : std::min(range_.low, value);
    range_.high = empty_ ? value : std::max(range_.high, value);
    empty_ = false;
  }
  void add(const std::optional<double>& value) {
    if (value) add(*value);
  }
  ValueRange range() const { return empty_ ? ValueRange{0.0, 1.0} : range_; }

 private:
  ValueRange range_;
  bool empty_ = true;
};

void add_rules(const Chart& chart, bool at_x, Extent& extent) {
  for (const ChartRule& rule : chart.rules)
    if (rule.at_x == at_x) extent.add(rule.at);
}

void add_spans(const Chart& chart, Extent& extent) {
  const bool from_zero = chart.kind == ChartKind::kBars || chart.kind == ChartKind::kWaterfall;
  if (from_zero) extent.add(0.0);
  for (const RowSpan& span : row_spans(chart)) {
    extent.add(span.from);
    extent.add(span.to);
    extent.add(span.low);
    extent.add(span.high);
  }
}

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1.0 - 1e-9)) return factor * power;
  return 10.0 * power;
}

void set_linear(AxisScale& scale, double wanted) {
  const double step = round_step((scale.to - scale.from) / std::max(1.0, wanted));
  const double first = std::floor(scale.from / step + 1e-9), last = std::ceil(scale.to / step - 1e-9);
  scale.from = first * step;
  scale.to = last * step;
  for (double i = first; i <= last; i += 1.0) scale.ticks.push_back(i * step);
}

void set_logarithmic(AxisScale& scale, double wanted) {
  const double decades = std::log10(scale.to / scale.from);
  const double stride = std::max(1.0, std::ceil(decades / std::max(1.0, wanted)));
  const bool with_parts = decades * 3.0 <= wanted + 2.0;
  std::vector<double> candidates;
  const double first = std::floor(std::log10(scale.from) + 1e-9);
  for (double power = first; power <= std::ceil(std::log10(scale.to)); power += stride)
    for (const double factor : {1.0, 2.0, 5.0})
      if (factor == 1.0 || with_parts) candidates.push_back(factor * std::pow(10.0, power));
  const auto below = [&](double value) { return value <= scale.from * (1.0 + 1e-9); };
  const auto above = [&](double value) { return value >= scale.to * (1.0 - 1e-9); };
  const auto low = std::find_if_not(candidates.begin(), candidates.end(), below);
  if (low != candidates.begin()) scale.from = *(low - 1);
  const auto high = std::find_if(candidates.begin(), candidates.end(), above);
  if (high != candidates.end()) scale.to = *high;
  for (const double value : candidates)
    if (value >= scale.from * (1.0 - 1e-9) && value <= scale.to * (1.0 + 1e-9)) scale.ticks.push_back(value);
}

std::string with_commas(std::string digits) {
  const std::size_t begin = digits.starts_with('-') ? 1 : 0;
  std::size_t end = std::min(digits.find('.'), digits.size());
  if (end - begin < 4 || digits.find('e') != std::string::npos) return digits;
  while (end > begin + 3) {
    end -= 3;
    digits.insert(end, ",");
  }
  return digits;
}

}  // namespace

void AxisScale::trim(const ValueRange& range) {
  from = range.low;
  to = range.high;
  std::erase_if(ticks, [&](double tick) { return tick < from || tick > to; });
}

double AxisScale::place(double value) const {
  double share = (value - from) / (to - from);
  if (logarithmic) share = value <= 0.0 ? 0.0 : std::log(value / from) / std::log(to / from);
  if (!std::isfinite(share)) share = 0.0;
  return start + length * std::clamp(share, 0.0, 1.0);
}

AxisScale make_scale(const ChartAxis& axis, double low, double high, double wanted) {
  AxisScale scale;
  if (!axis.categories.empty()) {
    scale.from = -0.5;
    scale.to = static_cast<double>(axis.categories.size()) - 0.5;
    for (std::size_t i = 0; i < axis.categories.size(); ++i) scale.ticks.push_back(static_cast<double>(i));
    return scale;
  }
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) low = 0.0, high = 1.0;
  low = std::clamp(low, -kLargest, kLargest);
  high = std::clamp(high, -kLargest, kLargest);
  scale.logarithmic = axis.logarithmic && high >= 1.0 / kLargest;
  if (scale.logarithmic) {
    if (low < 1.0 / kLargest) low = high / 1000.0;
    if (low == high) low /= 2.0, high *= 2.0;
  } else {
    if (axis.from_zero) low = std::min(0.0, low), high = std::max(0.0, high);
    const double least = std::max(std::abs(low), std::abs(high)) * 1e-9 + 1.0 / kLargest;
    if (high - low <= least) {
      const double half = std::abs(low) < 1.0 / kLargest ? 0.5 : std::abs(low) * 0.1;
      low = axis.from_zero && low >= 0.0 ? 0.0 : low - half;
      high += half;
    }
  }
  scale.from = low;
  scale.to = high;
  if (scale.logarithmic)
    set_logarithmic(scale, wanted);
  else
    set_linear(scale, wanted);
  return scale;
}

ValueRange range_of_values(const Chart& chart) {
  Extent extent;
  add_spans(chart, extent);
  add_rules(chart, &value_axis(chart) == &chart.x, extent);
  return extent.range();
}

ValueRange range_of_x(const Chart& chart) {
  Extent extent;
  for (const ChartSeries& series : chart.series)
    for (const ChartDatum& datum : series.data) extent.add(datum.x);
  add_rules(chart, true, extent);
  return extent.range();
}

ValueRange range_of_y(const Chart& chart) {
  Extent extent;
  for (const ChartSeries& series : chart.series)
    for (const ChartDatum& datum : series.data) {
      extent.add(datum.y);
      extent.add(datum.low);
      extent.add(datum.high);
    }
  add_rules(chart, false, extent);
  return extent.range();
}

std::string tick_text(double value) {
  if (value == 0.0) value = 0.0;  // no "-0"
  return with_commas(fmt::format("{:.12g}", value));
}

std::string value_text(const ChartAxis& axis, double value) {
  if (!std::isfinite(value)) return "unknown";
  const double size = std::abs(value);
  const double digit = size == 0.0 ? 1.0 : std::pow(10.0, std::floor(std::log10(size)) - 2.0);
  const double rounded = size >= 100.0 && size < 1e6 ? std::round(value) : std::round(value / digit) * digit;
  const std::string text = tick_text(std::abs(rounded));
  const std::string_view sign = rounded < 0.0 ? "-" : "";
  if (axis.unit.starts_with("$")) return fmt::format("{}${}{}", sign, text, axis.unit.substr(1));
  return axis.unit.empty() ? fmt::format("{}{}", sign, text) : fmt::format("{}{} {}", sign, text, axis.unit);
}

}  // namespace stallcast
