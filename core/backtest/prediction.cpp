#include "core/backtest/prediction.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/backtest/loader/file_times.h"
#include "core/backtest/work_pace.h"
#include "core/calibrate/fit/storage_law.h"
#include "core/engine/random_stream.h"
#include "core/run/simulate_once.h"
#include "core/units/student_t.h"

namespace stallcast {
namespace {

constexpr int kMiddleRuns = 8;
constexpr int kIntervalRuns = 40;

double value_of(const FittedNumber& number) { return number.known ? number.value : 0.0; }

StorageLaw longer(StorageLaw law, double times) {
  for (double* time : {&law.latency_s, &law.request_time_s, &law.seconds_per_byte, &law.stream_seconds_per_byte})
    *time *= times;
  return law;
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
  return longer(law, std::exp(fit.widen * reads.scatter * normal_quantile(stream.uniform())));
}

// A factor that scatters about 1 as brackets differed. Few differences say little: the tails are Student's.
double drawn_factor(double sd, double freedom, RandomStream& stream) {
  constexpr double kFewest = 3.0;  // a variance exists
  if (freedom <= 0.0) return 1.0;
  return std::exp(sd * student_t_quantile(std::max(kFewest, freedom), stream.uniform()));
}

RunResult simulate_setting(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting,
                           std::uint64_t seed) {
  const Scenario scenario = backtest_scenario(inputs, files, setting);
  return simulate_replaying(scenario, backtest_draws(scenario, inputs, files, setting, seed), seed);
}

// By how much decoding on all cores at once is slower than on one.
double slowdown_of(const BacktestInputs& inputs) {
  const double together = inputs.decode_together_s_per_byte, alone = inputs.decode_s_per_byte;
  return alone > 0.0 && together > 0.0 ? std::max(1.0, together / alone) : 1.0;
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
  const double alone_s = inputs.read_cpu.s_per_file + bytes * inputs.read_cpu.s_per_byte +
                         setting.decode_passes * bytes * inputs.decode_s_per_byte;
  return inputs.core_times * alone_s;
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

BacktestInputs with_brackets(BacktestInputs inputs, const std::vector<Bracket>& brackets) {
  const Bracket pool = pooled(brackets);
  inputs.decode_s_per_byte = pool.decode_s_per_byte;
  inputs.decode_together_s_per_byte = pool.decode_together_s_per_byte;
  inputs.pace = pool.pace;
  inputs.whole_file_times = pool.read_alone;
  inputs.storage_times = pool.read_together > 0.0 ? std::sqrt(pool.read_alone * pool.read_together) : pool.read_alone;
  inputs.rested_times = pool.read_rested > 0.0 ? std::max(1.0, pool.read_rested / pool.read_alone) : 1.0;
  inputs.noise = noise_of(brackets);
  return inputs;
}

double open_s_of(const BacktestInputs& inputs) {
  if (inputs.whole_file_s <= 0.0) return value_of(inputs.storage.open_latency_s);
  return std::max(0.0, inputs.whole_file_s - file_alone_s(inputs.storage.reads.law, 0.0, inputs.whole_file_bytes));
}

StorageSpec storage_of(const BacktestInputs& inputs) {
  const StorageLaw law = longer(inputs.storage.reads.law, inputs.storage_times);
  const auto rate = [](double seconds_per_byte) {
    return bytes_per_second(seconds_per_byte > 0.0 ? 1.0 / seconds_per_byte : 0.0);
  };
  StorageSpec out;
  out.scope = TierScope::kPerNode;
  out.read_bandwidth = rate(law.seconds_per_byte);
  out.stream_bandwidth = rate(law.stream_seconds_per_byte);
  out.request_time = seconds(law.request_time_s);
  double latency_s = law.latency_s, open_s = inputs.storage_times * open_s_of(inputs);
  if (inputs.whole_file_bytes > 0.0) {
    const double whole_s =
        inputs.whole_file_times * file_alone_s(inputs.storage.reads.law, open_s_of(inputs), inputs.whole_file_bytes);
    const double beyond_s = whole_s - file_alone_s(law, 0.0, inputs.whole_file_bytes);
    open_s = std::max(0.0, beyond_s);
    latency_s = std::max(0.0, latency_s + std::min(0.0, beyond_s) / latencies_of(law, inputs.whole_file_bytes));
  }
  out.latency = value_of(inputs.storage.latency_sigma) > 0.0
                    ? Distribution::lognormal(latency_s, inputs.storage.latency_sigma.value)
                    : Distribution::constant(latency_s);
  out.latency_held_fraction = law.held_fraction;
  out.open_latency = Distribution::constant(open_s + inputs.rested_delay_s);
  out.metadata_rate = per_second(value_of(inputs.storage.opens_per_s));
  return out;
}

double rested_delay_s(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting) {
  if (inputs.rested_times <= 1.0 || inputs.rest_s <= 0.0) return 0.0;
  const double read_s =
      inputs.whole_file_times * file_alone_s(inputs.storage.reads.law, open_s_of(inputs), files.mean_bytes());
  const double rest_s = 1.0 / loader_capacity(inputs, files, setting) - read_s;
  return (inputs.rested_times - 1.0) * read_s * std::clamp(rest_s / inputs.rest_s, 0.0, 1.0);
}

double effective_cores(const BacktestInputs& inputs) {
  const double slower = slowdown_of(inputs);
  return slower > kMostSlowdown ? std::max(1.0, inputs.cores / slower) : inputs.cores;
}

double core_times_of(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting) {
  const double slower = slowdown_of(inputs);
  if (inputs.cores < 2 || setting.workers < 2 || slower > kMostSlowdown) return 1.0;
  const auto cores = static_cast<double>(inputs.cores), workers = static_cast<double>(setting.workers);
  const double rate = simulate_setting(inputs, files, setting, 1).samples_per_s;
  const double busy = std::min(cores, rate * cpu_of(inputs, setting, files.mean_bytes()));
  const double others = std::min(cores - 1.0, busy * (workers - 1.0) / workers);
  return 1.0 + (slower - 1.0) * others / (cores - 1.0);
}

BacktestInputs settled(BacktestInputs inputs, const SampleFiles& files, const LoaderSetting& setting) {
  inputs.rested_delay_s = 0.0;
  inputs.core_times = 1.0;
  const double delay_s = rested_delay_s(inputs, files, setting), core_times = core_times_of(inputs, files, setting);
  inputs.rested_delay_s = delay_s;
  inputs.core_times = core_times;
  return inputs;
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
  if (effective_cores(inputs) < inputs.cores) {
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
  std::vector<WorkPace> paces;
  for (std::int64_t worker = 0; worker < std::max<std::int64_t>(1, setting.workers); ++worker)
    paces.emplace_back(inputs.pace, RandomStream(seed, DrawPurpose::kDecode, static_cast<std::uint64_t>(worker)));
  for (const std::uint32_t position :
       sample_order(files.files.size(), static_cast<std::size_t>(setting.samples()), setting.seed)) {
    const double bytes = files.files[position].bytes;
    const std::size_t batch = rank.size_bytes.size() / static_cast<std::size_t>(setting.batch_size);
    rank.size_bytes.push_back(bytes);
    rank.decode_s.push_back(paces[batch % paces.size()].took(cpu_of(inputs, setting, bytes)));
    rank.latency_s.push_back(quantile_of(scenario.storage.latency, latency.uniform()) *
                             latencies_of(inputs.storage.reads.law, bytes));
  }
  return draws;
}

Prediction predict(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting,
                   std::uint64_t seed) {
  const BacktestInputs middle = settled(inputs, files, setting);
  std::vector<double> rates, drawn_rates, utilizations, drawn_utilizations;
  for (int i = 0; i < kMiddleRuns; ++i) {
    const RunResult result = simulate_setting(middle, files, setting, seed + static_cast<std::uint64_t>(i));
    rates.push_back(result.samples_per_s);
    utilizations.push_back(result.au);
  }
  RandomStream stream(seed, DrawPurpose::kTest, 0);
  for (int i = 0; i < kIntervalRuns; ++i) {
    BacktestInputs one = middle;
    one.storage.reads.law = drawn(inputs.storage, stream);
    const double decode = drawn_factor(inputs.noise.decode, inputs.noise.decode_freedom, stream);
    one.decode_s_per_byte *= decode;
    one.decode_together_s_per_byte *= decode;
    const double reads = drawn_factor(inputs.noise.read, inputs.noise.read_freedom, stream);
    one.storage_times *= reads;
    one.whole_file_times *= reads;
    const RunResult result = simulate_setting(one, files, setting, seed + static_cast<std::uint64_t>(i));
    drawn_rates.push_back(result.samples_per_s);
    drawn_utilizations.push_back(result.au);
  }
  return {estimate_of(rates, std::move(drawn_rates)), estimate_of(utilizations, std::move(drawn_utilizations))};
}

double middle_rate(const BacktestInputs& inputs, const SampleFiles& files, const LoaderSetting& setting,
                   std::uint64_t seed) {
  return simulate_setting(settled(inputs, files, setting), files, setting, seed).samples_per_s;
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
