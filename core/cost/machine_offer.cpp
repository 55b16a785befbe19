#include "core/cost/machine_offer.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "core/scenario/resolve/machine/host_price.h"

namespace stallcast {
namespace {

std::string keys_of(const std::map<std::string, Price>& prices) {
  std::string list;
  for (const auto& entry : prices) list += (list.empty() ? "" : ", ") + entry.first;
  return list.empty() ? "no prices" : list;
}

}  // namespace

std::optional<Offer> machine_offer(const Scenario& s, const InstanceRecord* instance,
                                   std::vector<UnknownCost>& unknown) {
  Offer offer;
  offer.resource = "cluster";
  offer.per = "hour";
  offer.service = "machines";
  offer.discount = ExactNumber::as_written(s.cost.host_discount);
  const Price* listed = nullptr;
  if (instance != nullptr) {
    offer.provider = instance->provider;
    offer.service = instance->title;
    offer.region = instance->region;
    listed = host_price(*instance, s.cost.pricing);
  }
  const std::optional<ExactNumber> list_price = listed == nullptr ? std::nullopt : ExactNumber::parse(listed->amount);
  const ExactNumber given = ExactNumber::as_written(s.cost.node_price.base());
  if (given > 0) {
    offer.list_price = Money::usd(given);
  } else if (list_price) {
    offer.list_price = Money::usd(*list_price);
    offer.per = listed->per;
  } else {
    if (offer.discount == 1) return offer;
    unknown.push_back({CostCategory::kCompute, "price of the machines",
                       instance == nullptr ? "they are described by hand"
                                           : fmt::format("{} has no price {}; it has {}", instance->name,
                                                         host_price_key(s.cost.pricing), keys_of(instance->prices)),
                       "give /cost/node_price, like \"$32.77/h\""});
    return std::nullopt;
  }
  offer.source = "cost.node_price of the scenario";
  if (list_price && *list_price == offer.list_price.dollars()) {
    offer.source = listed->evidence.source;
    offer.kind = listed->evidence.kind;
  }
  return offer;
}

}  // namespace stallcast
