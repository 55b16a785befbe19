#include "core/run/simulate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/engine/statistics.h"
#include "core/model/training_model.h"
#include "core/run/measure.h"

namespace stallcast {

namespace {

// The series of finished steps: compute per rank and wall time of each step.
struct StepSeries {
  std::vector<double> compute, wall;
  explicit StepSeries(const StepLog& log, std::size_t steps, double ranks) : compute(steps), wall(steps) {
    double previous = log.epoch_start_s.empty() ? 0.0 : log.epoch_start_s.front();
    for (std::size_t k = 0; k < steps; ++k) {
      compute[k] = log.compute_s[k] / ranks;
      wall[k] = log.end_s[k] - previous;
      previous = log.end_s[k];
    }
  }
};

Estimate to_estimate(const Interval& interval) {
  const double half = std::isfinite(interval.half_width) ? interval.half_width : 1.0;
  return {interval.mean, std::max(0.0, interval.mean - half), std::min(1.0, interval.mean + half)};
}

// Utilization after warm-up. A run that ends by itself is one finite sample: nothing is dropped but its start-up.
// Workers that start together finish in waves of one batch each: a cycle of num_workers steps.
Estimate steady_utilization(const Scenario& s, const StepSeries& series, std::size_t drop) {
  const std::span<const double> compute(series.compute), wall(series.wall);
  return to_estimate(ratio_of_sums(compute.subspan(drop), wall.subspan(drop),
                                   std::max<std::size_t>(1, static_cast<std::size_t>(s.loader.num_workers))));
}

// A nearly sufficient supply drains the first batches loaded ahead only slowly: both halves must agree.
bool settled(const StepSeries& series, std::size_t drop, double precision) {
  const auto mean_of_part = [&](std::size_t from, std::size_t to) {
    double compute = 0.0, wall = 0.0;
    for (std::size_t k = from; k < to; ++k) {
      compute += series.compute[k];
      wall += series.wall[k];
    }
    return compute / wall;
  };
  const std::size_t steps = series.wall.size(), middle = drop + (steps - drop) / 2;
  return std::abs(mean_of_part(drop, middle) - mean_of_part(middle, steps)) <= 2.0 * precision;
}

double quantile(std::vector<double> values, double p) {
  if (values.empty()) return 0.0;
  const auto at = static_cast<std::size_t>(p * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

// The run of `steps` steps per rank from what was measured: in proportion to steps, checkpoints by their interval.
RunTotals whole_run(const Scenario& s, const RunResult& measured, double steps) {
  const double ranks = static_cast<double>(s.ranks());
  const double scale = steps / static_cast<double>(measured.steps);
  RunTotals t;
  t.training_s = measured.time_to_train_s;
  t.samples = static_cast<double>(measured.samples) * scale;
  t.useful_gpu_s = measured.au * measured.simulated_s * ranks * scale;
  t.lost_gpu_s = t.training_s * ranks - t.useful_gpu_s;
  t.read_bytes = measured.read_bytes * scale;
  t.written_bytes = measured.written_bytes * scale;
  if (s.checkpoint.mode != CheckpointMode::kNone && s.checkpoint.interval_steps > 0) {
    const double writers = s.checkpoint.writers == CheckpointWriters::kAll ? ranks : 1.0;
    t.checkpoints = std::floor(steps / static_cast<double>(s.checkpoint.interval_steps));
    t.checkpoint_bytes = s.checkpoint.size.base() * writers;
  }
  return t;
}

}  // namespace

RunResult measure(const Scenario& s, TrainingModel& model, std::size_t steps, bool whole) {
  const StepLog& log = model.log();
  const double ranks = static_cast<double>(s.ranks());
  const double micro = static_cast<double>(s.workload.gradient_accumulation);
  const double batch = static_cast<double>(s.workload.batch_size) * micro;
  RunResult out;
  out.steps = static_cast<std::int64_t>(steps);
  out.samples = static_cast<std::int64_t>(static_cast<double>(steps) * batch * ranks);
  if (steps == 0) return out;
  const StepSeries series(log, steps, ranks);
  const double start = log.epoch_start_s.front(), end = log.end_s[steps - 1];
  double compute = 0.0;
  for (double c : series.compute) compute += c;
  out.simulated_s = end - start;
  out.au = compute / out.simulated_s;
  out.samples_per_s = static_cast<double>(out.samples) / out.simulated_s;

  const auto k0 = static_cast<std::size_t>(std::max<std::int64_t>(1, s.loader.num_workers * s.loader.prefetch_factor));
  if (k0 + 1 < steps) {
    double steady = 0.0;
    for (std::size_t k = k0; k < steps; ++k) steady += series.compute[k];
    out.au_steady = steady / (end - log.end_s[k0 - 1]);
  } else {
    out.au_steady = out.au;
  }

  // A whole run's steady part starts after the pipeline has filled; an open-ended one's where MSER-5 says.
  const std::size_t drop = whole ? std::min(k0, steps > 1 ? steps - 2 : 0)
                                 : std::max(std::min(k0, steps / 2), mser5_truncation(series.wall));
  out.gpu_utilization = steady_utilization(s, series, drop);
  const double steady_wall = end - (drop > 0 ? log.end_s[drop - 1] : start);
  out.samples_per_s_steady = static_cast<double>(steps - drop) * batch * ranks / steady_wall;
  for (std::size_t c = 0; c < out.lost_fraction.size(); ++c) {
    double lost = 0.0;
    for (std::size_t k = drop; k < steps; ++k) lost += log.lost_s[k][c];
    out.lost_fraction[c] = lost / (steady_wall * ranks);
  }
  const std::vector<double> walls(series.wall.begin() + static_cast<std::ptrdiff_t>(drop), series.wall.end());
  out.step_time_s = {steady_wall / static_cast<double>(steps - drop), quantile(walls, 0.5), quantile(walls, 0.99)};
  out.time_to_first_batch_s = log.first_wait_s.front();

  // MLPerf Storage: per epoch, the wait and compute of the first step are outside the clock, and so are checkpoints.
  // **Source** DLIO statscounter.py compute_metrics_train (v1.0: exclude_start_steps 1, exclude_end_steps 0).
  double au_sum = 0.0, throughput_sum = 0.0;
  std::size_t epochs = 0;
  for (std::size_t e = 0; e < log.epoch_first_step.size(); ++e) {
    const auto first = static_cast<std::size_t>(log.epoch_first_step[e]);
    const std::size_t last =
        e + 1 < log.epoch_first_step.size() ? static_cast<std::size_t>(log.epoch_first_step[e + 1]) : steps;
    if (last < first + 2 || last > steps) continue;
    double checkpoint = 0.0, useful = 0.0;
    for (std::size_t k = first; k < last; ++k) {
      checkpoint += log.lost_s[k][static_cast<std::size_t>(LostTime::kCheckpoint)] / ranks;
      if (k > first) useful += series.compute[k];
    }
    const double epoch_wall = log.end_s[last - 1] - log.epoch_start_s[e] - checkpoint;
    au_sum += useful / (epoch_wall - log.first_wait_s[e] - series.compute[first]);
    throughput_sum += static_cast<double>(last - first) * batch * ranks / epoch_wall;
    ++epochs;
  }
  if (epochs > 0) {
    out.au_mlperf = au_sum / static_cast<double>(epochs);
    out.samples_per_s_mlperf = throughput_sum / static_cast<double>(epochs);
  }

  out.read_bytes = model.tier().read_bytes();
  out.wanted_bytes = out.read_bytes * (s.dataset.layout == DatasetLayout::kColumnar ? s.dataset.wanted_fraction : 1.0);
  out.written_bytes = model.tier().written_bytes();
  const double simulated_all = to_seconds(model.simulator().now());
  if (simulated_all > 0) {
    out.cpu_busy_fraction = model.busy_core_seconds() / (model.cores() * simulated_all);
    const double devices = s.storage.scope == TierScope::kPerNode ? static_cast<double>(s.cluster.nodes) : 1.0;
    if (s.storage.read_bandwidth.base() > 0)
      out.storage_busy_fraction =
          std::min(1.0, out.read_bytes / (s.storage.read_bandwidth.base() * devices * simulated_all));
  }
  out.checkpoints = model.checkpoints();
  out.events = model.simulator().events();
  out.goodput_fraction = out.au;

  const bool sized = s.run.steps_per_epoch > 0 || s.dataset.samples > 0;
  const double per_epoch = s.run.steps_per_epoch > 0 ? static_cast<double>(s.run.steps_per_epoch)
                           : s.dataset.samples > 0
                               ? std::max(1.0, std::floor(static_cast<double>(s.dataset.samples) / (batch * ranks)))
                               : static_cast<double>(steps);
  const double total = per_epoch * static_cast<double>(s.run.epochs);
  out.time_to_train_s = !sized ? 0.0
                        : whole || static_cast<double>(steps) >= total
                            ? out.simulated_s
                            : out.simulated_s + (total - static_cast<double>(steps)) * out.step_time_s.mean;
  if (sized) out.totals = whole_run(s, out, total);
  return out;
}

namespace {

RunResult simulate_once(const Scenario& s, std::uint64_t seed, const RunOptions& options, Trace* trace,
                        const std::shared_ptr<const ReplayedDraws>& replay) {
  const auto began = std::chrono::steady_clock::now();
  TrainingModel model(s, seed, replay, trace);
  const double ranks = static_cast<double>(s.ranks());
  bool converged = false;
  std::int64_t next_check = 200;
  const std::int64_t least_steps = 20 * s.loader.num_workers * s.loader.prefetch_factor;
  std::size_t steps = 0;
  const bool whole = s.run.whole_run;
  const auto keep_going = [&](std::int64_t done) {
    steps = static_cast<std::size_t>(done);
    if ((done & 15) == 0 && options.stop.stop_requested()) return false;
    if (done < next_check) return true;
    next_check = done + std::max<std::int64_t>(100, done / 4);
    if (whole && !options.progress) return true;
    const StepSeries series(model.log(), steps, ranks);
    const std::size_t drop = std::max<std::size_t>(
        std::min<std::size_t>(steps / 2, static_cast<std::size_t>(s.loader.num_workers * s.loader.prefetch_factor)),
        mser5_truncation(series.wall));
    const Estimate estimate = steady_utilization(s, series, drop);
    if (options.progress) options.progress({model.log().end_s[steps - 1], done, estimate});
    if (whole) return true;
    converged =
        estimate.half_width() <= s.run.precision && done >= least_steps && settled(series, drop, s.run.precision);
    return !converged;
  };
  model.run(whole ? std::numeric_limits<std::int64_t>::max() : s.run.max_steps, keep_going);
  const bool finished = !model.simulator().stopped();  // ran out of steps by itself
  RunResult out = measure(s, model, steps, whole || finished);
  out.seed = seed;
  out.converged = converged || (finished && (whole || out.gpu_utilization.half_width() <= s.run.precision));
  out.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return out;
}

}  // namespace

RunResult simulate_replaying(const Scenario& scenario, const std::shared_ptr<const ReplayedDraws>& replay,
                             std::uint64_t seed) {
  return simulate_once(scenario, seed, {}, nullptr, replay);
}

// Makes every mean of `pooled`, over n - 1 runs so far, one over n with `more`.
void pool(RunResult& pooled, const RunResult& more, double n) {
  const auto add = [n](double& mean, double value) { mean += (value - mean) / n; };
  add(pooled.au, more.au);
  add(pooled.au_steady, more.au_steady);
  add(pooled.au_mlperf, more.au_mlperf);
  add(pooled.goodput_fraction, more.goodput_fraction);
  add(pooled.samples_per_s, more.samples_per_s);
  add(pooled.samples_per_s_steady, more.samples_per_s_steady);
  add(pooled.samples_per_s_mlperf, more.samples_per_s_mlperf);
  add(pooled.step_time_s.mean, more.step_time_s.mean);
  add(pooled.step_time_s.p50, more.step_time_s.p50);
  add(pooled.step_time_s.p99, more.step_time_s.p99);
  add(pooled.time_to_first_batch_s, more.time_to_first_batch_s);
  add(pooled.time_to_train_s, more.time_to_train_s);
  for (std::size_t c = 0; c < pooled.lost_fraction.size(); ++c) add(pooled.lost_fraction[c], more.lost_fraction[c]);
}

// A run that ends by itself is one finite sample. When its own steps do not give the asked precision, replications do.
constexpr std::int64_t kMostReplications = 40;

RunResult simulate(const Scenario& scenario, const RunOptions& options) {
  const std::uint64_t seed = options.seed.value_or(static_cast<std::uint64_t>(scenario.run.seed));
  RunResult first = simulate_once(scenario, seed, options, options.trace, nullptr);
  const bool ended_early = !scenario.run.whole_run && first.gpu_utilization.half_width() > scenario.run.precision &&
                           first.steps < scenario.run.max_steps;
  const std::int64_t wanted = options.replications > 1 ? options.replications : ended_early ? kMostReplications : 1;
  if (wanted <= 1) return first;
  std::vector<double> utilization{first.gpu_utilization.mean};
  for (std::int64_t r = 1; r < wanted && !options.stop.stop_requested(); ++r) {
    const RunResult more = simulate_once(scenario, seed + static_cast<std::uint64_t>(r), options, nullptr, nullptr);
    utilization.push_back(more.gpu_utilization.mean);
    pool(first, more, static_cast<double>(r + 1));
    first.events += more.events;
    first.wall_s += more.wall_s;
    first.gpu_utilization = to_estimate(mean_of_replications(utilization));
    first.converged = first.gpu_utilization.half_width() <= scenario.run.precision;
    if (options.replications <= 1 && r >= 2 && first.converged) break;
  }
  return first;
}

}  // namespace stallcast
