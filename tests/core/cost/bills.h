// Small records and runs that bills are tested with.
#pragma once

#include <string>

#include "core/cost/price_run.h"
#include "core/units/binary_multiples.h"

namespace stallcast::bills {

inline constexpr double kHour = 3600.0;

inline Price price(std::string amount, std::string per) {
  return {std::move(amount), std::move(per), {"vendor", "a price list", "", ""}};
}

inline InstanceRecord instance(const std::string& name, const std::string& on_demand) {
  InstanceRecord r;
  r.name = name;
  r.title = name;
  r.provider = "aws";
  r.region = "us-east-1";
  r.prices["on_demand"] = price(on_demand, "hour");
  return r;
}

// A tier of which nothing is known but the price of its capacity.
inline TierRecord tier(const std::string& name, const std::string& capacity, const std::string& per) {
  TierRecord r;
  r.name = name;
  r.title = name;
  r.provider = "aws";
  r.scope = "shared";
  r.client = "kernel";
  r.region = "us-east-1";
  r.prices["capacity"] = price(capacity, per);
  return r;
}

// The same, sold by capacity.
inline TierRecord provisioned(const std::string& name, const std::string& capacity, const std::string& per) {
  TierRecord r = tier(name, capacity, per);
  r.capacity_min = Fact<Bytes>{bytes(kGiB), {}};
  return r;
}

inline TierRecord s3() {
  TierRecord r = tier("s3_standard", "0.023", "GiB-month");
  r.client = "library";
  r.prices["read_requests"] = price("0.0004", "1k requests");
  r.prices["write_requests"] = price("0.005", "1k requests");
  return r;
}

// One machine with 8 GPUs at $32.77/h, storage that costs nothing.
inline Scenario job() {
  Scenario s;
  s.cluster.gpus_per_node = 8;
  s.cost.node_price = UsdPerHour::from_base(32.77);
  s.cost.storage_discount = 1.0;
  return s;
}

// The same with a tenth for support, a fifth in taxes, and 8 hours of people at $120.
inline Scenario job_with_overheads() {
  Scenario s = job();
  s.cost.support_fraction = 0.1;
  s.cost.tax_fraction = 0.2;
  s.cost.people_time = seconds(8 * kHour);
  s.cost.people_price = UsdPerHour::from_base(120.0);
  return s;
}

// A job whose storage is charged, on machines that cost nothing.
inline Scenario storage_job(double capacity_gib) {
  Scenario s = job();
  s.cost.host_discount = 1.0;
  s.cost.storage_discount = 0.0;
  s.storage.capacity = bytes(capacity_gib * kGiB);
  return s;
}

// A run of `hours`, of which the GPUs compute the part `utilization`; what they lose, they lose to decoding (3 parts)
// and at the barrier (1 part).
inline RunResult run(const Scenario& s, double hours, double utilization = 1.0) {
  RunResult r;
  r.gpu_utilization = {utilization, utilization, utilization};
  r.totals.training_s = hours * kHour;
  const double gpu_s = hours * kHour * static_cast<double>(s.ranks());
  r.totals.useful_gpu_s = gpu_s * utilization;
  r.totals.lost_gpu_s = gpu_s - r.totals.useful_gpu_s;
  r.totals.samples = 2e6;
  r.lost_fraction[static_cast<std::size_t>(LostTime::kCpuDecode)] = 0.75 * (1.0 - utilization);
  r.lost_fraction[static_cast<std::size_t>(LostTime::kBarrier)] = 0.25 * (1.0 - utilization);
  return r;
}

inline std::string total(const CostBreakdown& cost) {
  const auto sum = cost.total();
  return sum ? money_text(*sum) : "unknown";
}

inline std::string category(const CostBreakdown& cost, CostCategory which) {
  const auto sum = cost.category_total(which);
  return sum ? money_text(*sum) : "unknown";
}

}  // namespace stallcast::bills
