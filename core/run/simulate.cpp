#include "core/run/simulate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/engine/statistics.h"
#include "core/model/staging.h"
#include "core/model/training_model.h"
#include "core/run/measure.h"
#include "core/run/regimes.h"
#include "core/scenario/data_path.h"
#include "core/scenario/host_memory.h"

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

// Steps that fill the queues before anything is measured.
std::size_t fill_steps(const Scenario& s) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, batches_ahead(s)));
}

// Mean over whole sweeps of the positions of an epoch. What changes along the epoch is not chance: the interval is that
// of what is left when the sweep, in parts of whole loader cycles, is a line between neighbours.
// **Model** variance of a part's sum from second differences of neighbouring parts, (a - 2 b + c)^2 / 6
// **Shape** the steps from `drop` on are whole sweeps of `sweep` steps
// **Source** Gasser, Sroka & Jennen-Steinmetz 1986, Biometrika 73(3): residual variance in nonlinear regression
Estimate sweep_utilization(const Scenario& s, const StepSeries& series, std::size_t drop, std::size_t sweep) {
  constexpr std::size_t kParts = 40, kFewestParts = 10;
  const auto cycle = static_cast<std::size_t>(std::max<std::int64_t>(1, s.loader.num_workers));
  const std::size_t part = std::max<std::size_t>(
      1, std::min((sweep / kParts + cycle - 1) / cycle * cycle, std::max<std::size_t>(1, sweep / kFewestParts)));
  double compute = 0.0, wall = 0.0;
  for (std::size_t k = drop; k < series.wall.size(); ++k) {
    compute += series.compute[k];
    wall += series.wall[k];
  }
  const double mean = compute / wall;
  std::vector<double> residual((series.wall.size() - drop) / part, 0.0);
  for (std::size_t k = 0; k < residual.size() * part; ++k)
    residual[k / part] += series.compute[drop + k] - mean * series.wall[drop + k];
  double squares = 0.0;
  std::size_t differences = 0;
  for (std::size_t p = 1; p + 1 < residual.size(); ++p) {
    if ((p - 1) * part / sweep != ((p + 2) * part - 1) / sweep) continue;  // across the end of a sweep
    const double d = residual[p - 1] - 2.0 * residual[p] + residual[p + 1];
    squares += d * d / 6.0;
    ++differences;
  }
  if (differences == 0) return to_estimate({mean, std::numeric_limits<double>::infinity()});
  const double parts = static_cast<double>(series.wall.size() - drop) / static_cast<double>(part);
  const double variance = squares / static_cast<double>(differences) * parts;
  return to_estimate({mean, student_t95(std::max<std::size_t>(1, differences / 2)) * std::sqrt(variance) / wall});
}

// Steps of the whole run per rank, 0 when its length is not known.
double steps_per_epoch(const Scenario& s) {
  if (s.run.steps_per_epoch > 0) return static_cast<double>(s.run.steps_per_epoch);
  if (s.dataset.samples <= 0) return 0.0;
  const double per_step =
      static_cast<double>(s.workload.batch_size * s.workload.gradient_accumulation) * static_cast<double>(s.ranks());
  return std::max(1.0, std::floor(static_cast<double>(s.dataset.samples) / per_step));
}

// `steps` steps per rank from what was measured, in proportion; checkpoints are counted by whole_run(). `mix`: what its
// levels answer in all, null where that was measured too.
RunTotals stretch_totals(const Scenario& s, const TrainingModel& model, const RunResult& measured, double steps,
                         const ReadMix* mix) {
  const StorageTier& tier = model.tier();
  const double ranks = static_cast<double>(s.ranks());
  const double scale = steps / static_cast<double>(measured.steps);
  const LevelShares level_bytes = tier.level_bytes(), level_requests = tier.level_requests();
  RunTotals t;
  t.samples = static_cast<double>(measured.samples) * scale;
  t.useful_gpu_s = measured.au * measured.simulated_s * ranks * scale;
  // Batches read ahead and never trained are not part of the run: count by samples whose reads began.
  const double read = t.samples / std::max(1.0, static_cast<double>(tier.samples()));
  const double all_bytes = std::accumulate(level_bytes.begin(), level_bytes.end(), 0.0);
  const double all_requests = std::accumulate(level_requests.begin(), level_requests.end(), 0.0);
  const auto bytes_at = [&](ReadLevel level) {
    return read * (mix != nullptr ? all_bytes * mix->served[index_of(level)] : level_bytes[index_of(level)]);
  };
  const auto requests_at = [&](ReadLevel level) {
    return read * (mix != nullptr ? all_requests * mix->served[index_of(level)] : level_requests[index_of(level)]);
  };
  t.read_bytes = bytes_at(ReadLevel::kStorage);
  t.read_requests = requests_at(ReadLevel::kStorage);
  t.origin_read_bytes = bytes_at(ReadLevel::kOrigin);
  t.origin_read_requests = requests_at(ReadLevel::kOrigin);
  t.regional_read_bytes = bytes_at(ReadLevel::kRegionalCache);
  t.regional_read_requests = requests_at(ReadLevel::kRegionalCache);
  if (mix != nullptr) t.regional_ingest_bytes = read * all_bytes * mix->regional_fill;
  if (tier.requests() > 0) t.refused_requests = tier.refused_requests() * t.read_requests / tier.requests();
  t.written_bytes = measured.written_bytes * scale;
  t.write_requests = tier.write_requests() * scale;
  if (s.staging.method == StagingMethod::kLazy) {
    t.written_bytes += t.origin_read_bytes;
    t.write_requests += t.origin_read_requests;
  }
  return t;
}

constexpr double RunTotals::*kSums[] = {
    &RunTotals::samples,
    &RunTotals::useful_gpu_s,
    &RunTotals::read_bytes,
    &RunTotals::written_bytes,
    &RunTotals::read_requests,
    &RunTotals::write_requests,
    &RunTotals::refused_requests,
    &RunTotals::origin_read_bytes,
    &RunTotals::origin_read_requests,
    &RunTotals::regional_read_bytes,
    &RunTotals::regional_ingest_bytes,
    &RunTotals::regional_read_requests,
};

void add(RunTotals& sum, const RunTotals& more) {
  for (const auto member : kSums) sum.*member += more.*member;
}

// The totals of all steps made those of the run: time and checkpoints.
void whole_run(RunTotals& t, const Scenario& s, double training_s, double steps) {
  const double ranks = static_cast<double>(s.ranks());
  t.training_s = training_s;
  t.lost_gpu_s = std::max(0.0, t.training_s * ranks - t.useful_gpu_s);
  if (s.checkpoint.mode != CheckpointMode::kNone && s.checkpoint.interval_steps > 0) {
    const double writers = s.checkpoint.writers == CheckpointWriters::kAll ? ranks : 1.0;
    t.checkpoints = std::floor(steps / static_cast<double>(s.checkpoint.interval_steps));
    t.checkpoint_bytes = s.checkpoint.size.base() * writers;
  }
}

}  // namespace

RunResult measure(const Scenario& s, TrainingModel& model, std::size_t steps, bool whole, std::size_t sweep) {
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

  const std::size_t k0 = fill_steps(s);
  if (k0 + 1 < steps) {
    double steady = 0.0;
    for (std::size_t k = k0; k < steps; ++k) steady += series.compute[k];
    out.au_steady = steady / (end - log.end_s[k0 - 1]);
  } else {
    out.au_steady = out.au;
  }

  // A whole run's steady part starts after the pipeline has filled; an open-ended one's where MSER-5 says; one that
  // sweeps the positions of an epoch is measured over whole sweeps, the last ones.
  const bool swept = sweep > 0 && steps >= k0 + sweep;
  const std::size_t drop = swept   ? steps - (steps - k0) / sweep * sweep
                           : whole ? std::min(k0, steps > 1 ? steps - 2 : 0)
                                   : std::max(std::min(k0, steps / 2), mser5_truncation(series.wall));
  out.gpu_utilization = swept ? sweep_utilization(s, series, drop, sweep) : steady_utilization(s, series, drop);
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

  const double total = steps_per_epoch(s) * static_cast<double>(s.run.epochs);
  if (total == 0.0) return out;
  out.time_to_train_s = whole || static_cast<double>(steps) >= total
                            ? out.simulated_s
                            : out.simulated_s + (total - static_cast<double>(steps)) * out.step_time_s.mean;
  out.totals = stretch_totals(s, model, out, total, nullptr);
  whole_run(out.totals, s, out.time_to_train_s, total);
  return out;
}

namespace {

// What one run of the model is given besides its scenario.
struct Setup {
  std::uint64_t seed = 0;
  const RunOptions& options;
  Trace* trace = nullptr;
  std::shared_ptr<const ReplayedDraws> replay = nullptr;
  const ReadPlan* plan = nullptr;
  const Regime* regime = nullptr;  // the one that is simulated
};

// One stretch: a result, and of a regime what its steps took.
struct Stretch {
  RunResult result;
  std::vector<double> walls;  // of the measured steps
  LevelShares served{};
  double copied = 1.0;  // share of the dataset that is there at its end
};

Stretch simulate_stretch(const Scenario& s, const Setup& setup) {
  const RunOptions& options = setup.options;
  const auto began = std::chrono::steady_clock::now();
  TrainingModel model(s, setup.seed, setup.replay, setup.trace, setup.plan);
  const double ranks = static_cast<double>(s.ranks());
  std::size_t sweep = setup.regime ? static_cast<std::size_t>(setup.regime->sweep_steps) : 0;
  const bool copying = setup.regime != nullptr && setup.plan->copy_bytes > 0.0;
  const std::size_t fill = fill_steps(s);
  bool converged = false;
  std::int64_t next_check = sweep > 0 ? static_cast<std::int64_t>(fill + sweep) : 200;
  const std::int64_t least_steps = 20 * batches_ahead(s);
  std::size_t steps = 0;
  const bool whole = s.run.whole_run;
  const auto keep_going = [&](std::int64_t done) {
    steps = static_cast<std::size_t>(done);
    if ((done & 15) == 0 && options.stop.stop_requested()) return false;
    if (copying) return done < setup.regime->sweep_steps && model.tier().copied() < 1.0;
    if (done < next_check) return true;
    const std::size_t sweeps = sweep > 0 ? (steps - fill) / sweep : 0;
    next_check = done + (sweep > 0 ? static_cast<std::int64_t>(sweep * std::max<std::size_t>(1, sweeps / 2))
                                   : std::max<std::int64_t>(100, done / 4));
    if (whole && !options.progress) return true;
    const StepSeries series(model.log(), steps, ranks);
    const std::size_t drop =
        sweep > 0 ? steps - sweeps * sweep
                  : std::max<std::size_t>(std::min<std::size_t>(steps / 2, static_cast<std::size_t>(batches_ahead(s))),
                                          mser5_truncation(series.wall));
    const Estimate estimate =
        sweep > 0 ? sweep_utilization(s, series, drop, sweep) : steady_utilization(s, series, drop);
    if (options.progress) options.progress({model.log().end_s[steps - 1], done, estimate});
    if (whole) return true;
    converged = estimate.half_width() <= s.run.precision &&
                (sweep > 0 || (done >= least_steps && settled(series, drop, s.run.precision)));
    return !converged;
  };
  model.run(whole ? std::numeric_limits<std::int64_t>::max() : s.run.max_steps, keep_going);
  const bool finished = !model.simulator().stopped();        // ran out of steps by itself
  if (copying) sweep = steps > 2 * fill ? steps - fill : 0;  // one sweep over the time that the copy takes
  Stretch out;
  RunResult& result = out.result;
  result = measure(s, model, steps, whole || finished, sweep);
  result.seed = setup.seed;
  result.converged = converged || (finished && (whole || result.gpu_utilization.half_width() <= s.run.precision));
  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (setup.regime == nullptr || steps == 0) return out;

  const Regime& regime = *setup.regime;
  const ReadMix mix = regime.mix.mean();
  const double total = copying ? static_cast<double>(steps) : regime.steps;
  result.totals = stretch_totals(s, model, result, total, copying ? nullptr : &mix);
  result.time_to_train_s = result.simulated_s + (total - static_cast<double>(steps)) * result.step_time_s.mean;
  const StepSeries series(model.log(), steps, ranks);
  out.walls.assign(series.wall.begin() + static_cast<std::ptrdiff_t>(std::min(steps - 1, fill)), series.wall.end());
  out.copied = model.tier().copied();
  out.served = mix.served;
  if (copying) {
    out.served = model.tier().level_bytes();
    const double all = std::accumulate(out.served.begin(), out.served.end(), 0.0);
    for (double& share : out.served) share = all > 0.0 ? share / all : 0.0;
  }
  return out;
}

// The value that a share `p` of all steps stays below; each stretch stands for its regime's steps.
double quantile_of_run(const std::vector<Stretch>& parts, const std::vector<Regime>& regimes, double p) {
  std::vector<std::pair<double, double>> weighted;  // wall time, steps it stands for
  double total = 0.0;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    for (const double wall : parts[r].walls)
      weighted.emplace_back(wall, regimes[r].steps / static_cast<double>(parts[r].walls.size()));
    total += regimes[r].steps;
  }
  std::sort(weighted.begin(), weighted.end());
  double below = 0.0;
  for (const auto& [wall, steps] : weighted) {
    below += steps;
    if (below >= p * total) return wall;
  }
  return weighted.empty() ? 0.0 : weighted.back().first;
}

// The run from its regimes: means weighted by the time, or the steps, that each takes of it.
RunResult combine(const Scenario& s, const std::vector<Regime>& regimes, const std::vector<Stretch>& parts) {
  RunResult out;
  out.seed = parts.front().result.seed;
  out.converged = true;
  out.time_to_first_batch_s = parts.front().result.time_to_first_batch_s;
  double time = 0.0, steps = 0.0, variance = 0.0, steady_time = 0.0;
  std::vector<double> times;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const RunResult& part = parts[r].result;
    // Only the first starts the workers.
    times.push_back(r == 0 ? part.time_to_train_s : regimes[r].steps * part.step_time_s.mean);
    time += times.back();
    steps += regimes[r].steps;
    steady_time += regimes[r].steps * part.step_time_s.mean;
    add(out.totals, part.totals);
  }
  const double ranks = static_cast<double>(s.ranks());
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const RunResult& part = parts[r].result;
    const Regime& regime = regimes[r];
    const double share = regime.steps * part.step_time_s.mean / steady_time;
    out.gpu_utilization.mean += share * part.gpu_utilization.mean;
    variance += std::pow(share * part.gpu_utilization.half_width(), 2);
    out.au_steady += share * part.au_steady;
    out.au_mlperf += share * part.au_mlperf;
    out.samples_per_s_mlperf += share * part.samples_per_s_mlperf;
    out.cpu_busy_fraction += share * part.cpu_busy_fraction;
    out.storage_busy_fraction += share * part.storage_busy_fraction;
    for (std::size_t c = 0; c < out.lost_fraction.size(); ++c) out.lost_fraction[c] += share * part.lost_fraction[c];
    out.simulated_s += part.simulated_s;
    out.steps += part.steps;
    out.samples += part.samples;
    out.read_bytes += part.read_bytes;
    out.wanted_bytes += part.wanted_bytes;
    out.written_bytes += part.written_bytes;
    out.checkpoints += part.checkpoints;
    out.events += part.events;
    out.wall_s += part.wall_s;
    out.converged = out.converged && part.converged;
    out.regimes.push_back(
        {regime.name, regime.epochs, part.gpu_utilization, part.samples_per_s_steady, parts[r].served, times[r]});
  }
  const double half = std::sqrt(variance);
  out.converged = out.converged || half <= s.run.precision;
  out.gpu_utilization.ci95_low = std::max(0.0, out.gpu_utilization.mean - half);
  out.gpu_utilization.ci95_high = std::min(1.0, out.gpu_utilization.mean + half);
  out.step_time_s = {steady_time / steps, quantile_of_run(parts, regimes, 0.5), quantile_of_run(parts, regimes, 0.99)};
  out.time_to_train_s = time;
  out.au = out.goodput_fraction = out.totals.useful_gpu_s / (time * ranks);
  out.samples_per_s = out.totals.samples / time;
  out.samples_per_s_steady = out.totals.samples / steady_time;
  whole_run(out.totals, s, time, steps);
  return out;
}

// Goes through a run's regimes in order, with what changes while they last: credit for bursts, a copy under way.
class Calendar {
 public:
  Calendar(const Scenario& s, std::uint64_t seed, const RunOptions& options, Trace* trace)
      : s_(s), seed_(seed), options_(options), trace_(trace), credit_(s.storage.burst_credit.base()) {
    steady_ = s;
    // As many epochs of a kind as the precision takes.
    steady_.run.epochs = std::numeric_limits<std::int32_t>::max();
    steady_.storage.burst_bandwidth = BytesPerSecond();
    if (s.staging.method == StagingMethod::kPrefetch) copied_ = 0.0;
  }

  // False when nothing could be simulated; result() then is what there is.
  bool pass(Regime regime) {
    if (copied_ < 1.0 && !copy_during(regime)) return false;
    while (regime.steps > 0.0) {
      if (!spend_credit_in(regime)) return false;
    }
    return true;
  }

  RunResult result() const {
    if (parts_.empty()) return {};
    if (parts_.back().result.steps == 0) return parts_.back().result;
    RunResult out = combine(s_, regimes_, parts_);
    out.staging.copy_s = copy_s_;
    return out;
  }

 private:
  bool simulate_part(const Scenario& scenario, const Regime& regime) {
    parts_.push_back(simulate_stretch(
        scenario, {seed_, options_, parts_.empty() ? trace_ : nullptr, nullptr, &regime.plan, &regime}));
    regimes_.push_back(regime);
    return parts_.back().result.steps > 0;
  }

  // Takes `steps` off `regime` as a part of its own, called `what`.
  static Regime cut(Regime& regime, double steps, const char* what) {
    Regime part = regime;
    part.name += what;
    part.steps = steps;
    part.epochs = regime.epochs * steps / regime.steps;
    regime.epochs -= part.epochs;
    regime.steps -= steps;
    if (regime.steps < 1e-6) regime.steps = 0.0;
    return part;
  }

  // The steps during which the dataset is still being copied. A long copy is simulated shortened: fewer bytes in the
  // same proportion to fewer steps.
  bool copy_during(Regime& regime) {
    const ImportTime import = bulk_import(s_);
    const double bytes = import.dataset.bytes * (1.0 - copied_);
    if (import.copy_s <= 0.0 || bytes <= 0.0) {
      copied_ = 1.0;
      return true;
    }
    constexpr double kSteps = 1000.0;
    const double step_s =
        std::max(1e-6, mean_of(micro_step_time(s_)) * static_cast<double>(s_.workload.gradient_accumulation));
    const double copy_steps = import.copy_s * (1.0 - copied_) / step_s;
    const double shortened = std::max(1.0, std::min(copy_steps, regime.steps) / kSteps);
    Regime part = regime;
    part.plan.copy_bytes = bytes / shortened;
    part.plan.copied = copied_;
    part.plan.in_order = !access_pattern(s_).reshuffled;
    part.plan.samples_per_sweep = std::max(1.0, part.plan.samples_per_sweep / shortened);
    part.sweep_steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(regime.steps / shortened)));
    const ReadMix mean = regime.mix.mean();
    for (ReadMix& here : part.plan.epochs.front().parts) here = mean;
    if (!simulate_part(steady_, part)) return false;
    Stretch& stretch = parts_.back();
    copied_ = stretch.copied;
    const double simulated = static_cast<double>(stretch.result.steps);
    const double steps = std::min(regime.steps, simulated * shortened);
    copy_s_ += steps * stretch.result.step_time_s.mean;
    RunResult& result = stretch.result;
    result.time_to_train_s = result.simulated_s + (steps - simulated) * result.step_time_s.mean;
    for (const auto member : kSums) result.totals.*member *= steps / simulated;
    regimes_.back() = cut(regime, steps, ", copying");
    return true;
  }

  // The next part of `regime` with one bandwidth: burst while credit lasts, the base rate after.
  bool spend_credit_in(Regime& regime) {
    const StorageSpec& storage = s_.storage;
    const bool bursts = storage.burst_bandwidth > storage.read_bandwidth && storage.read_bandwidth.base() > 0.0;
    if (!bursts || credit_ <= 0.0) return simulate_part(steady_, cut(regime, regime.steps, ""));
    Scenario fast = steady_;
    fast.storage.read_bandwidth = storage.burst_bandwidth;
    if (!simulate_part(fast, regime)) return false;
    RunResult& result = parts_.back().result;
    const double base = storage.read_bandwidth.base() * (1.0 - storage.noise);
    const double time = regime.steps * result.step_time_s.mean;
    const double drain = result.totals.read_bytes / time - base;
    const double lasts = drain > 0.0 ? credit_ / drain : time;
    if (lasts >= time) {
      credit_ = std::min(storage.burst_credit.base(), credit_ - drain * time);
      regime.steps = 0.0;
      return true;
    }
    credit_ = 0.0;
    const double steps = lasts / result.step_time_s.mean;
    for (const auto member : kSums) result.totals.*member *= steps / regime.steps;
    result.time_to_train_s += (steps - regime.steps) * result.step_time_s.mean;
    Regime rest = regime;
    regimes_.back() = cut(rest, steps, ", burst");
    regime = rest;
    return true;
  }

  const Scenario& s_;
  Scenario steady_;
  std::uint64_t seed_;
  const RunOptions& options_;
  Trace* trace_;
  double credit_;
  double copied_ = 1.0;
  double copy_s_ = 0.0;
  std::vector<Regime> regimes_;
  std::vector<Stretch> parts_;
};

RunResult simulate_training(const Scenario& s, std::uint64_t seed, const RunOptions& options, Trace* trace) {
  if (s.run.whole_run) {
    const ReadPlan plan = plan_of_whole_run(s);
    return simulate_stretch(s, {seed, options, trace, nullptr, plan.epochs.empty() ? nullptr : &plan}).result;
  }
  const std::vector<Regime> regimes = regimes_of(s);
  if (regimes.empty()) return simulate_stretch(s, {seed, options, trace}).result;
  Calendar calendar(s, seed, options, trace);
  for (const Regime& regime : regimes)
    if (!calendar.pass(regime)) break;
  return calendar.result();
}

// What precedes the first step: names are listed, a bulk copy is made. Nothing when the run's length is not known.
void add_preparation(RunResult& out, const Scenario& s) {
  if (out.time_to_train_s <= 0.0) return;
  const DatasetFiles data = dataset_files(s);
  const Listing listing = list_files(s.storage, data.files);
  out.totals.list_requests += listing.requests;
  out.totals.listing_s += listing.time_s;
  if (s.staging.method != StagingMethod::kNone) {
    const ImportTime import = bulk_import(s);
    out.staging.listing_s = import.listing.time_s;
    out.staging.bytes = data.bytes;
    out.staging.files = data.files;
    switch (s.staging.method) {
      case StagingMethod::kNone:
        break;
      case StagingMethod::kBulk:
        out.staging.method = "bulk";
        out.staging.copy_s = import.copy_s;
        out.staging.limit = import.limit;
        out.totals.staging_s += import.copy_s;
        break;
      case StagingMethod::kLazy:
        out.staging.method = "lazy";
        break;
      case StagingMethod::kPrefetch:
        out.staging.method = "prefetch";
        out.staging.limit = import.limit;
        break;
    }
    if (s.staging.method != StagingMethod::kLazy) {
      out.totals.listing_s += import.listing.time_s;
      out.totals.origin_list_requests += import.listing.requests;
      out.totals.origin_read_bytes += data.bytes;
      out.totals.origin_read_requests += import.read_requests;
      out.totals.written_bytes += data.bytes;
      out.totals.write_requests += import.write_requests;
    }
  }
  out.time_to_train_s += out.totals.listing_s + out.totals.staging_s;
}

RunResult simulate_once(const Scenario& s, std::uint64_t seed, const RunOptions& options, Trace* trace) {
  RunResult out = simulate_training(s, seed, options, trace);
  add_preparation(out, s);
  out.host_memory.loader = loader_host_memory(s).total().base();
  if (s.page_cache.policy != CachePolicy::kNone) out.host_memory.page_cache = s.page_cache.capacity.base();
  return out;
}

}  // namespace

RunResult simulate_replaying(const Scenario& scenario, const std::shared_ptr<const ReplayedDraws>& replay,
                             std::uint64_t seed) {
  return simulate_stretch(scenario, {seed, {}, nullptr, replay}).result;
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
  for (const auto member : kSums) add(pooled.totals.*member, more.totals.*member);
  add(pooled.totals.training_s, more.totals.training_s);
  add(pooled.totals.lost_gpu_s, more.totals.lost_gpu_s);
  for (std::size_t r = 0; r < std::min(pooled.regimes.size(), more.regimes.size()); ++r) {
    RegimeResult& regime = pooled.regimes[r];
    add(regime.gpu_utilization.mean, more.regimes[r].gpu_utilization.mean);
    add(regime.gpu_utilization.ci95_low, more.regimes[r].gpu_utilization.ci95_low);
    add(regime.gpu_utilization.ci95_high, more.regimes[r].gpu_utilization.ci95_high);
    add(regime.samples_per_s, more.regimes[r].samples_per_s);
    add(regime.time_s, more.regimes[r].time_s);
  }
}

// A run that ends by itself is one finite sample. When its own steps do not give the asked precision, replications do.
constexpr std::int64_t kMostReplications = 40;

RunResult simulate(const Scenario& scenario, const RunOptions& options) {
  const std::uint64_t seed = options.seed.value_or(static_cast<std::uint64_t>(scenario.run.seed));
  RunResult first = simulate_once(scenario, seed, options, options.trace);
  const bool ended_early = !scenario.run.whole_run && first.gpu_utilization.half_width() > scenario.run.precision &&
                           first.steps < scenario.run.max_steps;
  const std::int64_t wanted = options.replications > 1 ? options.replications : ended_early ? kMostReplications : 1;
  if (wanted <= 1) return first;
  std::vector<double> utilization{first.gpu_utilization.mean};
  for (std::int64_t r = 1; r < wanted && !options.stop.stop_requested(); ++r) {
    const RunResult more = simulate_once(scenario, seed + static_cast<std::uint64_t>(r), options, nullptr);
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
