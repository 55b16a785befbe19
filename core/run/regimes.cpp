#include "core/run/regimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/scenario/run_length.h"

namespace stallcast {
namespace {

constexpr double kAlike = 0.02;
constexpr std::size_t kMostRegimes = 6;
constexpr std::int64_t kSweepPerQueue = 100;  // what carries over then is 1 % of the sweep
constexpr std::int64_t kLeastSweep = 400;     // steps
constexpr double kSweepSamples = 1'000'000;   // about what fits in a part of a second
constexpr std::int64_t kLeastSweepPerQueue = 8;

double distance(const ReadMix& a, const ReadMix& b) {
  double most = 0.0;
  for (std::size_t l = 0; l < kReadLevels; ++l) most = std::max(most, std::abs(a.served[l] - b.served[l]));
  return most;
}

struct Group {
  std::size_t first = 0, last = 0;  // epochs, from 0
};

// Neighbours within `reach` of the first of their group.
std::vector<Group> grouped(const std::vector<ReadMix>& means, double reach) {
  std::vector<Group> groups{{0, 0}};
  for (std::size_t e = 1; e < means.size(); ++e) {
    if (distance(means[e], means[groups.back().first]) <= reach) {
      groups.back().last = e;
    } else {
      groups.push_back({e, e});
    }
  }
  return groups;
}

// The last of `epochs` stands for `last_counts` of them.
EpochMix mean_of_epochs(const std::vector<EpochMix>& epochs, const Group& group, double last_counts) {
  EpochMix out{};
  double total = 0.0;
  for (std::size_t e = group.first; e <= group.last; ++e) {
    const double weight = e + 1 == epochs.size() ? last_counts : 1.0;
    total += weight;
    for (std::size_t b = 0; b < EpochMix::kParts; ++b) out.parts[b].add(epochs[e].parts[b], weight);
  }
  for (ReadMix& part : out.parts) part.scale(1.0 / total);
  return out;
}

std::string name_of(std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("epoch {}", first) : fmt::format("epochs {} to {}", first, last);
}

std::int64_t sweep_steps(const Scenario& s) {
  const double per_step = static_cast<double>(s.workload.batch_size * s.workload.gradient_accumulation);
  const auto epoch = static_cast<std::int64_t>(epoch_steps(s));
  const std::int64_t queue = std::max<std::int64_t>(1, s.loader.num_workers * s.loader.prefetch_factor);
  const auto affordable = static_cast<std::int64_t>(kSweepSamples / (per_step * static_cast<double>(s.ranks())));
  const std::int64_t least = std::max(kLeastSweep / 2, kLeastSweepPerQueue * queue);
  if (epoch <= 2 * affordable) return epoch;
  return std::min(epoch, std::clamp(affordable, least, std::max({kLeastSweep, least, kSweepPerQueue * queue})));
}

}  // namespace

std::vector<Regime> regimes_of(const Scenario& s) {
  std::vector<Regime> out;
  const StorageSpec& storage = s.storage;
  const bool bursts = storage.burst_bandwidth > storage.read_bandwidth && storage.read_bandwidth.base() > 0.0 &&
                      storage.burst_credit.base() > 0.0;
  const bool copying = s.staging.method == StagingMethod::kPrefetch;
  const KeyAccess pattern = key_access(s);
  if (pattern.keys == 0 || !(has_levels(s) || bursts || copying)) return out;
  const std::vector<EpochMix> epochs = play_epochs(s, s.run.epochs);
  std::vector<ReadMix> means;
  for (const EpochMix& epoch : epochs) means.push_back(epoch.mean());
  // Caches that never answer, and take nothing in: as if they were not there.
  const auto plain = [](const ReadMix& mean) {
    return mean.served[index_of(ReadLevel::kStorage)] == 1.0 && mean.node_fill == 0.0 && mean.regional_fill == 0.0;
  };
  if (!bursts && !copying && std::all_of(means.begin(), means.end(), plain)) return out;
  std::vector<Group> groups = grouped(means, kAlike);
  for (double reach = 1.5 * kAlike; groups.size() > kMostRegimes; reach *= 1.5) groups = grouped(means, reach);
  const double steps_per_epoch = epoch_steps(s);
  const double last_counts = static_cast<double>(s.run.epochs) - static_cast<double>(epochs.size()) + 1.0;
  for (const Group& group : groups) {
    Regime& regime = out.emplace_back();
    const bool last = group.last + 1 == epochs.size();
    const auto first_epoch = static_cast<std::int64_t>(group.first) + 1;
    const std::int64_t last_epoch = last ? s.run.epochs : static_cast<std::int64_t>(group.last) + 1;
    regime.name = name_of(first_epoch, last_epoch);
    regime.epochs = static_cast<double>(last_epoch - first_epoch + 1);
    regime.steps = regime.epochs * steps_per_epoch;
    regime.mix = mean_of_epochs(epochs, group, last_counts);
    regime.sweep_steps = regime.mix.flat() ? 0 : sweep_steps(s);
    regime.plan.epochs = {regime.mix};
    regime.plan.samples_per_key = pattern.samples_per_key;
    const double of_an_epoch = regime.sweep_steps > 0 ? static_cast<double>(regime.sweep_steps) / steps_per_epoch : 1.0;
    regime.plan.samples_per_sweep = std::max(1.0, pattern.samples_per_epoch * of_an_epoch);
    if (regime.sweep_steps == 0) {
      const ReadMix mean = regime.mix.mean();
      for (ReadMix& part : regime.plan.epochs.front().parts) part = mean;
    }
  }
  return out;
}

ReadPlan plan_of_whole_run(const Scenario& s) {
  ReadPlan plan;
  if (!has_levels(s)) return plan;
  const KeyAccess pattern = key_access(s);
  plan.epochs = play_epochs(s, s.run.epochs);
  plan.samples_per_sweep = std::max(1.0, pattern.samples_per_epoch);
  plan.samples_per_key = pattern.samples_per_key;
  if (s.staging.method == StagingMethod::kPrefetch) {
    plan.copy_bytes = pattern.dataset_bytes;
    plan.in_order = !pattern.reshuffled;
  }
  return plan;
}

}  // namespace stallcast
