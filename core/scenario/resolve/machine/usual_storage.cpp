#include "core/scenario/resolve/machine/usual_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace stallcast {
namespace {

constexpr double kGB = 1e9;
constexpr const char* kTemplate = "custom";  // a record that is about no product

// GB/s as "good", "better" and "best", of so many GPUs.
struct Advice {
  double gpus, good, better, best;

  UsualValue<BytesPerSecond> of(double asked) const {
    return {bytes_per_second(better * kGB * asked / gpus), good / better, best / better};
  }
};
constexpr Advice kMachineReads{8.0, 4.0, 8.0, 40.0}, kMachineWrites{8.0, 2.0, 4.0, 20.0};
constexpr Advice kUnitReads{256.0, 15.0, 40.0, 125.0}, kUnitWrites{256.0, 7.0, 20.0, 62.0};

UsualValue<BytesPerSecond> larger(const UsualValue<BytesPerSecond>& a, const UsualValue<BytesPerSecond>& b) {
  return a.value.base() >= b.value.base() ? a : b;
}

// Of the values that the records state: their median, and how far 5 and 95 of 100 are from it.
UsualValue<Seconds> median_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&values](double part) {
    return values[static_cast<std::size_t>(std::floor(part * static_cast<double>(values.size() - 1)))];
  };
  return {seconds(at(0.5)), at(0.05) / at(0.5), at(0.95) / at(0.5)};
}

}  // namespace

UsualStorage usual_storage(const Catalogue& catalogue, const ClusterSpec& cluster, const InstanceRecord* instance) {
  const auto of_machine = static_cast<double>(instance != nullptr ? instance->gpus.value : cluster.gpus_per_node);
  const double of_all = of_machine * static_cast<double>(cluster.nodes);
  UsualStorage out;
  out.client_read = kMachineReads.of(of_machine);
  out.client_write = kMachineWrites.of(of_machine);
  out.read = larger(out.client_read, kUnitReads.of(of_all));
  out.write = larger(out.client_write, kUnitWrites.of(of_all));
  out.rates_source =
      "NVIDIA's advice for a DGX SuperPOD (RA-11333, table 6), good, better, best: a machine of 8 GPUs reads 4, 8 or "
      "40 "
      "GB/s and writes half, 256 GPUs read 15, 40 or 125";
  std::vector<double> latencies, opens;
  for (const auto& [name, tier] : catalogue.tiers) {
    if (name == kTemplate || tier.scope != "shared" || (tier.client != "kernel" && tier.client != "nfs")) continue;
    if (tier.latency_mean) latencies.push_back(tier.latency_mean->value.base());
    if (tier.open_latency_mean) opens.push_back(tier.open_latency_mean->value.base());
  }
  out.latency_source = fmt::format("median of the {} shared file systems of the catalogue", latencies.size());
  out.latency = median_of(std::move(latencies));
  out.open_latency = median_of(std::move(opens));
  return out;
}

}  // namespace stallcast
