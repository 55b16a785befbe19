#include "core/run/measure.h"

#include <algorithm>

#include "core/run/epoch_turns.h"
#include "core/run/step_series.h"
#include "core/run/totals.h"
#include "core/scenario/run_length.h"

namespace stallcast {
namespace {

double quantile(std::vector<double> values, double p) {
  if (values.empty()) return 0.0;
  const auto at = static_cast<std::size_t>(p * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
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
  out.checkpoints = static_cast<std::int64_t>(model.checkpointer().log().size());
  for (const CheckpointLog& entry : model.checkpointer().log())
    out.checkpoint_stop_s += (entry.resumed_s - entry.due_s) / static_cast<double>(out.checkpoints);
  out.events = model.simulator().events();
  out.goodput_fraction = out.au;

  const double total = epoch_steps(s) * static_cast<double>(s.run.epochs);
  if (total == 0.0) return out;
  out.time_to_train_s =
      whole || static_cast<double>(steps) >= total ? out.simulated_s : extrapolated_s(log, total, out, sweep);
  out.totals = stretch_totals(s, model, out, total, nullptr);
  whole_run(out.totals, s, out.time_to_train_s, total);
  return out;
}

}  // namespace stallcast
