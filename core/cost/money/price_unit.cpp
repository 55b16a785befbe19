#include "core/cost/money/price_unit.h"

#include <algorithm>
#include <vector>

namespace stallcast {
namespace {

const std::vector<PriceUnit>& units() {
  static const ExactNumber gib = std::int64_t{1} << 30, mib = std::int64_t{1} << 20;
  static const ExactNumber gb = 1'000'000'000, mb = 1'000'000;
  static const ExactNumber hour = 3600, month = std::int64_t{kHoursPerMonth} * 3600;
  static const std::vector<PriceUnit> all = {
      {"hour", Metered::kThings, 1, hour, "Hours"},
      {"server-hour", Metered::kThings, 1, hour, "Server-Hours"},
      {"GiB-hour", Metered::kCapacity, gib, hour, "GiB-Hours"},
      {"GiB-month", Metered::kCapacity, gib, month, "GiB-Months"},
      {"MiB/s-hour", Metered::kBandwidth, mib, hour, "MiB/Second-Hours"},
      {"MiB/s-month", Metered::kBandwidth, mib, month, "MiB/Second-Months"},
      {"MB/s-month", Metered::kBandwidth, mb, month, "MB/Second-Months"},
      {"IOPS-hour", Metered::kRate, 1, hour, "IOPS-Hours"},
      {"IOPS-month", Metered::kRate, 1, month, "IOPS-Months"},
      {"GiB", Metered::kTraffic, gib, std::nullopt, "GiB"},
      {"GB", Metered::kTraffic, gb, std::nullopt, "GB"},
      {"1k requests", Metered::kRequests, 1000, std::nullopt, "1000 Requests"},
      {"10k requests", Metered::kRequests, 10'000, std::nullopt, "10000 Requests"},
      {"1M requests", Metered::kRequests, 1'000'000, std::nullopt, "1000000 Requests"},
  };
  return all;
}

}  // namespace

const PriceUnit* find_price_unit(std::string_view name) {
  const auto found = std::find_if(units().begin(), units().end(), [&](const PriceUnit& u) { return u.name == name; });
  return found == units().end() ? nullptr : &*found;
}

std::optional<ExactNumber> quantity_in(const PriceUnit& unit, const Usage& usage) {
  if (unit.metered != usage.metered) return std::nullopt;
  ExactNumber quantity = usage.amount / unit.size;
  if (unit.time_s) quantity = quantity * (usage.time_s / *unit.time_s);
  return quantity.rounded(kQuantityDecimals);
}

}  // namespace stallcast
