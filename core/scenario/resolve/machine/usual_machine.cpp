#include "core/scenario/resolve/machine/usual_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace stallcast {
namespace {

// Of an even number the lower one, so that the value is one that is sold.
std::optional<double> lower_median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

UsualMachine usual_machine(const Catalogue& catalogue, const std::string& gpu, std::int64_t gpus_per_node) {
  std::vector<const InstanceRecord*> machines;
  for (const auto& [name, machine] : catalogue.instances)
    if (machine.gpu == gpu) machines.push_back(&machine);
  const bool same_gpu = !machines.empty();
  if (!same_gpu)
    for (const auto& [name, machine] : catalogue.instances) machines.push_back(&machine);
  const auto gpus = static_cast<double>(gpus_per_node);
  // The median of `value`, which is of a whole machine or of each of its GPUs.
  const auto usual = [&](const auto& value, bool per_machine) {
    std::vector<double> values;
    for (const InstanceRecord* machine : machines)
      if (const std::optional<double> one = value(*machine))
        values.push_back(per_machine ? *one / static_cast<double>(machine->gpus.value) : *one);
    std::optional<double> out = lower_median(std::move(values));
    if (out && per_machine) *out *= gpus;
    return out;
  };
  const auto stated = [](const auto& fact) { return fact ? std::optional(fact->value.base()) : std::nullopt; };
  UsualMachine out;
  out.cores =
      usual([](const InstanceRecord& r) { return std::optional(static_cast<double>(r.physical_cores.value)); }, true);
  if (out.cores) out.cores = std::max(1.0, std::round(*out.cores));
  out.all_core_clock = usual(
      [&](const InstanceRecord& r) -> std::optional<double> {
        if (r.all_core_clock) return r.all_core_clock->value;
        const auto cpu = catalogue.cpus.find(r.cpu);
        if (cpu == catalogue.cpus.end() || !cpu->second.all_core_clock) return std::nullopt;
        return cpu->second.all_core_clock->value;
      },
      false);
  if (const auto memory = usual([&](const InstanceRecord& r) { return stated(r.memory); }, true))
    out.memory = bytes(std::round(*memory));
  const auto nic = [&](const InstanceRecord& r) { return stated(r.nic_bandwidth); };
  if (const auto part = usual(nic, true)) out.nic_bandwidth = BytesPerSecond::from_base(*part);
  if (const auto whole = usual(nic, false)) out.whole_nic = BytesPerSecond::from_base(*whole);
  if (const auto copy = usual([&](const InstanceRecord& r) { return stated(r.host_to_device_bandwidth); }, false))
    out.host_to_device_bandwidth = BytesPerSecond::from_base(*copy);
  const auto link = usual([&](const InstanceRecord& r) { return stated(r.gpu_link_bandwidth); }, false);
  if (same_gpu && link) out.gpu_link_bandwidth = BytesPerSecond::from_base(*link);
  out.source = fmt::format("median per GPU of the {} machines of the catalogue{}", machines.size(),
                           same_gpu ? " with this GPU" : "; none has this GPU");
  return out;
}

UsdPerHour hour_of_owned(const CostSpec& cost) {
  constexpr double kSecondsPerHour = 3600.0;
  const double hours = cost.lifetime.base() / kSecondsPerHour * cost.use_fraction;
  const double power = cost.power_kw * cost.electricity_usd_per_kwh * cost.power_usage_effectiveness;
  return UsdPerHour::from_base(cost.purchase_price.base() / hours + power);
}

}  // namespace stallcast
