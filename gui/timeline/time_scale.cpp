#include "gui/timeline/time_scale.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>

namespace stallcast::gui {
namespace {

constexpr double kMinute = 60.0, kHour = 3600.0, kDay = 86400.0;

QString number(double value, int digits) { return QString::number(value, 'f', std::clamp(digits, 0, 9)); }

// Digits after the point that tell multiples of `step` apart.
int digitsFor(double step) { return std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9))); }

}  // namespace

double tickStep(double span_s, int most) {
  constexpr std::array kSteps = {1.0,      2.0,         5.0,         10.0,         15.0,         30.0,
                                 kMinute,  2 * kMinute, 5 * kMinute, 10 * kMinute, 15 * kMinute, 30 * kMinute,
                                 kHour,    2 * kHour,   3 * kHour,   6 * kHour,    12 * kHour,   kDay,
                                 2 * kDay, 5 * kDay,    10 * kDay,   20 * kDay,    50 * kDay,    100 * kDay};
  const double least = span_s / most;
  if (least <= 0.5) {
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double times : {1.0, 2.0, 5.0})
      if (times * power >= least * (1.0 - 1e-9)) return times * power;
    return 10.0 * power;
  }
  for (const double step : kSteps)
    if (step >= least) return step;
  return kDay * std::pow(10.0, std::ceil(std::log10(least / kDay)));
}

std::vector<double> ticks(double from_s, double to_s, double step_s) {
  std::vector<double> out;
  const double first = std::ceil(from_s / step_s - 1e-9);
  for (double n = first; n * step_s <= to_s + 1e-9 * step_s && out.size() < 10'000; n += 1.0) out.push_back(n * step_s);
  return out;
}

QString tickLabel(double time_s, double step_s) {
  if (step_s < 1.0) return QStringLiteral("%1 s").arg(number(time_s, digitsFor(step_s)));
  struct Unit {
    double size_s;
    const char* name;
  };
  constexpr std::array<Unit, 4> kUnits = {{{kDay, "d"}, {kHour, "h"}, {kMinute, "min"}, {1.0, "s"}}};
  QStringList parts;
  double rest_s = std::round(std::abs(time_s));
  for (const Unit& unit : kUnits) {
    const double count = std::floor(rest_s / unit.size_s);
    const bool is_last = step_s >= unit.size_s;
    if (count > 0.0 || (is_last && parts.isEmpty()))
      parts << QStringLiteral("%1 %2").arg(number(count, 0), QString::fromUtf8(unit.name));
    rest_s -= count * unit.size_s;
    if (is_last) break;
  }
  return parts.join(QLatin1Char(' '));
}

QString durationText(double time_s) {
  const double size = std::abs(time_s);
  const auto part = [](double value, const char* unit) {
    return QStringLiteral("%1 %2").arg(QString::number(value, 'g', 4), QString::fromUtf8(unit));
  };
  if (size <= 0.0) return QStringLiteral("0 s");
  if (size < 1e-6) return part(time_s * 1e9, "ns");
  if (size < 1e-3) return part(time_s * 1e6, "µs");
  if (size < 1.0) return part(time_s * 1e3, "ms");
  if (size < kMinute) return part(time_s, "s");
  const double big = size < kHour ? kMinute : size < kDay ? kHour : kDay;
  const double small = size < kHour ? 1.0 : size < kDay ? kMinute : kHour;
  const char* const names[] = {"s", "min", "h", "d"};
  const int at = size < kHour ? 1 : size < kDay ? 2 : 3;
  double whole = std::floor(size / big);
  double rest = std::round((size - whole * big) / small);
  if (rest * small >= big) {
    whole += 1.0;
    rest = 0.0;
  }
  QString out = QStringLiteral("%1 %2").arg(number(whole, 0), QString::fromUtf8(names[at]));
  if (rest > 0.0) out += QStringLiteral(" %1 %2").arg(number(rest, 0), QString::fromUtf8(names[at - 1]));
  return time_s < 0.0 ? QStringLiteral("-") + out : out;
}

}  // namespace stallcast::gui
