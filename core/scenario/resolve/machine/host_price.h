// The price of a machine, by how it is paid for.
#pragma once

#include <string_view>

#include "core/catalogue/records/records.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// The key among a record's prices: "on_demand", "spot", "reserved_1y", "reserved_3y".
std::string_view host_price_key(HostPricing pricing);

// The record's price, or null.
const Price* host_price(const InstanceRecord& instance, HostPricing pricing);

}  // namespace stallcast
