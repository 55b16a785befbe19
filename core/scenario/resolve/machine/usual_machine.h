// What a machine around a GPU usually has, for people who know their GPU and not their host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/scenario/scenario.h"
#include "core/units/quantity.h"

namespace stallcast {

// Of one machine; empty where no record of the catalogue states it. host_to_device and gpu_link are per GPU.
struct UsualMachine {
  std::optional<double> cores, all_core_clock;
  std::optional<Bytes> memory;
  std::optional<BytesPerSecond> nic_bandwidth, host_to_device_bandwidth, gpu_link_bandwidth;
  std::optional<BytesPerSecond> whole_nic;  // the card of a whole machine, however many of its GPUs a job has
  std::string source;
};

// **Model** medians, per GPU of the machine, over the instances of the catalogue that have `gpu`, or over all of them
// where none has; times `gpus_per_node`. `gpu_link` only where an instance has the GPU.
UsualMachine usual_machine(const Catalogue& catalogue, const std::string& gpu, std::int64_t gpus_per_node);

// What an hour of a machine costs that its owner bought: purchase_price / (lifetime * use_fraction) + power.
// **Range** purchase_price and lifetime more than 0.
UsdPerHour hour_of_owned(const CostSpec& cost);

}  // namespace stallcast
