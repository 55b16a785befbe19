// A job whose figures can be written down: one GPU that loads each sample of 1 byte inside its step.
#pragma once

#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

// A step of 90 ms, then a read of `latency_s`: utilization 90 / (90 + latency in ms). 100 steps. The machine costs
// `usd_per_hour`, the storage nothing.
inline ResolvedScenario inline_job(double latency_s = 0.005, double usd_per_hour = 10.0) {
  ResolvedScenario out;
  Scenario& s = out.scenario;
  s.cluster.cores_per_node = 4;
  s.workload.step_time = Distribution::constant(0.09);
  s.dataset.sample_size = Distribution::constant(1.0);
  s.loader.num_workers = 0;
  s.storage.latency = Distribution::constant(latency_s);
  s.cost.node_price = UsdPerHour::from_base(usd_per_hour);
  s.cost.storage_discount = 1.0;
  s.run.steps_per_epoch = 100;
  s.run.whole_run = true;
  return out;
}

}  // namespace stallcast
