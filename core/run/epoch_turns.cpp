#include "core/run/epoch_turns.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/model/loader_costs.h"
#include "core/scenario/data_path.h"
#include "core/scenario/run_length.h"

namespace stallcast {
namespace {

// What a turn takes that the start of a run does not show.
double hidden_turn_s(const Scenario& s) {
  const LoaderSpec& l = s.loader;
  const double validation = s.workload.validation_step_time.base() * static_cast<double>(s.workload.validation_steps);
  return validation + cost_s(l.persistent_workers ? l.reset : l.shutdown, l.num_workers);
}

// What an epoch of a rank takes longer, in steps, because its last shards are not enough for all workers, where these
// set the pace.
double uneven_end_steps(const Scenario& s) {
  if (s.loader.style != LoaderStyle::kIterable || s.loader.num_workers < 2) return 0.0;
  const std::int64_t workers = s.loader.num_workers, shards = shards_per_rank(s), left_over = shards % workers;
  if (shards < workers || left_over == 0) return 0.0;
  const double batches =
      static_cast<double>(left_over * s.dataset.samples_per_shard) / static_cast<double>(s.workload.batch_size);
  return batches / static_cast<double>(s.workload.gradient_accumulation) *
         (static_cast<double>(workers) / static_cast<double>(left_over) - 1.0);
}

}  // namespace

std::int64_t steps_on_their_way(const Scenario& s) {
  const auto samples = static_cast<double>(s.workload.batch_size);
  auto batches = static_cast<double>(batches_ahead(s));
  if (s.dataset.shuffle == Shuffle::kBuffer && s.loader.style != LoaderStyle::kMap) {
    const bool one = s.loader.style == LoaderStyle::kThreads || s.loader.num_workers == 0;
    batches += (one ? 1.0 : static_cast<double>(s.loader.num_workers)) * static_cast<double>(s.dataset.shuffle_buffer) /
               samples;
  }
  const double steps = std::ceil(batches / static_cast<double>(s.workload.gradient_accumulation));
  const double epoch = epoch_steps(s);
  return static_cast<std::int64_t>(std::clamp(steps, 1.0, epoch > 0.0 ? epoch : 1e12));
}

std::int64_t short_epoch_steps(const Scenario& s) {
  constexpr std::int64_t kBetween = 200;
  return kBetween + 2 * steps_on_their_way(s);
}

Scenario with_short_epochs(const Scenario& s) {
  Scenario out = s;
  if (s.loader.style != LoaderStyle::kIterable) {
    out.run.steps_per_epoch = std::min(static_cast<std::int64_t>(epoch_steps(s)), short_epoch_steps(s));
    return out;
  }
  const std::int64_t shards = shards_per_rank(s), round = std::max<std::int64_t>(1, s.loader.num_workers);
  const double per_round = static_cast<double>(round * s.dataset.samples_per_shard) /
                           static_cast<double>(s.workload.batch_size * s.workload.gradient_accumulation);
  const auto rounds = static_cast<std::int64_t>(std::ceil(static_cast<double>(short_epoch_steps(s)) / per_round));
  out.run.steps_per_epoch = 0;
  out.dataset.shards_per_rank = std::min(shards, rounds * round + shards % round);
  return out;
}

bool turns_matter(const Scenario& s, const StepSeries& series, std::size_t drop) {
  const double epoch = epoch_steps(s);
  const auto from = series.wall.begin() + static_cast<std::ptrdiff_t>(drop);
  const double steps = static_cast<double>(series.wall.end() - from);
  if (epoch <= 0.0 || steps <= 0.0) return false;
  const double step_s = std::accumulate(from, series.wall.end(), 0.0) / steps;
  const double start_s = std::accumulate(series.wall.begin(), from, 0.0) - static_cast<double>(drop) * step_s;
  const double of_a_turn_s = std::max(0.0, start_s) + (s.run.epochs > 1 ? hidden_turn_s(s) : 0.0);
  return of_a_turn_s + uneven_end_steps(s) * step_s > 0.1 * s.run.precision * epoch * step_s;
}

double extrapolated_s(const StepLog& log, double total, const RunResult& measured, std::size_t sweep) {
  const double mean = measured.step_time_s.mean;
  const bool of_epochs =
      sweep > 0 && log.epoch_first_step.size() > 1 && static_cast<std::int64_t>(sweep) == log.epoch_first_step[1];
  if (!of_epochs) return measured.simulated_s + (total - static_cast<double>(measured.steps)) * mean;
  const auto done = static_cast<double>(log.epoch_first_step.back());
  const double after_last_step_s = log.epoch_start_s[1] - log.epoch_end_s[0];
  return log.epoch_start_s.back() - log.epoch_start_s.front() + (total - done) * mean - after_last_step_s;
}

void add_turns(RunResult& pace, const ShortEpochs& turned, double epoch, double total) {
  const RunResult& with = turned.result;
  const double turned_s = turned.measured_steps * with.step_time_s.mean;
  const double plain_s = (epoch - turned.steps) * pace.step_time_s.mean;
  const double share = turned_s / (turned_s + plain_s);
  const auto mix = [share](double& value, double other) { value += share * (other - value); };
  const double half =
      std::hypot(share * with.gpu_utilization.half_width(), (1.0 - share) * pace.gpu_utilization.half_width());
  double& utilization = pace.gpu_utilization.mean;
  mix(utilization, with.gpu_utilization.mean);
  pace.gpu_utilization = {utilization, std::max(0.0, utilization - half), std::min(1.0, utilization + half)};
  mix(pace.samples_per_s_steady, with.samples_per_s_steady);
  for (std::size_t c = 0; c < pace.lost_fraction.size(); ++c) mix(pace.lost_fraction[c], with.lost_fraction[c]);
  pace.step_time_s.mean = (turned_s + plain_s) / (turned.measured_steps + epoch - turned.steps);
  const double epochs = total / epoch;
  if (epochs >= 1.0) pace.time_to_train_s = turned.first_s + plain_s + (epochs - 1.0) * (turned_s + plain_s);
  pace.events += with.events;
  pace.wall_s += with.wall_s;
}

}  // namespace stallcast
