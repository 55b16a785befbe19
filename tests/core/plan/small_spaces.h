// Small spaces of small jobs, drawn at random, the same ones everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/search/size.h"
#include "tests/core/plan/base_file.h"
#include "tests/properties/random_scenario.h"

namespace stallcast {

struct SmallSpace {
  ScenarioFile base;
  Space space;
  SizeRequest request;
};

// A job of some hundred steps, simulated whole in milliseconds, whose samples are large enough for sizes of a tier to
// matter; with tiers and sizes, workers, prefetched batches, and now and then discounts or a cadence to choose.
inline SmallSpace small_space(std::uint64_t number) {
  Dice dice(0x512e + number);
  Scenario s;
  s.name = "small " + std::to_string(number);
  s.cluster.nodes = dice.whole(1, 2);
  s.cluster.gpus_per_node = dice.whole(1, 2);
  s.cluster.cores_per_node = static_cast<double>(dice.whole(4, 16));
  s.workload.batch_size = dice.whole(1, 3);
  s.workload.step_time = Distribution::constant(0.02);
  s.dataset.layout = dice.chance(0.5) ? DatasetLayout::kFilePerSample : DatasetLayout::kRecords;
  // Of Parallelstore's 14.8 to 123.5 GB/s, 0.2 to 2 times what the smallest gives.
  const double ranks = static_cast<double>(s.ranks() * s.workload.batch_size);
  const double mean = dice.uniform(0.2, 2.0) * 14.8e9 * 0.02 / ranks;
  s.dataset.sample_size = Distribution::constant(mean);
  if (dice.chance(0.5)) {
    s.dataset.sample_size.kind = DistributionKind::kUniform;
    s.dataset.sample_size.low = 0.7 * mean;
    s.dataset.sample_size.high = 1.3 * mean;
  }
  if (dice.chance(0.5)) s.dataset.decode_time = Distribution::constant(dice.uniform(0.001, 0.01));
  s.loader.persistent_workers = true;
  s.run.steps_per_epoch = dice.whole(60, 150);
  s.run.whole_run = true;
  s.cost.node_price = UsdPerHour::from_base(dice.uniform(2.0, 80.0));
  nlohmann::ordered_json json;
  const nlohmann::ordered_json all = scenario_to_json(s);
  for (const char* group : {"cluster", "workload", "dataset", "loader", "cost", "run"}) json[group] = all.at(group);
  json["storage"] = {{"tier", "parallelstore"}, {"capacity", "12 TiB"}};

  SmallSpace out;
  out.base = *parse_scenario(json, "small.json").value;
  // A tier takes those of the sizes that it is sold in: Parallelstore multiples of 4 TiB, the other two their own.
  std::vector<std::string> texts = {
      "storage.tier=parallelstore,managed_lustre_1000,filestore_zonal",
      "storage.capacity=12 TiB,20 TiB,40 TiB,100 TiB,9000 GiB,18000 GiB,36000 GiB,81000 GiB,10 TiB,50 TiB"};
  texts.push_back(dice.chance(0.5) ? "loader.num_workers=1,2,4" : "loader.num_workers=2,3");
  if (dice.chance(0.5)) texts.emplace_back("loader.prefetch_factor=1,2");
  if (dice.chance(0.3)) texts.emplace_back("cost.host_discount=0,0.3");
  out.space = *make_space(out.base, variables(out.base, texts), {}, shipped_catalogue()).value;
  if (dice.chance(0.7)) out.request.targets.push_back({Figure::kUtilization, dice.uniform(0.2, 0.95)});
  if (dice.chance(0.3)) {
    const double compute_s = 0.02 * static_cast<double>(s.run.steps_per_epoch);
    out.request.targets.push_back({Figure::kTime, compute_s * dice.uniform(1.1, 3.0)});
  }
  return out;
}

}  // namespace stallcast
