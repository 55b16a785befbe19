// What a machine of the cluster costs.
#pragma once

#include <optional>
#include <vector>

#include "core/catalogue/records/records.h"
#include "core/cost/cost_breakdown.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// The price of one machine: cost.node_price, or that of `instance` for cost.pricing; null where the scenario names
// none. Nothing, and a line in `unknown`, where there is neither and no discount takes it all.
std::optional<Offer> machine_offer(const Scenario& s, const InstanceRecord* instance,
                                   std::vector<UnknownCost>& unknown);

}  // namespace stallcast
