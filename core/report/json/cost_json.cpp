#include "core/report/json/cost_json.h"

#include <string>

namespace stallcast {
namespace {

using nlohmann::ordered_json;

ordered_json number(const std::optional<Money>& amount) {
  return amount ? ordered_json(amount->to_double()) : ordered_json();
}

ordered_json line_to_json(const BillLine& line) {
  const Offer& offer = line.offer;
  return {{"what", line.what},
          {"category", std::string(cost_category_name(line.category))},
          {"quantity", line.quantity.decimal()},
          {"per", offer.per},
          {"list_price_usd", offer.list_price.dollars().decimal()},
          {"discount", offer.discount.decimal()},
          {"list_usd", line.list_cost().dollars().decimal()},
          {"usd", line.cost().dollars().decimal()},
          {"provider", offer.provider},
          {"service", offer.service},
          {"region", offer.region},
          {"resource", offer.resource},
          {"source", offer.source},
          {"kind", offer.kind},
          {"start_s", line.start.base()},
          {"end_s", line.end.base()}};
}

}  // namespace

ordered_json cost_to_json(const CostBreakdown& cost) {
  ordered_json by_cause = ordered_json::object();
  for (const LostDollars& lost : cost.lost)
    by_cause[lost.cause] = cost.wasted() ? ordered_json(lost.dollars.to_double()) : ordered_json();
  ordered_json unknown = ordered_json::array(), lines = ordered_json::array();
  if (!cost.run_is_sized) {
    unknown.push_back(
        cost.run_ends
            ? "UNKNOWN total: the length of the run is not given; give /dataset/samples or /run/steps_per_epoch"
            : "UNKNOWN total: the run does not end, interruptions undo what it does");
  }
  for (const UnknownCost& one : cost.unknown) unknown.push_back(unknown_text(one));
  for (const BillLine& line : cost.lines) lines.push_back(line_to_json(line));
  return {{"total_usd", number(cost.total())},
          {"compute_usd", number(cost.category_total(CostCategory::kCompute))},
          {"storage_usd", number(cost.category_total(CostCategory::kStorage))},
          {"requests_usd", number(cost.category_total(CostCategory::kRequests))},
          {"transfer_usd", number(cost.category_total(CostCategory::kTransfer))},
          {"overheads_usd", number(cost.category_total(CostCategory::kOverheads))},
          {"wasted_usd", number(cost.wasted())},
          {"by_cause", std::move(by_cause)},
          {"per_epoch_usd", number(cost.per_epoch)},
          {"per_million_samples_usd", number(cost.per_million_samples)},
          {"usd_per_hour",
           {{"compute_usd", number(cost.per_hour.compute)},
            {"storage_usd", number(cost.per_hour.storage)},
            {"total_usd", number(cost.per_hour.total())}}},
          {"unknown", std::move(unknown)},
          {"notes", cost.notes},
          {"lines", std::move(lines)}};
}

}  // namespace stallcast
