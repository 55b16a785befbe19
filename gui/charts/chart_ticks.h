// Where the ticks of an axis stand, and the numbers beside them.
#pragma once

#include <QString>
#include <optional>

#include "core/report/charts/chart.h"

namespace stallcast::gui {

// Values of an axis, low < high.
struct ValueRange {
  double low = 0.0, high = 1.0;
  double width() const { return high - low; }
  bool operator==(const ValueRange&) const = default;
};

// Ticks at multiples of `step`; `decimals` show it exactly.
struct Ticks {
  double step = 1.0;
  int decimals = 0;
};

// **Model** The smallest of 1, 2, 2.5 and 5 times a power of ten of which at most `most` (1 or more) fit.
Ticks niceTicks(const ValueRange& range, int most);

// The range widened to whole ticks.
ValueRange widened(const ValueRange& range, const Ticks& ticks);

// What a logarithmic axis counts in: 2 below a sixtyfold from 1 on, where powers of ten would be too few ticks,
// else 10.
double logarithmBase(const ValueRange& range);

// What an axis has to show: all values, ends of intervals and rules; 0 where it begins there; a little more, up to
// whole ticks (or by ratio where it is logarithmic). Fractions in % that keep below 100 stay below. Nothing of no data,
// or of none above 0 on a logarithmic axis.
std::optional<ValueRange> shownRange(const Chart& chart, bool of_x);

// Four digits, thousands grouped, no zeros at the end: "1,235", "0.1235", "12.5". Very small and large ones as
// "1.2e-09".
QString numberText(double value);

// With its unit: "12.5 %", "$1,234.50", "8" of a count.
QString valueText(const ChartAxis& axis, double value);

}  // namespace stallcast::gui
