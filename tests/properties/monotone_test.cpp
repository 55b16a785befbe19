// A better part never makes a job worse, beyond the luck of the draw.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "core/run/simulate.h"
#include "tests/properties/random_scenario.h"

namespace stallcast {
namespace {

Distribution scaled(Distribution d, double factor) {
  for (double* value : {&d.mean, &d.sd, &d.low, &d.high, &d.fast, &d.slow}) *value *= factor;
  for (double& value : d.quantiles) value *= factor;
  return d;
}

constexpr std::uint64_t kTurnedJobs = 40;

// A change for the better; false when it does not apply to the job.
struct Improvement {
  std::string name;
  std::function<bool(Scenario&)> apply;
};

template <class Rate>
bool doubled(Rate& rate) {
  rate = rate * 2.0;
  return rate.base() > 0.0;
}

const std::vector<Improvement>& improvements() {
  static const std::vector<Improvement> all = {
      {"read bandwidth x 2", [](Scenario& s) { return doubled(s.storage.read_bandwidth); }},
      {"client bandwidth x 2", [](Scenario& s) { return doubled(s.storage.client_read_bandwidth); }},
      {"NIC x 2", [](Scenario& s) { return doubled(s.cluster.nic_bandwidth); }},
      {"stream x 2", [](Scenario& s) { return doubled(s.storage.stream_bandwidth); }},
      {"stream of writes x 2",
       [](Scenario& s) {
         if (s.storage.stream_write_bandwidth.base() <= 0.0)
           s.storage.stream_write_bandwidth = s.storage.stream_bandwidth;
         return doubled(s.storage.stream_write_bandwidth);
       }},
      {"IOPS x 2", [](Scenario& s) { return doubled(s.storage.read_iops); }},
      {"opens x 2", [](Scenario& s) { return doubled(s.storage.metadata_rate); }},
      {"host to device x 2", [](Scenario& s) { return doubled(s.cluster.host_to_device_bandwidth); }},
      {"latency / 2",
       [](Scenario& s) {
         s.storage.latency = scaled(s.storage.latency, 0.5);
         return mean_of(s.storage.latency) > 0.0;
       }},
      {"decode / 2",
       [](Scenario& s) {
         s.dataset.decode_time = scaled(s.dataset.decode_time, 0.5);
         return mean_of(s.dataset.decode_time) > 0.0;
       }},
      {"decode on the GPU / 2",
       [](Scenario& s) {
         s.loader.gpu_decode_time = scaled(s.loader.gpu_decode_time, 0.5);
         return s.loader.decode_on == DecodeDevice::kGpu && mean_of(s.loader.gpu_decode_time) > 0.0;
       }},
      {"decompression x 2",
       [](Scenario& s) { return doubled(s.dataset.decompress_bandwidth) && s.dataset.compression_ratio > 1.0; }},
      {"prefetch + 1", [](Scenario& s) { return s.loader.num_workers > 0 && ++s.loader.prefetch_factor > 0; }},
      {"cores x 2",
       [](Scenario& s) {
         s.cluster.cores_per_node *= 2;
         return true;
       }},
      // Below the cores: a trainer, a pin thread and the new number of workers of each rank have one each.
      {"workers + 1",
       [](Scenario& s) {
         ++s.loader.num_workers;
         return s.loader.num_workers > 1 &&
                static_cast<double>((s.loader.num_workers + 2) * s.cluster.gpus_per_node) <= s.cluster.cores_per_node;
       }},
  };
  return all;
}

// A job of 400 steps, map-style or threads, whose start costs the same however many workers there are.
Scenario long_job(std::uint64_t number) {
  Scenario s = random_scenario(number);
  if (s.loader.style == LoaderStyle::kIterable) s.loader.style = LoaderStyle::kMap;
  s.loader.num_workers = std::max<std::int64_t>(1, s.loader.num_workers);
  s.loader.start_call = s.loader.start_ready = s.loader.shutdown = s.loader.reset = {};
  s.workload.gradient_accumulation = 1;
  s.run.epochs = 1;
  s.run.steps_per_epoch = 400;
  return s;
}

// Workers of equal times that share a bandwidth fall into step: all read, then all decode, and the tier idles
// meanwhile. A tighter limit before it (opens, requests, a shorter queue) can keep them apart and is then worth
// something. This is the fluid's own doing, not luck: 0.6 percentage points at most in these jobs, 6 in the worst of
// ten times as many.
constexpr double kSpreadingOut = 0.015;

TEST(Monotone, ABetterPartNeverLowersUtilization) {
  double worst = 0.0;
  std::string worst_case = "none lower";
  for (std::uint64_t i = 0; i < kTurnedJobs; ++i) {
    const Scenario before = long_job(i);
    const RunResult base = simulate(before);
    for (const Improvement& improvement : improvements()) {
      Scenario after = before;
      if (!improvement.apply(after)) continue;
      const RunResult better = simulate(after);
      const double change = better.gpu_utilization.mean - base.gpu_utilization.mean;
      if (change < worst) {
        worst = change;
        worst_case = improvement.name + " on " + before.name;
      }
      EXPECT_GE(change, -(base.gpu_utilization.half_width() + better.gpu_utilization.half_width()) - kSpreadingOut)
          << improvement.name << ": " << base.gpu_utilization.mean << " -> " << better.gpu_utilization.mean << ", "
          << describe(before);
    }
  }
  RecordProperty("worst_change", fmt::format("{:.5f} by {}", worst, worst_case));
  fmt::print("worst change of utilization by an improvement: {:.5f} by {}\n", worst, worst_case);
}

// Where nothing is shared, delivery is in order and every time is fixed, the end of every step is a maximum of sums
// (a max-plus recurrence): nothing that gets faster can make anything later, not by a nanosecond.
TEST(Monotone, WithoutContentionNothingGetsLater) {
  for (std::uint64_t i = 0; i < 40; ++i) {
    Dice dice(i);
    Scenario before;
    before.cluster.cores_per_node = 64;
    before.workload.step_time = random_distribution(dice, 0.02);
    before.dataset.layout = DatasetLayout::kRecords;
    before.dataset.sample_size = random_distribution(dice, 1e5);
    before.dataset.decode_time = random_distribution(dice, 0.01);
    before.storage.latency = random_distribution(dice, 0.03);
    before.storage.stream_bandwidth = bytes_per_second(10e6);
    before.loader.num_workers = dice.whole(1, 4);
    before.loader.prefetch_factor = dice.whole(1, 3);
    before.run.steps_per_epoch = 200;
    before.run.whole_run = true;
    const RunResult base = simulate(before);
    for (const Improvement& improvement : improvements()) {
      if (improvement.name == "workers + 1") continue;  // deals the batches to other workers
      Scenario after = before;
      if (!improvement.apply(after)) continue;
      EXPECT_LE(simulate(after).simulated_s, base.simulated_s + 1e-9) << improvement.name;
    }
  }
}

}  // namespace
}  // namespace stallcast
