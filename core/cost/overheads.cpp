#include "core/cost/overheads.h"

#include <algorithm>
#include <string>
#include <utility>

namespace stallcast {
namespace {

constexpr double kHour = 3600.0;  // s

bool is_overhead(const BillLine& line) { return line.category == CostCategory::kOverheads; }

BillLine overhead(std::string what, BilledKind kind, std::string per, ExactNumber price, ExactNumber quantity,
                  Seconds end) {
  BillLine line;
  line.what = std::move(what);
  line.category = CostCategory::kOverheads;
  line.kind = kind;
  line.offer.per = std::move(per);
  line.offer.list_price = Money::usd(std::move(price));
  line.offer.source = "the scenario";
  line.quantity = std::move(quantity);
  line.end = end;
  return line;
}

Money sum_of(const std::vector<BillLine>& lines) {
  Money sum;
  for (const BillLine& line : lines) sum += line.cost();
  return sum;
}

// `fraction` of everything that is on the bill so far.
void charge_share(CostBreakdown& cost, const char* what, BilledKind kind, double fraction, bool is_known, Seconds end) {
  if (fraction <= 0.0) return;
  if (!is_known) {
    cost.unknown.push_back({CostCategory::kOverheads, what, "other charges are unknown", ""});
    return;
  }
  const ExactNumber charged = sum_of(cost.lines).dollars();
  if (charged > 0)
    cost.lines.push_back(overhead(what, kind, "dollar", ExactNumber::as_written(fraction), charged, end));
}

}  // namespace

void charge_overheads(CostBreakdown& cost, const CostSpec& spec, Seconds end) {
  std::erase_if(cost.lines, is_overhead);
  std::erase_if(cost.unknown, [](const UnknownCost& one) { return one.category == CostCategory::kOverheads; });
  if (!cost.run_is_sized) return;
  const bool is_known = cost.unknown.empty();
  charge_share(cost, "support", BilledKind::kSupport, spec.support_fraction, is_known, end);
  charge_share(cost, "taxes", BilledKind::kTax, spec.tax_fraction, is_known, end);
  const double hours = spec.people_time.base() / kHour;
  if (hours > 0.0 && spec.people_price.base() > 0.0)
    cost.lines.push_back(overhead("people's time", BilledKind::kPeople, "hour",
                                  ExactNumber::as_written(spec.people_price.base()), ExactNumber::as_written(hours),
                                  end));
}

}  // namespace stallcast
