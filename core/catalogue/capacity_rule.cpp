#include "core/catalogue/capacity_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stallcast {
namespace {

constexpr double kRelativeSlack = 1e-9;  // "1.2 TiB" times a factor need not be exact

bool nearly_equal(double a, double b) { return std::abs(a - b) <= kRelativeSlack * std::max(std::abs(a), std::abs(b)); }

double minimum_of(const TierRecord& tier) { return tier.capacity_min ? tier.capacity_min->value.base() : 0.0; }

double maximum_of(const TierRecord& tier) {
  return tier.capacity_max ? tier.capacity_max->value.base() : std::numeric_limits<double>::infinity();
}

}  // namespace

bool is_provisioned(const TierRecord& tier) {
  return tier.capacity_min.has_value() || tier.read_bandwidth_per_tib.has_value();
}

bool is_valid_capacity(const TierRecord& tier, Bytes capacity) {
  const double size = capacity.base();
  if (nearly_equal(size, minimum_of(tier))) return true;
  if (size < minimum_of(tier) || size > maximum_of(tier) * (1.0 + kRelativeSlack)) return false;
  if (!tier.capacity_step) return true;
  const double step = tier.capacity_step->value.base();
  return nearly_equal(size, std::round(size / step) * step);
}

std::vector<Bytes> nearest_capacities(const TierRecord& tier, Bytes capacity) {
  if (is_valid_capacity(tier, capacity)) return {capacity};
  const double size = capacity.base();
  const double low = minimum_of(tier);
  const double high = maximum_of(tier);
  if (size <= low) return {bytes(low)};
  // Beyond the maximum, or between steps. The largest size is the last multiple of the step that is within the range.
  if (!tier.capacity_step) return {bytes(std::min(size, high))};
  const double step = tier.capacity_step->value.base();
  const double below = std::min(std::floor(size / step), std::floor(high / step * (1.0 + kRelativeSlack))) * step;
  const double above = (std::floor(size / step) + 1.0) * step;
  std::vector<Bytes> sizes = {bytes(std::max(below, low))};
  if (above <= high * (1.0 + kRelativeSlack)) sizes.push_back(bytes(above));
  return sizes;
}

}  // namespace stallcast
