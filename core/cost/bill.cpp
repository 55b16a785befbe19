#include "core/cost/bill.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace stallcast {

Money Bill::add(BillLine line, const Usage& usage) {
  const PriceUnit* unit = find_price_unit(line.offer.per);
  const std::optional<ExactNumber> quantity = unit == nullptr ? std::nullopt : quantity_in(*unit, usage);
  if (!quantity) {
    unknown.push_back({line.category, line.what, fmt::format("its price is per {}", line.offer.per),
                       fmt::format("correct `per` of the price of {}", line.offer.service)});
    return {};
  }
  if (*quantity == 0) return {};
  line.quantity = *quantity;
  lines.push_back(std::move(line));
  return lines.back().cost();
}

}  // namespace stallcast
