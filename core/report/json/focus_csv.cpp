#include "core/report/json/focus_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cost/money/price_unit.h"
#include "core/report/words/csv_cell.h"

namespace stallcast {
namespace {

using std::chrono::sys_days;
using std::chrono::sys_seconds;
using Cells = std::vector<std::pair<std::string_view, std::string>>;  // column, value

struct Service {
  std::string_view category, subcategory;  // ServiceCategory, ServiceSubcategory
};

Service service_of(BilledKind kind) {
  switch (kind) {
    case BilledKind::kMachines:
      return {"Compute", "Virtual Machines"};
    case BilledKind::kDisk:
      return {"Storage", "Disk"};
    case BilledKind::kFiles:
      return {"Storage", "Files"};
    case BilledKind::kTransfer:
      return {"Networking", "Data Transfer"};
    case BilledKind::kSupport:
    case BilledKind::kTax:
    case BilledKind::kPeople:
      return {"Other", "Other (Other)"};
    case BilledKind::kObjects:
    case BilledKind::kRequests:
      break;
  }
  return {"Storage", "Object Storage"};
}

std::string_view resource_type(const BillLine& line) {
  if (line.category == CostCategory::kOverheads) return "Other";
  return line.kind == BilledKind::kMachines ? "Machines" : "Storage";
}

std::string_view pricing_category(PricedAs priced_as) {
  if (priced_as == PricedAs::kSpot) return "Dynamic";
  return priced_as == PricedAs::kCommitted ? "Committed" : "Standard";
}

std::string_view provider_name(std::string_view provider) {
  if (provider == "gcp") return "Google Cloud";
  if (provider == "aws") return "AWS";
  if (provider == "azure") return "Microsoft";
  return provider == "self" ? "Self-hosted" : "Not stated";
}

// "2026-12-01T00:00:00Z"
std::string time_text(sys_seconds time) {
  const sys_days day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date = day;
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

sys_days month_start(sys_seconds time) {
  const std::chrono::year_month_day date = std::chrono::floor<std::chrono::days>(time);
  return date.year() / date.month() / 1;
}

sys_days next_month(sys_days month) {
  const std::chrono::year_month_day date = month;
  return (date.year() / date.month() + std::chrono::months(1)) / 1;
}

// The part of a line that one month bills.
struct Part {
  sys_days month;
  sys_seconds start, end;
  ExactNumber quantity;
};

std::vector<Part> by_month(const BillLine& line, sys_days job_start) {
  using std::chrono::seconds;
  constexpr double kSecond = 1.0;  // the shortest period
  const auto first = sys_seconds(job_start) + seconds(static_cast<std::int64_t>(std::floor(line.start.base())));
  const double length = std::max(kSecond, std::ceil(line.end.base()) - std::floor(line.start.base()));
  const auto last = first + seconds(static_cast<std::int64_t>(length));
  std::vector<Part> parts;
  ExactNumber rest = line.quantity;
  for (sys_seconds at = first; at < last;) {
    const sys_days month = month_start(at);
    const sys_seconds end = std::min<sys_seconds>(last, next_month(month));
    const ExactNumber share = ExactNumber((end - at).count()) / (last - first).count();
    // The last part takes what is left, so that the parts are the line.
    const ExactNumber quantity = end == last ? rest : (line.quantity * share).rounded(kQuantityDecimals);
    rest = rest - quantity;
    parts.push_back({month, at, end, quantity});
    at = end;
  }
  return parts;
}

Cells cells_of(const BillLine& line, const Part& part, const std::string& scenario_name) {
  const Offer& offer = line.offer;
  const PriceUnit* unit = find_price_unit(offer.per);
  const std::string quantity = part.quantity.decimal();
  const std::string unit_name(unit == nullptr ? offer.per : unit->focus_name);
  const std::string cost = (line.effective_price() * part.quantity).dollars().decimal();
  const std::string provider(provider_name(offer.provider));
  const Service service = service_of(line.kind);
  const nlohmann::json tags = {{"stallcast:scenario", scenario_name}, {"stallcast:forecast", "true"}};
  return {{"BillingAccountId", "forecast"},
          {"BillingAccountName", "stallcast forecast"},
          {"BillingCurrency", "USD"},
          {"BillingPeriodEnd", time_text(next_month(part.month))},
          {"BillingPeriodStart", time_text(part.month)},
          {"ChargeCategory", line.kind == BilledKind::kTax ? "Tax" : "Usage"},
          {"ChargeClass", ""},
          {"ChargeDescription", line.what},
          {"ChargeFrequency", "Usage-Based"},
          {"ChargePeriodEnd", time_text(part.end)},
          {"ChargePeriodStart", time_text(part.start)},
          {"ConsumedQuantity", quantity},
          {"ConsumedUnit", unit_name},
          {"ContractedCost", cost},
          {"ContractedUnitPrice", line.effective_price().dollars().decimal()},
          {"EffectiveCost", cost},
          {"InvoiceIssuerName", provider},
          {"ListCost", (offer.list_price * part.quantity).dollars().decimal()},
          {"ListUnitPrice", offer.list_price.dollars().decimal()},
          {"PricingCategory", std::string(pricing_category(line.priced_as))},
          {"PricingQuantity", quantity},
          {"PricingUnit", unit_name},
          {"ProviderName", provider},
          {"PublisherName", provider},
          {"RegionId", offer.region},
          {"RegionName", offer.region},
          {"ResourceId", offer.resource},
          {"ResourceName", offer.resource},
          {"ResourceType", std::string(resource_type(line))},
          {"ServiceCategory", std::string(service.category)},
          {"ServiceName", offer.service},
          {"ServiceSubcategory", std::string(service.subcategory)},
          {"Tags", tags.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)},
          {"x_PriceKind", offer.kind},
          {"x_PriceSource", offer.source}};
}

}  // namespace

std::string focus_csv(const CostBreakdown& cost, const std::string& scenario_name, sys_days start) {
  std::string out;
  const auto add_row = [&out](const Cells& cells, bool names) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      out += (i == 0 ? "" : ",") + csv_cell(names ? std::string(cells[i].first) : cells[i].second);
    out += '\n';
  };
  add_row(cells_of({}, {}, ""), true);
  for (const BillLine& line : cost.lines) {
    if (line.kind == BilledKind::kPeople) continue;  // nobody's invoice has it
    for (const Part& part : by_month(line, start)) add_row(cells_of(line, part, scenario_name), false);
  }
  return out;
}

}  // namespace stallcast
