#include "core/run/epoch_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/model/staging.h"
#include "core/run/totals.h"
#include "core/scenario/data_path.h"

namespace stallcast {
namespace {

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
    steps += regimes[r].steps;
    steady_time += regimes[r].steps * part.step_time_s.mean;
    add(out.totals, part.totals);
  }
  // What follows the last step of an epoch is not part of the first one's time, and nothing follows the last epoch.
  if (parts.size() > 1 && parts.front().tail_s && parts.back().tail_s) {
    times.front() += *parts.front().tail_s;
    times.back() -= *parts.back().tail_s;
  }
  for (const double part : times) time += part;
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
    if (part.checkpoints > 0) {
      const auto before = static_cast<double>(out.checkpoints), more = static_cast<double>(part.checkpoints);
      out.checkpoint_stop_s = (out.checkpoint_stop_s * before + part.checkpoint_stop_s * more) / (before + more);
    }
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

// Takes `steps` off `regime` as a part of its own, called `what`.
Regime cut(Regime& regime, double steps, const char* what) {
  Regime part = regime;
  part.name += what;
  part.steps = steps;
  part.epochs = regime.epochs * steps / regime.steps;
  regime.epochs -= part.epochs;
  regime.steps -= steps;
  if (regime.steps < 1e-6) regime.steps = 0.0;
  return part;
}

}  // namespace

EpochWalk::EpochWalk(const Scenario& s, std::uint64_t seed, const RunOptions& options, Trace* trace)
    : s_(s), seed_(seed), options_(options), trace_(trace), credit_(s.storage.burst_credit.base()) {
  steady_ = s;
  // As many epochs of a kind as the precision takes; where there is but one, none turns into another.
  if (s.run.epochs > 1) steady_.run.epochs = std::numeric_limits<std::int32_t>::max();
  steady_.storage.burst_bandwidth = BytesPerSecond();
  if (s.staging.method == StagingMethod::kPrefetch) copied_ = 0.0;
}

bool EpochWalk::pass(Regime regime) {
  if (copied_ < 1.0 && !copy_during(regime)) return false;
  while (regime.steps > 0.0) {
    if (!spend_credit_in(regime)) return false;
  }
  return true;
}

RunResult EpochWalk::result() const {
  if (parts_.empty()) return {};
  if (parts_.back().result.steps == 0) return parts_.back().result;
  RunResult out = combine(s_, regimes_, parts_);
  out.staging.copy_s = copy_s_;
  return out;
}

bool EpochWalk::simulate_part(const Scenario& scenario, const Regime& regime) {
  parts_.push_back(
      simulate_stretch(scenario, {seed_, options_, parts_.empty() ? trace_ : nullptr, nullptr, &regime.plan, &regime}));
  regimes_.push_back(regime);
  return parts_.back().result.steps > 0;
}

// The steps during which the dataset is still being copied. A long copy is simulated shortened: fewer bytes in the
// same proportion to fewer steps.
bool EpochWalk::copy_during(Regime& regime) {
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
  part.plan.in_order = !key_access(s_).reshuffled;
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
bool EpochWalk::spend_credit_in(Regime& regime) {
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

}  // namespace stallcast
