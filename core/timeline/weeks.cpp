#include "core/timeline/weeks.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/engine/statistics.h"
#include "core/model/checkpointer.h"
#include "core/model/storage/staging.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/run_length.h"
#include "core/steps/checkpoint_times.h"
#include "core/steps/figures.h"
#include "core/timeline/interruptions.h"
#include "core/timeline/optimal_interval.h"
#include "core/timeline/replications.h"

namespace stallcast {
namespace {

double mean_step_s(const TimelineInput& input) {
  double time = 0.0, from = 0.0;
  for (const Pace& pace : input.paces) {
    time += (pace.until_step - from) * pace.step_s;
    from = pace.until_step;
  }
  return time / input.steps;
}

// A single run has no interval.
Estimate estimate_of(const Interval& interval, std::size_t runs) {
  const double half = runs > 1 ? interval.half_width : 0.0;
  return {interval.mean, interval.mean - half, interval.mean + half};
}

TimelineResult summarise(const Scenario& s, const TimelineInput& input, const std::vector<SimulatedRun>& runs) {
  TimelineResult out;
  out.replications = static_cast<std::int64_t>(runs.size());
  out.mtti_s = failure_mtti_s(s);
  out.ideal_s = input.preparation_s + input.startup_s + mean_step_s(input) * input.steps;
  out.startup_s = input.startup_s;
  out.paces = input.paces;
  out.checkpoint = input.checkpoint;
  const auto gpus = static_cast<double>(s.ranks());
  std::vector<double> walls, gpu_s, useful, trained;
  for (const SimulatedRun& run : runs) {
    walls.push_back(run.wall_s);
    gpu_s.push_back(gpus * run.wall_s);
    useful.push_back(run.useful_gpu_s);
    trained.push_back(run.time_s[static_cast<std::size_t>(WallTime::kTraining)]);
  }
  out.wall_s = estimate_of(mean_of_replications(walls), runs.size());
  out.goodput_fraction = estimate_of(ratio_of_means(useful, gpu_s), runs.size());
  out.ettr = estimate_of(ratio_of_means(trained, walls), runs.size());
  std::sort(walls.begin(), walls.end());
  const auto at = [&](double p) { return walls[static_cast<std::size_t>(p * static_cast<double>(walls.size() - 1))]; };
  out.wall_p10_s = at(0.1);
  out.wall_p90_s = at(0.9);
  for (std::size_t k = 0; k < kInterruptions; ++k) {
    std::vector<double> counts;
    for (const SimulatedRun& run : runs) counts.push_back(run.interruptions[k]);
    const Interval interval = counts.size() < 2 ? Interval{counts.front(), 0.0} : mean_of_replications(counts);
    out.interruptions[k] = {interval.mean, interval.mean - interval.half_width, interval.mean + interval.half_width};
    double squares = 0.0;
    for (const double count : counts) squares += (count - interval.mean) * (count - interval.mean);
    if (counts.size() > 1) out.interruptions_sd[k] = std::sqrt(squares / static_cast<double>(counts.size() - 1));
  }
  out.mean = mean_of(runs);
  return out;
}

LedgerPhase idle(PhaseKind kind, LostTime cause, double wall_s, double gpus) {
  LedgerPhase phase;
  phase.kind = kind;
  phase.wall_s = wall_s;
  phase.lost_gpu_s[index(cause)] = wall_s * gpus;
  return phase;
}

// Training as the simulated runs had it: that of a run by the paces is the same, step by step it has the luck of each.
void fit_training(std::vector<LedgerPhase>& ledger, double wall_s, double compute_gpu_s, double gpus) {
  const LedgerPhase trained = sum_of(ledger, is_training);
  if (trained.wall_s <= 0.0 || trained.compute_gpu_s <= 0.0) return;
  const double longer = wall_s / trained.wall_s, more = compute_gpu_s / trained.compute_gpu_s;
  if (std::abs(longer - 1.0) < 1e-9 && std::abs(more - 1.0) < 1e-9) return;
  for (LedgerPhase& phase : ledger) {
    if (!is_training(phase.kind)) continue;
    const double lost = phase.wall_s * gpus - phase.compute_gpu_s;
    phase.wall_s *= longer;
    phase.busy_core_s *= longer;
    phase.compute_gpu_s *= more;
    const double less = lost > 0.0 ? (phase.wall_s * gpus - phase.compute_gpu_s) / lost : 1.0;
    for (double& cause : phase.lost_gpu_s) cause *= less;
  }
}

// The phases that only the run timeline has. Steps that are done again read their samples again.
void add_phases(RunResult& out, const Scenario& s, const TimelineInput& input, const SimulatedRun& mean) {
  const auto time = [&](WallTime what) { return mean.time_s[static_cast<std::size_t>(what)]; };
  const auto gpus = static_cast<double>(s.ranks());
  const double first_start = std::min(input.startup_s, time(WallTime::kRestart));
  fit_training(out.ledger, time(WallTime::kTraining) + first_start, mean.useful_gpu_s, gpus);
  LedgerPhase stops =
      idle(PhaseKind::kCheckpoint, LostTime::kCheckpoint, time(WallTime::kCheckpoint) + time(WallTime::kBacklog), gpus);
  stops.times = mean.checkpoints;
  LedgerPhase again = idle(PhaseKind::kRework, LostTime::kRework, time(WallTime::kRework), gpus);
  again.times = 1.0;
  const LedgerPhase trained = sum_of(out.ledger, is_training);
  const double share = mean.steps_lost / input.steps;
  for (std::size_t l = 0; l < kReadLevels; ++l) {
    again.read_bytes[l] = share * trained.read_bytes[l];
    again.read_requests[l] = share * trained.read_requests[l];
  }
  again.refused_requests = share * trained.refused_requests;
  LedgerPhase recovery =
      idle(PhaseKind::kRecovery, LostTime::kRecovery,
           time(WallTime::kDetection) + time(WallTime::kReplacement) + time(WallTime::kRestart) - first_start +
               time(WallTime::kRestore) + time(WallTime::kRehydration) + time(WallTime::kMaintenance),
           gpus);
  for (const double count : mean.interruptions) recovery.times += count;
  const CheckpointShape shape = checkpoint_shape(s);
  if (s.checkpoint.to_storage && mean.restores > 0.0) {
    const double request = s.dataset.request_size.base();
    recovery.read_bytes[index_of(ReadLevel::kStorage)] = mean.restored_bytes;
    if (shape.read_by_rank > 0.0)
      recovery.read_requests[index_of(ReadLevel::kStorage)] =
          mean.restored_bytes / shape.read_by_rank * (request > 0.0 ? std::ceil(shape.read_by_rank / request) : 1.0);
  }
  recovery.unpaid_s = mean.unpaid_s;
  if (mean.rehydrations > 0.0) {
    const ImportTime import = bulk_import(s);
    recovery.read_bytes[index_of(ReadLevel::kOrigin)] = recovery.written_bytes = mean.staged_bytes;
    recovery.read_requests[index_of(ReadLevel::kOrigin)] = mean.rehydrations * import.read_requests;
    recovery.write_requests = mean.rehydrations * import.write_requests;
  }
  for (const LedgerPhase& phase : {stops, again, recovery})
    if (phase.wall_s > 0.0) out.ledger.push_back(phase);
  add_writes(out.ledger, s, mean.stored_checkpoints);
}

}  // namespace

double run_steps(const Scenario& s) { return epoch_steps(s) * static_cast<double>(s.run.epochs); }

void add_writes(std::vector<LedgerPhase>& ledger, const Scenario& s, double stored) {
  if (s.checkpoint.mode == CheckpointMode::kNone || stored <= 0.0) return;
  LedgerPhase writes;
  writes.kind = PhaseKind::kCheckpoint;
  writes.stored_checkpoints = stored;
  if (s.checkpoint.to_storage) {
    const CheckpointShape shape = checkpoint_shape(s);
    const double request = s.dataset.request_size.base();
    const auto files = static_cast<double>(shape.writers * s.checkpoint.files_per_writer);
    const double per_file = files > 0.0 ? shape.total / files : 0.0;
    writes.written_bytes = stored * shape.total;
    writes.write_requests = stored * files * (request > 0.0 ? std::ceil(per_file / request) : 1.0);
  }
  ledger.push_back(writes);
}

void add_rehydration(const Scenario& s, TimelineInput& in) {
  if (s.staging.method == StagingMethod::kNone || s.staging.method == StagingMethod::kLazy) return;
  const ImportTime import = bulk_import(s);
  in.rehydration_s = import.copy_s;
  in.rehydrated_bytes = copies_of_dataset(s) * import.dataset.bytes;
}

bool needs_timeline(const Scenario& s) { return run_steps(s) > 0.0 && is_interrupted(s); }

CheckpointBehaviour behaviour_of(const Scenario& s, const SaveStatistics& saves, double interval_steps, double step_s) {
  CheckpointBehaviour out;
  if (s.checkpoint.mode == CheckpointMode::kNone) return out;
  out.size = checkpoint_shape(s).total;
  out.restore_s = storage_restore_time(s);
  out.first_level_restore_s = first_level_restore_time(s);
  out.export_s = export_time(s, out.size);
  out.interval_steps = interval_steps;
  out.interval_s = interval_steps * step_s;
  out.stop_s = saves.stop_s - saves.backlog_s;
  out.slowdown_s = saves.slowdown_s;
  if (std::abs(out.slowdown_s) < 1e-9 * step_s) out.slowdown_s = 0.0;
  out.write_s = saves.write_s;
  out.storage_s = saves.storage_s;
  return out;
}

TimelineInput paced_input(const Scenario& s, const RunResult& base) {
  TimelineInput in;
  in.steps = run_steps(s);
  std::vector<Pace> paces(std::max<std::size_t>(1, base.regimes.size()));
  std::vector<double> steps(paces.size(), 0.0);
  double start_s = 0.0;
  // What the first start takes beyond the pace of its steps is what every start takes.
  const LedgerPhase steady =
      sum_of(base.ledger, [](PhaseKind kind) { return is_training(kind) && kind != PhaseKind::kStart; });
  for (const LedgerPhase& phase : base.ledger) {
    if (!is_training(phase.kind)) continue;
    const std::size_t r = std::min(phase.epochs, paces.size() - 1);
    double wall_s = phase.wall_s;
    if (phase.kind == PhaseKind::kStart && steady.steps > 0.0) {
      const double usual_s = std::min(wall_s, phase.steps * steady.wall_s / steady.steps);
      start_s += wall_s - usual_s;
      wall_s = usual_s;
    }
    steps[r] += phase.steps;
    paces[r].step_s += wall_s;
    paces[r].compute_gpu_s += phase.compute_gpu_s;
  }
  double upto = 0.0;
  for (std::size_t r = 0; r < paces.size(); ++r) {
    if (steps[r] <= 0.0) continue;
    upto += steps[r];
    in.paces.push_back({upto, paces[r].step_s / steps[r], paces[r].compute_gpu_s / steps[r]});
  }
  if (!in.paces.empty()) in.paces.back().until_step = in.steps;
  in.startup_s = start_s;
  in.preparation_s = base.totals.listing_s + base.totals.staging_s;
  add_rehydration(s, in);
  if (s.checkpoint.mode != CheckpointMode::kNone) in.restore_bytes = checkpoint_shape(s).read_total;
  return in;
}

RunResult extrapolate(const Scenario& s, RunResult base, const CheckpointBehaviour& checkpoint,
                      const RunOptions& options) {
  TimelineInput input = paced_input(s, base);
  input.checkpoint = checkpoint;
  OptimalInterval optimum;
  const double step_s = mean_step_s(input);
  const bool writes = s.checkpoint.mode != CheckpointMode::kNone;
  const bool optimal = writes && s.checkpoint.cadence == CheckpointCadence::kOptimal;
  if (writes && (optimal || options.find_optimal_interval) && is_interrupted_at_random(s))
    optimum = optimal_interval_of(s, input, step_s, base.seed, options);
  optimum.taken = optimal && optimum.interval_s > 0.0;
  if (optimal) {
    // Where nothing is ever lost, one at the end is enough.
    input.checkpoint.interval_s = optimum.interval_s > 0.0 ? optimum.interval_s : input.steps * step_s;
    input.checkpoint.interval_steps = std::max(1.0, std::round(input.checkpoint.interval_s / step_s));
  }
  const std::vector<SimulatedRun> runs = replicate(s, input, base.seed, options);
  if (runs.empty()) {
    base.converged = false;
    return base;
  }
  TimelineResult timeline = summarise(s, input, runs);
  timeline.interrupted = replications_of(s, options) - timeline.replications;
  timeline.optimum = optimum;
  if (timeline.interrupted > 0) base.converged = false;
  const SimulatedRun& mean = timeline.mean;
  add_phases(base, s, input, mean);
  base.checkpoints = static_cast<std::int64_t>(std::llround(mean.checkpoints));
  base.checkpoint_stop_s = input.checkpoint.stop_s;
  base.timeline = timeline;
  return base;
}

}  // namespace stallcast
