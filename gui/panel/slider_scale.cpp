#include "gui/panel/slider_scale.h"

#include <algorithm>
#include <cmath>

#include "core/catalogue/capacity_rule.h"

namespace stallcast::gui {
namespace {

constexpr double kMostSteps = 200.0;
constexpr double kSliderReach = 10.0;     // to both sides of the present value
constexpr std::size_t kMostSizes = 2000;  // of a tier, on one slider

// A value to start from where none is given, in base units.
double usual_value(const Field& field) {
  if (field.kind == FieldKind::kInteger) return 10.0;
  switch (field.dimension) {
    case Dimension::kTime:
      return 0.01;
    case Dimension::kBytes:
      return 1e9;
    case Dimension::kByteRate:
      return 1e10;
    case Dimension::kRate:
      return 1e4;
    case Dimension::kFlops:
    case Dimension::kFlopRate:
      return 1e14;
    default:
      return 10.0;
  }
}

// Hundredths as they are written, 0.07 and not 0.07 and a bit.
std::vector<double> evenly(double low, double high, int per_unit) {
  std::vector<double> values;
  const auto first = std::lround(low * per_unit);
  for (auto i = first; i <= std::lround(high * per_unit); ++i) values.push_back(static_cast<double>(i) / per_unit);
  return values;
}

// 1.0, 1.1, ... 9.9 of every decade between; whole numbers of integers.
std::vector<double> two_digits(double low, double high, bool whole) {
  std::vector<double> values;
  for (int decade = static_cast<int>(std::floor(std::log10(low))); std::pow(10.0, decade) <= high; ++decade) {
    for (int digits = 10; digits < 100; ++digits) {
      // A division by a whole power of ten is rounded once: 0.0011 and not 0.0011 and a bit.
      const double value = decade >= 1 ? digits * std::pow(10.0, decade - 1) : digits / std::pow(10.0, 1 - decade);
      if (value >= low && value <= high && (!whole || value == std::floor(value))) values.push_back(value);
    }
  }
  return values;
}

}  // namespace

int SliderScale::position(double value) const {
  const auto above = std::lower_bound(values_.begin(), values_.end(), value);
  if (above == values_.begin()) return 0;
  if (above == values_.end()) return count() - 1;
  const auto below = std::prev(above);
  const bool upper = *below > 0.0 ? value * value > *below * *above : value > 0.5 * (*below + *above);
  return static_cast<int>((upper ? above : below) - values_.begin());
}

SliderScale usualScale(const Field& field, double present) {
  const FieldRange& range = field.range;
  const bool whole = field.kind == FieldKind::kInteger;
  const int per_unit = whole ? 1 : 100;
  const bool by_ratio = range.min > 0.0 && range.max / range.min >= kSliderReach;
  if ((range.max - range.min) * per_unit <= kMostSteps && !by_ratio) {
    std::vector<double> values = evenly(range.min, range.max, per_unit);
    if (range.min_excluded) values.erase(values.begin());
    return SliderScale(std::move(values));
  }
  const double centre = present > 0.0 ? present : usual_value(field);
  const double low = std::max({centre / kSliderReach, range.min, whole ? 1.0 : 0.0});
  std::vector<double> values = two_digits(low, std::min(centre * kSliderReach, range.max), whole);
  if (range.min <= 0.0 && !range.min_excluded) values.insert(values.begin(), 0.0);
  if (present > 0.0 && !std::binary_search(values.begin(), values.end(), present))
    values.insert(std::upper_bound(values.begin(), values.end(), present), present);
  return SliderScale(std::move(values));
}

std::optional<SliderScale> soldSizes(const Field& field, const Scenario& scenario, const Catalogue& catalogue) {
  const bool storage = field.pointer == "/storage/capacity";
  if (!storage && field.pointer != "/origin/capacity") return std::nullopt;
  const auto tier = catalogue.tiers.find(storage ? scenario.storage.tier : scenario.origin.tier);
  if (tier == catalogue.tiers.end()) return std::nullopt;
  const ValidSizes sold = valid_capacities(tier->second, bytes(0.0), bytes(field.range.max), kMostSizes);
  if (!sold.countable || sold.sizes.size() < 2) return std::nullopt;
  std::vector<double> values;
  for (const Bytes size : sold.sizes) values.push_back(size.base());
  return SliderScale(std::move(values));
}

}  // namespace stallcast::gui
