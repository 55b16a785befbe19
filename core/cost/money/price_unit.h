// What a price is per, exactly: the sizes of "GiB-month", "10k requests". The catalogue has them as plain numbers, for
// checks and hints; a test compares the two.
#pragma once

#include <optional>
#include <string_view>

#include "core/catalogue/unit_price.h"
#include "core/cost/money/exact_number.h"

namespace stallcast {

// A month of a bill, as the catalogue reckons: 8,760 h / 12, like Google's price lists and Amazon's calculator. An
// invoice counts the hours of its own month, 672 to 744: a charge per month for part of one then differs by -1.9 % to
// +8.6 %.
inline constexpr int kHoursPerMonth = static_cast<int>(kPriceMonthHours);
inline constexpr double kSecondsPerMonth = kHoursPerMonth * 3600.0;

// What is counted, and its base unit.
enum class Metered {
  kThings,     // machines, servers, systems: 1
  kCapacity,   // byte, for a time
  kBandwidth,  // byte/s, for a time
  kRate,       // IOPS: 1/s, for a time
  kTraffic,    // byte
  kRequests,   // 1
};

struct PriceUnit {
  std::string_view name;  // one of price_units()
  Metered metered = Metered::kThings;
  ExactNumber size = 1;               // of one unit, in base units
  std::optional<ExactNumber> time_s;  // that one unit lasts; nothing for traffic and requests
  std::string_view focus_name;        // as FOCUS writes units: "GiB-Months"
};

// The unit of this name, or null.
const PriceUnit* find_price_unit(std::string_view name);

// What is used: `amount` in the base unit of `metered`, for `time` where that matters.
struct Usage {
  Metered metered = Metered::kThings;
  ExactNumber amount = 0;
  ExactNumber time_s = 0;
};

// Decimals of a quantity on a bill. Quantities have an end, as on a cloud's bill, so that quantity times price is the
// cost exactly, for everyone who multiplies again. Half of the last one is less than a billionth of a cent at $10 per
// unit.
inline constexpr int kQuantityDecimals = 12;

// `usage` in units of `unit`, to kQuantityDecimals; nothing when the unit counts something else.
std::optional<ExactNumber> quantity_in(const PriceUnit& unit, const Usage& usage);

}  // namespace stallcast
