#include "core/catalogue/unit_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "core/units/binary_multiples.h"

namespace stallcast {
namespace {

struct UnitRow {
  std::string_view per;
  PriceBasis basis;
  double units;  // base units in one "per", with its hours
};

constexpr std::array<UnitRow, 14> kUnits = {{{"hour", PriceBasis::kTime, 1.0},
                                             {"GiB-hour", PriceBasis::kBytesStored, kGiB},
                                             {"GiB-month", PriceBasis::kBytesStored, kGiB* kPriceMonthHours},
                                             {"MiB/s-hour", PriceBasis::kByteRate, kMiB},
                                             {"MiB/s-month", PriceBasis::kByteRate, kMiB* kPriceMonthHours},
                                             {"MB/s-month", PriceBasis::kByteRate, 1e6 * kPriceMonthHours},
                                             {"IOPS-hour", PriceBasis::kIops, 1.0},
                                             {"IOPS-month", PriceBasis::kIops, kPriceMonthHours},
                                             {"server-hour", PriceBasis::kServer, 1.0},
                                             {"GiB", PriceBasis::kBytesMoved, kGiB},
                                             {"GB", PriceBasis::kBytesMoved, 1e9},
                                             {"1k requests", PriceBasis::kRequest, 1e3},
                                             {"10k requests", PriceBasis::kRequest, 1e4},
                                             {"1M requests", PriceBasis::kRequest, 1e6}}};

}  // namespace

const std::vector<std::string>& price_units() {
  static const std::vector<std::string> units = [] {
    std::vector<std::string> all;
    for (const UnitRow& row : kUnits) all.emplace_back(row.per);
    return all;
  }();
  return units;
}

std::optional<UnitPrice> unit_price(const Price& price) {
  const auto* row = std::find_if(kUnits.begin(), kUnits.end(), [&](const UnitRow& r) { return r.per == price.per; });
  if (row == kUnits.end() || price.amount.empty()) return std::nullopt;
  return UnitPrice{row->basis, std::strtod(price.amount.c_str(), nullptr) / row->units};
}

const std::vector<PriceKey>& price_keys(const std::string& kind) {
  static const std::vector<PriceKey> none;
  static const std::vector<PriceKey> instance = {{"on_demand", PriceBasis::kTime},
                                                 {"spot", PriceBasis::kTime},
                                                 {"reserved_1y", PriceBasis::kTime},
                                                 {"reserved_3y", PriceBasis::kTime}};
  static const std::vector<PriceKey> tier = {{"capacity", PriceBasis::kBytesStored},
                                             {"provisioned_bandwidth", PriceBasis::kByteRate},
                                             {"provisioned_iops", PriceBasis::kIops},
                                             {"servers", PriceBasis::kServer},
                                             {"instance", PriceBasis::kTime},
                                             {"read_requests", PriceBasis::kRequest},
                                             {"write_requests", PriceBasis::kRequest},
                                             {"list_requests", PriceBasis::kRequest},
                                             {"retrieval", PriceBasis::kBytesMoved},
                                             {"upload", PriceBasis::kBytesMoved},
                                             {"cache_ingest", PriceBasis::kBytesMoved},
                                             {"cache_read", PriceBasis::kBytesMoved},
                                             {"egress_same_region", PriceBasis::kBytesMoved},
                                             {"egress_cross_zone", PriceBasis::kBytesMoved},
                                             {"egress_cross_region", PriceBasis::kBytesMoved},
                                             {"egress_internet", PriceBasis::kBytesMoved}};
  if (kind == "instance") return instance;
  return kind == "tier" ? tier : none;
}

std::vector<std::string> price_units_of(PriceBasis basis) {
  std::vector<std::string> units;
  for (const UnitRow& row : kUnits) {
    if (row.basis == basis) units.emplace_back(row.per);
  }
  return units;
}

std::string hourly_price_text(const TierRecord& tier, Bytes capacity) {
  const auto price = tier.prices.find("capacity");
  if (price == tier.prices.end()) return "";
  const std::optional<UnitPrice> unit = unit_price(price->second);
  if (!unit || unit->basis != PriceBasis::kBytesStored || unit->usd <= 0.0) return "";
  return fmt::format("${:.2f}/h", unit->usd * capacity.base());
}

}  // namespace stallcast
