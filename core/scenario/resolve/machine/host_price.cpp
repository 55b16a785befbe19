#include "core/scenario/resolve/machine/host_price.h"

#include <string>

namespace stallcast {

std::string_view host_price_key(HostPricing pricing) {
  switch (pricing) {
    case HostPricing::kSpot:
      return "spot";
    case HostPricing::kReserved1Year:
      return "reserved_1y";
    case HostPricing::kReserved3Years:
      return "reserved_3y";
    case HostPricing::kOnDemand:
      break;
  }
  return "on_demand";
}

const Price* host_price(const InstanceRecord& instance, HostPricing pricing) {
  const auto found = instance.prices.find(std::string(host_price_key(pricing)));
  return found == instance.prices.end() ? nullptr : &found->second;
}

}  // namespace stallcast
