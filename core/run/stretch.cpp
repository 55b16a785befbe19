#include "core/run/stretch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/model/represented.h"
#include "core/model/training_model.h"
#include "core/run/measure.h"
#include "core/run/step_series.h"
#include "core/run/totals.h"
#include "core/scenario/data_path.h"
#include "core/scenario/run_length.h"

namespace stallcast {
namespace {

// The nodes of `s`, which are all of `job` or represent them.
Stretch simulate_nodes(const Scenario& s, const Setup& setup, const Scenario& job) {
  const RunOptions& options = setup.options;
  const auto began = std::chrono::steady_clock::now();
  TrainingModel model(s, setup.seed, setup.replay, setup.trace, setup.plan, &job);
  model.simulator().end_on(options.stop);
  const auto ranks = static_cast<double>(s.ranks());
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
  const bool finished = !model.simulator().stopped() && !model.simulator().out_of_time();  // ran out of steps by itself
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

// What the representatives did, as all nodes of `job` did it.
void make_whole(RunResult& result, const Scenario& job, const Representatives& group) {
  const double times = 1.0 / group.share();
  result.samples = static_cast<std::int64_t>(std::llround(static_cast<double>(result.samples) * times));
  for (double* sum : {&result.samples_per_s, &result.samples_per_s_steady, &result.samples_per_s_mlperf,
                      &result.read_bytes, &result.wanted_bytes, &result.written_bytes})
    *sum *= times;
  for (const auto member : kSums) result.totals.*member *= times;
  if (result.totals.training_s > 0.0) {
    whole_run(result.totals, job, result.totals.training_s, epoch_steps(job) * static_cast<double>(job.run.epochs));
  }
}

}  // namespace

Stretch simulate_stretch(const Scenario& job, const Setup& setup) {
  const bool every_node = setup.options.exact || setup.replay != nullptr;
  const Representatives group =
      every_node ? Representatives{job.cluster.nodes, job.cluster.nodes} : representatives_of(job);
  if (group.all()) return simulate_nodes(job, setup, job);
  Setup part = setup;
  std::optional<ReadPlan> plan;
  if (setup.plan != nullptr) {
    plan = *setup.plan;
    plan->copy_bytes *= group.share();
    part.plan = &*plan;
  }
  Stretch out = simulate_nodes(represented(job, group), part, job);
  make_whole(out.result, job, group);
  return out;
}

RunResult simulate_replaying(const Scenario& scenario, const std::shared_ptr<const ReplayedDraws>& replay,
                             std::uint64_t seed) {
  return simulate_stretch(scenario, {seed, {}, nullptr, replay}).result;
}

}  // namespace stallcast
