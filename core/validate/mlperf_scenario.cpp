#include "core/validate/mlperf_scenario.h"

#include <algorithm>
#include <cmath>

#include "core/run/simulate.h"

namespace stallcast {

namespace {

constexpr Seconds kBarrierBetweenHosts = milliseconds(0.3);
// The rules ask for at least this many steps in an epoch.
constexpr std::int64_t kLeastStepsPerEpoch = 500;
// A batch of samples that are all of one size is read in this many requests.
constexpr std::int64_t kRequestsPerBatch = 4;

std::int64_t steps_of(const MlperfRow& row) { return row.steps_per_epoch().value_or(kLeastStepsPerEpoch); }

Distribution sample_sizes(const MlperfWorkload& rules, double samples_per_request) {
  Distribution d = Distribution::constant(rules.sample_size.base() * samples_per_request);
  if (rules.sample_size_cv > 0.0) {
    d.kind = DistributionKind::kGamma;
    d.shape = 1.0 / (rules.sample_size_cv * rules.sample_size_cv);
  }
  return d;
}

}  // namespace

double mlperf_ranks_per_host(const MlperfRow& row) {
  return static_cast<double>(row.accelerators) / static_cast<double>(row.hosts);
}

Seconds mlperf_barrier(const MlperfRow& row) { return row.hosts > 1 ? kBarrierBetweenHosts : seconds(0); }

Scenario mlperf_scenario(const MlperfRow& row, const MlperfFit& fit, std::int64_t most_ranks) {
  const MlperfWorkload& rules = row.rules();
  const double on_host = mlperf_ranks_per_host(row);
  const auto simulated =
      std::min(static_cast<std::int64_t>(std::ceil(on_host)), std::max<std::int64_t>(1, most_ranks / row.hosts));
  const double stands_for = on_host / static_cast<double>(simulated);
  Scenario s;
  s.name = row.system;
  s.cluster.nodes = row.hosts;
  s.cluster.gpus_per_node = simulated;
  // Work done one after the other is work on one core; workers take no processor time here.
  const bool serial = fit.host_serial_step > seconds(0);
  s.cluster.cores_per_node = serial ? 1.0 : static_cast<double>(simulated);
  s.cluster.time_slice = seconds(1);
  s.workload.name = rules.name;
  const std::int64_t requests =
      rules.sample_size_cv == 0.0 ? std::min(rules.batch_size, kRequestsPerBatch) : rules.batch_size;
  s.workload.batch_size = requests;
  s.workload.step_time = Distribution::constant(row.step().base());
  const Seconds serial_step = fit.host_serial_step * stands_for;
  if (s.ranks() > 1) {
    s.workload.barrier_time = fit.framework_step + mlperf_barrier(row);
    s.loader.next_ready = {{seconds(0), serial_step}};
  } else {
    s.loader.next_ready = {{seconds(0), fit.framework_step + serial_step}};
  }
  s.dataset.layout = DatasetLayout::kRecords;
  s.dataset.sample_size = sample_sizes(rules, static_cast<double>(rules.batch_size) / static_cast<double>(requests));
  s.loader.num_workers = row.threads();
  s.loader.prefetch_factor = row.threads() > 1 ? 1 : 2;  // DLIO: two batches ahead, shared out over the workers
  s.loader.persistent_workers = true;
  s.storage.client_read_bandwidth = fit.host_read_cap / stands_for;
  s.storage.read_bandwidth = fit.storage_read_cap / stands_for;
  s.run.epochs = 1;
  s.run.steps_per_epoch = std::min(steps_of(row), kLeastStepsPerEpoch);
  s.run.whole_run = true;
  return s;
}

double simulate_mlperf_au(const MlperfRow& row, const MlperfFit& fit, std::int64_t most_ranks) {
  return simulate(mlperf_scenario(row, fit, most_ranks)).au_mlperf;
}

double mlperf_samples_per_s(const MlperfRow& row, double au, Seconds first_batch) {
  const double n = static_cast<double>(steps_of(row)), step = row.step().base();
  const double epoch_s = first_batch.base() + step + (n - 1.0) * step / au;
  return n * static_cast<double>(row.rules().batch_size * row.accelerators) / epoch_s;
}

Seconds mlperf_first_batch(const MlperfRow& row) {
  const double n = static_cast<double>(steps_of(row)), step = row.step().base();
  const double epoch_s = n * static_cast<double>(row.rules().batch_size * row.accelerators) / row.samples_per_s;
  return seconds(std::max(0.0, epoch_s - step - (n - 1.0) * step / row.au));
}

}  // namespace stallcast
