#include "core/run/weeks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/diagnostics/invariant.h"
#include "core/engine/statistics.h"
#include "core/model/staging.h"
#include "core/run/checkpoint_behaviour.h"
#include "core/run/interruptions.h"
#include "core/run/optimal_interval.h"
#include "core/run/parallel.h"
#include "core/run/regimes.h"
#include "core/run/replications.h"
#include "core/run/totals.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/run_length.h"

namespace stallcast {
namespace {

// The kind of epoch that takes the most time; null when all are alike.
const Regime* longest(const std::vector<Regime>& regimes, const RunResult& base) {
  const Regime* out = nullptr;
  double most = -1.0;
  for (std::size_t r = 0; r < std::min(regimes.size(), base.regimes.size()); ++r) {
    if (base.regimes[r].time_s <= most) continue;
    most = base.regimes[r].time_s;
    out = &regimes[r];
  }
  return out;
}

double mean_step_s(const CalendarInput& input) {
  double time = 0.0, from = 0.0;
  for (const Pace& pace : input.paces) {
    time += (pace.until_step - from) * pace.step_s;
    from = pace.until_step;
  }
  return time / input.steps;
}

Estimate estimate_of(const std::vector<CalendarRun>& runs, double (*value)(const CalendarRun&, double), double with) {
  std::vector<double> values;
  for (const CalendarRun& run : runs) values.push_back(value(run, with));
  if (values.size() < 2) return {values.front(), values.front(), values.front()};
  const Interval interval = mean_of_replications(values);
  return {interval.mean, interval.mean - interval.half_width, interval.mean + interval.half_width};
}

CalendarResult summarise(const Scenario& s, const CalendarInput& input, const std::vector<CalendarRun>& runs) {
  CalendarResult out;
  out.replications = static_cast<std::int64_t>(runs.size());
  out.mtti_s = failure_mtti_s(s);
  out.ideal_s = input.preparation_s + input.startup_s + mean_step_s(input) * input.steps;
  out.startup_s = input.startup_s;
  out.checkpoint = input.checkpoint;
  const auto gpus = static_cast<double>(s.ranks());
  out.wall_s = estimate_of(
      runs, [](const CalendarRun& r, double) { return r.wall_s; }, 0.0);
  out.goodput_fraction = estimate_of(
      runs, [](const CalendarRun& r, double n) { return r.useful_gpu_s / (n * r.wall_s); }, gpus);
  out.ettr = estimate_of(
      runs,
      [](const CalendarRun& r, double) { return r.time_s[static_cast<std::size_t>(WallTime::kTraining)] / r.wall_s; },
      0.0);
  std::vector<double> walls;
  for (const CalendarRun& run : runs) walls.push_back(run.wall_s);
  std::sort(walls.begin(), walls.end());
  const auto at = [&](double p) { return walls[static_cast<std::size_t>(p * static_cast<double>(walls.size() - 1))]; };
  out.wall_p10_s = at(0.1);
  out.wall_p90_s = at(0.9);
  for (std::size_t k = 0; k < kInterruptions; ++k) {
    std::vector<double> counts;
    for (const CalendarRun& run : runs) counts.push_back(run.interruptions[k]);
    const Interval interval = counts.size() < 2 ? Interval{counts.front(), 0.0} : mean_of_replications(counts);
    out.interruptions[k] = {interval.mean, interval.mean - interval.half_width, interval.mean + interval.half_width};
    double squares = 0.0;
    for (const double count : counts) squares += (count - interval.mean) * (count - interval.mean);
    if (counts.size() > 1) out.interruptions_sd[k] = std::sqrt(squares / static_cast<double>(counts.size() - 1));
  }
  out.mean = mean_of(runs);
  return out;
}

// The parts of the bill and of the GPUs' time that only the calendar knows.
void put_into(RunResult& out, const Scenario& s, const CalendarInput& input, const CalendarResult& calendar) {
  const CalendarRun& mean = calendar.mean;
  const auto time = [&](WallTime what) { return mean.time_s[static_cast<std::size_t>(what)]; };
  const auto ranks = static_cast<double>(s.ranks());
  const double trained = time(WallTime::kTraining);
  const double stopped = time(WallTime::kCheckpoint) + time(WallTime::kBacklog);

  // GPU utilization and its causes are those of training, with the stops for checkpoints.
  const double share = trained + stopped > 0.0 ? trained / (trained + stopped) : 1.0;
  out.gpu_utilization = {out.gpu_utilization.mean * share, out.gpu_utilization.ci95_low * share,
                         out.gpu_utilization.ci95_high * share};
  for (double& fraction : out.lost_fraction) fraction *= share;
  out.lost_fraction[static_cast<std::size_t>(LostTime::kCheckpoint)] += 1.0 - share;

  RunTotals& t = out.totals;
  const double first_start = std::min(input.startup_s, time(WallTime::kRestart));
  t.training_s = trained + stopped + first_start;
  t.rework_s = time(WallTime::kRework);
  t.unpaid_s = mean.unpaid_s;
  t.recovery_s = time(WallTime::kDetection) + time(WallTime::kReplacement) + time(WallTime::kRestart) - first_start +
                 time(WallTime::kRestore) + time(WallTime::kRehydration) + time(WallTime::kMaintenance) - mean.unpaid_s;
  t.spare_node_s = static_cast<double>(s.failures.spares) * std::max(0.0, mean.wall_s - mean.unpaid_s);
  t.lost_gpu_s = std::max(0.0, t.training_s * ranks - t.useful_gpu_s);
  const double again = 1.0 + mean.steps_lost / input.steps;
  for (double* sum :
       {&t.read_bytes, &t.read_requests, &t.refused_requests, &t.regional_read_bytes, &t.regional_read_requests})
    *sum *= again;
  const double request = s.dataset.request_size.base();
  const auto requests = [&](double bytes) { return request > 0.0 ? std::ceil(bytes / request) : 1.0; };
  const CheckpointShape shape = checkpoint_shape(s);
  t.checkpoints = mean.stored_checkpoints;
  t.checkpoint_bytes = shape.total;
  if (s.checkpoint.to_storage) {
    const double per_writer = shape.writers > 0 ? shape.total / static_cast<double>(shape.writers) : 0.0;
    t.written_bytes += mean.stored_checkpoints * shape.total;
    t.write_requests += mean.stored_checkpoints * static_cast<double>(shape.writers) * requests(per_writer);
    t.read_bytes += mean.restored_bytes;
    if (mean.restores > 0.0 && shape.read_by_rank > 0.0)
      t.read_requests += mean.restored_bytes / shape.read_by_rank * requests(shape.read_by_rank);
  }
  if (mean.rehydrations > 0.0) {
    const ImportTime import = bulk_import(s);
    t.origin_read_bytes += mean.staged_bytes;
    t.origin_read_requests += mean.rehydrations * import.read_requests;
    t.written_bytes += mean.staged_bytes;
    t.write_requests += mean.rehydrations * import.write_requests;
  }
  out.checkpoints = static_cast<std::int64_t>(std::llround(mean.checkpoints));
  out.checkpoint_stop_s = input.checkpoint.stop_s;
  out.time_to_train_s = calendar.wall_s.mean;
  out.goodput_fraction = calendar.goodput_fraction.mean;
  out.samples_per_s = t.samples / out.time_to_train_s;
  out.calendar = calendar;
}

}  // namespace

double run_steps(const Scenario& s) { return epoch_steps(s) * static_cast<double>(s.run.epochs); }

std::vector<Pace> paces_of(const Scenario& s, const RunResult& base) {
  const auto ranks = static_cast<double>(s.ranks());
  const double per_step = static_cast<double>(s.workload.batch_size * s.workload.gradient_accumulation) * ranks;
  std::vector<Pace> out;
  double step = 0.0;
  for (const RegimeResult& regime : base.regimes) {
    step += regime.epochs * epoch_steps(s);
    const double step_s = per_step / regime.samples_per_s;
    out.push_back({step, step_s, regime.gpu_utilization.mean * step_s * ranks});
  }
  if (out.empty()) {
    const double step_s = base.step_time_s.mean;
    out.push_back({0.0, step_s, base.gpu_utilization.mean * step_s * ranks});
  }
  out.back().until_step = run_steps(s);
  return out;
}

void add_rehydration(const Scenario& s, CalendarInput& in) {
  if (s.staging.method == StagingMethod::kNone || s.staging.method == StagingMethod::kLazy) return;
  const ImportTime import = bulk_import(s);
  in.rehydration_s = import.copy_s;
  in.rehydrated_bytes = import.dataset.bytes;
}

bool needs_calendar(const Scenario& s) {
  if (run_steps(s) <= 0.0) return false;
  return is_interrupted(s) || (s.checkpoint.mode != CheckpointMode::kNone && !s.run.whole_run);
}

bool saves_among_steps(const Scenario& s) {
  return s.checkpoint.mode == CheckpointMode::kNone || (s.run.whole_run && !is_interrupted(s));
}

double interval_steps(const Scenario& s, double step_s) {
  const CheckpointSpec& c = s.checkpoint;
  if (c.mode == CheckpointMode::kNone) return 0.0;
  switch (c.cadence) {
    case CheckpointCadence::kSteps:
      return static_cast<double>(c.interval_steps);
    case CheckpointCadence::kTime:
      return std::max(1.0, std::round(c.interval.base() / step_s));
    case CheckpointCadence::kEpochs:
      return std::max(1.0, static_cast<double>(c.interval_epochs) * epoch_steps(s));
    case CheckpointCadence::kOptimal:
      break;
  }
  return 0.0;
}

CalendarInput calendar_input(const Scenario& s, const RunResult& base, std::uint64_t seed, const RunOptions& options) {
  CalendarInput in;
  in.steps = run_steps(s);
  in.paces = paces_of(s, base);
  // The mean step of epochs has a turn in each; the last one has none after it.
  const double paced_s = mean_step_s(in) * in.steps;
  if (base.totals.training_s > 0.0 && base.totals.training_s < paced_s)
    for (Pace& pace : in.paces) pace.step_s *= base.totals.training_s / paced_s;
  in.startup_s = std::max(0.0, base.totals.training_s - paced_s);
  const double step_s = mean_step_s(in);
  in.preparation_s = base.totals.listing_s + base.totals.staging_s;
  add_rehydration(s, in);
  if (s.checkpoint.mode == CheckpointMode::kNone) return in;
  in.restore_bytes = checkpoint_shape(s).read_total;
  const std::vector<Regime> regimes = regimes_of(s);
  const double steps = interval_steps(s, step_s);
  in.checkpoint = checkpoint_behaviour(s, step_s, steps, longest(regimes, base), seed, options);
  in.checkpoint.interval_steps = steps;
  in.checkpoint.interval_s = steps * step_s;
  return in;
}

RunResult draw_out(const Scenario& s, RunResult base, std::uint64_t seed, const RunOptions& options) {
  CalendarInput input = calendar_input(s, base, seed, options);
  OptimalInterval optimum;
  const double step_s = mean_step_s(input);
  const bool writes = s.checkpoint.mode != CheckpointMode::kNone;
  const bool optimal = writes && s.checkpoint.cadence == CheckpointCadence::kOptimal;
  if (writes && (optimal || options.find_optimal_interval) && is_interrupted_at_random(s))
    optimum = optimal_interval_of(s, input, step_s, seed, options);
  if (optimal) {
    // Where nothing is ever lost, one at the end is enough.
    input.checkpoint.interval_s = optimum.interval_s > 0.0 ? optimum.interval_s : input.steps * step_s;
    input.checkpoint.interval_steps = std::max(1.0, std::round(input.checkpoint.interval_s / step_s));
  }
  const std::vector<CalendarRun> runs = replicate(s, input, seed, options);
  if (runs.empty()) {
    base.converged = false;
    return base;
  }
  CalendarResult calendar = summarise(s, input, runs);
  calendar.interrupted = replications_of(s, options) - calendar.replications;
  calendar.optimum = optimum;
  if (calendar.interrupted > 0) base.converged = false;
  put_into(base, s, input, calendar);
  return base;
}

RunResult with_endless_checkpoints(const Scenario& s, RunResult pace, std::uint64_t seed, const RunOptions& options) {
  constexpr double kCheckpoints = 100.0;
  const double steps = interval_steps(s, pace.step_time_s.mean);
  if (steps <= 0.0 || pace.gpu_utilization.mean <= 0.0) return pace;
  Scenario finite = s;
  finite.failures = FailureSpec();
  finite.storage.mean_time_to_data_loss = Seconds();
  finite.run.epochs = 1;
  finite.run.steps_per_epoch = std::llround(kCheckpoints * steps);
  const RunResult drawn = draw_out(finite, pace, seed, options);
  const double share = drawn.gpu_utilization.mean / pace.gpu_utilization.mean;
  pace.gpu_utilization = drawn.gpu_utilization;
  pace.lost_fraction = drawn.lost_fraction;
  pace.checkpoint_stop_s = drawn.checkpoint_stop_s;
  for (double* rate : {&pace.samples_per_s, &pace.samples_per_s_steady, &pace.goodput_fraction}) *rate *= share;
  pace.step_time_s.mean /= share;
  return pace;
}

}  // namespace stallcast
