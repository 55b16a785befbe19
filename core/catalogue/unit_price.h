// What the price of one unit is, as a plain number: for checks of the catalogue and for hints. What a run costs is
// computed in `cost`, from the decimal digits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/records/records.h"

namespace stallcast {

// Hours in the month of "GiB-month", as the vendors' price pages reckon (365 days * 24 h / 12).
inline constexpr double kPriceMonthHours = 730.0;

// What is counted.
enum class PriceBasis { kTime, kBytesStored, kByteRate, kIops, kServer, kBytesMoved, kRequest };

// Dollars per base unit: hour, byte-hour, byte/s-hour, IOPS-hour, server-hour, byte or request.
struct UnitPrice {
  PriceBasis basis = PriceBasis::kTime;
  double usd = 0.0;
};

// Nothing when the price's unit is none of price_units() or its amount is no number.
std::optional<UnitPrice> unit_price(const Price& price);

// The prices that a record of `kind` ("instance", "tier") may have, and what each counts.
struct PriceKey {
  std::string name;
  PriceBasis basis;
};
const std::vector<PriceKey>& price_keys(const std::string& kind);

// The units that count `basis`: "GiB-hour, GiB-month".
std::vector<std::string> price_units_of(PriceBasis basis);

// What `capacity` costs per hour as people read it, "$3.93/h", or "" when the record has no capacity price or it is 0.
std::string hourly_price_text(const TierRecord& tier, Bytes capacity);

}  // namespace stallcast
