#include "core/backtest/prediction.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/calibrate/storage_law.h"
#include "core/engine/random_stream.h"
#include "core/run/measure.h"

namespace stallcast {
namespace {

constexpr int kMiddleRuns = 5;
constexpr int kIntervalRuns = 40;

double value_of(const FittedNumber& number) { return number.known ? number.value : 0.0; }

double requests_of(double bytes) { return std::max(1.0, std::ceil(bytes / kLargestRead)); }

// The latency of a file over that of one random read: the reads after the first follow one another.
double latencies_of(const StorageLaw& law, double bytes) {
  return 1.0 + (requests_of(bytes) - 1.0) * law.sequential_latency_ratio;
}

// What the law gives for a file read alone, without its open.
double alone_s(const StorageLaw& law, double bytes) {
  return law.latency_s * latencies_of(law, bytes) + law.request_time_s * requests_of(bytes) +
         bytes * std::max(law.seconds_per_byte, law.stream_seconds_per_byte);
}

// The law with its parameters drawn together from what they may be, and all of its times longer or shorter by what it
// leaves unexplained of a point.
StorageLaw drawn(const StorageFit& fit, RandomStream& stream) {
  const LawFit& reads = fit.reads;
  LawVector values = reads.values;
  const auto n = static_cast<Eigen::Index>(reads.parameters.size());
  if (reads.covariance.rows() != n || n == 0) return reads.law;
  const Eigen::LDLT<Eigen::MatrixXd> factors(reads.covariance);
  Eigen::VectorXd normal(n);
  for (Eigen::Index i = 0; i < n; ++i) normal[i] = normal_quantile(stream.uniform());
  const Eigen::VectorXd scaled = factors.vectorD().cwiseMax(0.0).cwiseSqrt().cwiseProduct(normal);
  const Eigen::VectorXd shift = factors.transpositionsP().transpose() * (factors.matrixL() * scaled);
  for (Eigen::Index i = 0; i < n; ++i)
    values[static_cast<std::size_t>(reads.parameters[static_cast<std::size_t>(i)])] += fit.widen * shift[i];
  StorageLaw law = law_of(reads.parameters, values);
  law.held_fraction = std::clamp(law.held_fraction, 0.0, 1.0);
  const double longer = std::exp(fit.widen * reads.scatter * normal_quantile(stream.uniform()));
  for (double* time : {&law.latency_s, &law.request_time_s, &law.seconds_per_byte, &law.stream_seconds_per_byte})
    *time *= longer;
  return law;
}

RunResult simulate_setting(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting,
                           std::uint64_t seed) {
  const Scenario scenario = backtest_scenario(inputs, files, setting);
  return simulate_replaying(scenario, backtest_draws(scenario, inputs, files, setting, seed), seed);
}

// Mean of the first, 95 % interval of the others.
Estimate estimate_of(const std::vector<double>& middle, std::vector<double> drawn_values) {
  Estimate out;
  for (const double value : middle) out.mean += value / static_cast<double>(middle.size());
  std::sort(drawn_values.begin(), drawn_values.end());
  const auto at = [&](double p) {
    const double position = p * static_cast<double>(drawn_values.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, drawn_values.size() - 1);
    return drawn_values[below] + (position - static_cast<double>(below)) * (drawn_values[above] - drawn_values[below]);
  };
  out.ci95_low = std::min(out.mean, at(0.025));
  out.ci95_high = std::max(out.mean, at(0.975));
  return out;
}

// CPU seconds of one sample, alone on a core.
double cpu_of(const BacktestInputs& inputs, const LoaderSetting& setting, double bytes) {
  return inputs.read_cpu.s_per_file + bytes * inputs.read_cpu.s_per_byte +
         setting.decode_passes * bytes * inputs.decode_alone.s_per_byte;
}

// The CPU time of a read is part of the time that the probe saw; here it needs a core of its own accord, so it is taken
// out of where it hides: per file in opening and in the latency, per byte in the stream.
void take_out_cpu(const ReadCpu& cpu, double sample_bytes, StorageSpec& storage) {
  double left = cpu.s_per_file;
  const double stream = storage.stream_bandwidth.base();
  if (stream > 0.0 && cpu.s_per_byte < 1.0 / stream) {
    storage.stream_bandwidth = bytes_per_second(1.0 / (1.0 / stream - cpu.s_per_byte));
  } else {
    left += cpu.s_per_byte * sample_bytes;
  }
  const double from_open = std::min(left, storage.open_latency.mean);
  storage.open_latency.mean -= from_open;
  storage.latency.mean = std::max(0.0, storage.latency.mean - (left - from_open));
}

Distribution sizes_of(const SampleFiles& files) {
  Distribution out;
  out.kind = DistributionKind::kEmpirical;
  for (const SampleFile& file : files.files) out.quantiles.push_back(file.bytes);
  std::sort(out.quantiles.begin(), out.quantiles.end());
  return out;
}

}  // namespace

StorageSpec storage_of(const BacktestInputs& inputs) {
  const StorageLaw& law = inputs.storage.reads.law;
  const auto rate = [](double seconds_per_byte) {
    return bytes_per_second(seconds_per_byte > 0.0 ? 1.0 / seconds_per_byte : 0.0);
  };
  StorageSpec out;
  out.scope = TierScope::kPerNode;
  out.read_bandwidth = rate(law.seconds_per_byte);
  out.stream_bandwidth = rate(law.stream_seconds_per_byte);
  out.request_time = seconds(law.request_time_s);
  out.latency = value_of(inputs.storage.latency_sigma) > 0.0
                    ? Distribution::lognormal(law.latency_s, inputs.storage.latency_sigma.value)
                    : Distribution::constant(law.latency_s);
  out.latency_held_fraction = law.held_fraction;
  double open_s = value_of(inputs.storage.open_latency_s);
  if (inputs.whole_file_s > 0.0) open_s = std::max(0.0, inputs.whole_file_s - alone_s(law, inputs.whole_file_bytes));
  out.open_latency = Distribution::constant(open_s);
  out.metadata_rate = per_second(value_of(inputs.storage.opens_per_s));
  return out;
}

double effective_cores(const BacktestInputs& inputs) {
  const double together = inputs.decode_together.s_per_byte, alone = inputs.decode_alone.s_per_byte;
  const double slower = alone > 0.0 && together > 0.0 ? std::max(1.0, together / alone) : 1.0;
  return std::max(1.0, inputs.cores / slower);
}

Seconds time_slice_of(const BacktestInputs& inputs) {
  constexpr double kShortest = 1e-5;  // s: a thread that goes before all others at once
  return seconds(std::max(kShortest, inputs.costs.busy_wake_s * (inputs.cores + 1)));
}

Scenario backtest_scenario(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting) {
  Scenario s;
  s.name = setting.workload;
  s.cluster.cores_per_node = inputs.cores;
  s.cluster.time_slice = time_slice_of(inputs);
  s.cluster.core_sharing = CoreSharing::kQueuePerCore;  // Linux's, as for measured runs (validate)
  // Cores that slow each other down do as much as fewer, which all that run share at every instant.
  constexpr double kAlike = 0.95;
  if (effective_cores(inputs) < kAlike * inputs.cores) {
    s.cluster.cores_per_node = effective_cores(inputs);
    s.cluster.core_sharing = CoreSharing::kProcessorSharing;
  }
  s.workload.batch_size = setting.batch_size;
  s.workload.step_time = Distribution::constant(setting.step_s + inputs.costs.sleep_over_s);
  s.workload.step_return_cpu = seconds(inputs.costs.next_ready_s);
  s.dataset.layout = DatasetLayout::kFilePerSample;
  s.dataset.sample_size = sizes_of(files);
  s.dataset.decode_time = s.dataset.sample_size;
  for (double& value : s.dataset.decode_time.quantiles) value = cpu_of(inputs, setting, value);
  s.dataset.decode_size_correlation = 1.0;
  s.loader.num_workers = setting.workers;
  s.loader.prefetch_factor = setting.prefetch_factor;
  s.loader.next_ready = {{seconds(0.0), seconds(inputs.costs.next_ready_s)}};
  s.loader.start_ready.per_worker = seconds(inputs.costs.worker_start_s);
  s.dataset.request_size = bytes(kLargestRead);
  s.storage = storage_of(inputs);
  take_out_cpu(inputs.read_cpu, files.mean_bytes(), s.storage);
  s.run.steps_per_epoch = setting.batches;
  s.run.whole_run = true;
  return s;
}

std::shared_ptr<const ReplayedDraws> backtest_draws(const Scenario& scenario, const BacktestInputs& inputs,
                                                    const SampleFiles& files, const LoaderSetting& setting,
                                                    std::uint64_t seed) {
  auto draws = std::make_shared<ReplayedDraws>();
  ReplayedDraws::Rank& rank = draws->ranks.emplace_back();
  RandomStream latency(seed, DrawPurpose::kLatency, 0);
  for (const std::uint32_t position :
       sample_order(files.files.size(), static_cast<std::size_t>(setting.samples()), setting.seed)) {
    const double bytes = files.files[position].bytes;
    rank.size_bytes.push_back(bytes);
    rank.decode_s.push_back(cpu_of(inputs, setting, bytes));
    rank.latency_s.push_back(quantile_of(scenario.storage.latency, latency.uniform()) *
                             latencies_of(inputs.storage.reads.law, bytes));
  }
  return draws;
}

Prediction predict(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting,
                   std::uint64_t seed) {
  std::vector<double> rates, drawn_rates, utilizations, drawn_utilizations;
  for (int i = 0; i < kMiddleRuns; ++i) {
    const RunResult result = simulate_setting(inputs, files, setting, seed + static_cast<std::uint64_t>(i));
    rates.push_back(result.samples_per_s);
    utilizations.push_back(result.au);
  }
  RandomStream stream(seed, DrawPurpose::kTest, 0);
  for (int i = 0; i < kIntervalRuns; ++i) {
    BacktestInputs one = inputs;
    one.storage.reads.law = drawn(inputs.storage, stream);
    one.decode_alone.s_per_byte *=
        std::max(0.5, 1.0 + inputs.decode_alone.relative_sd * normal_quantile(stream.uniform()));
    const RunResult result = simulate_setting(one, files, setting, seed + static_cast<std::uint64_t>(i));
    drawn_rates.push_back(result.samples_per_s);
    drawn_utilizations.push_back(result.au);
  }
  return {estimate_of(rates, std::move(drawn_rates)), estimate_of(utilizations, std::move(drawn_utilizations))};
}

double loader_capacity(const BacktestInputs& inputs, const SampleFiles& files, LoaderSetting setting) {
  constexpr std::int64_t kBatches = 200;
  setting.step_s = 0.0;
  setting.batches = kBatches;
  BacktestInputs no_step = inputs;
  no_step.costs.sleep_over_s = 0.0;
  return simulate_setting(no_step, files, setting, 1).samples_per_s;
}

}  // namespace stallcast
