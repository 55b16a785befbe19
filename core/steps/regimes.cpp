#include "core/steps/regimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/model/resource_graph.h"
#include "core/scenario/data_path.h"

namespace stallcast {
namespace {

constexpr double kAlike = 0.02, kAlikeTime = 0.005;
constexpr std::size_t kMostRegimes = 6;

// An epoch as far as it is like others or not.
struct Likeness {
  ReadMix mix;
  double batch_s = 0.0;  // between two batches that the workers of a rank load, as a part of computing on one
};

Likeness likeness_of(const Scenario& s, const ReadMix& mix) {
  const RankTimes times = rank_times(s, mix);
  const auto workers = static_cast<double>(std::max<std::int64_t>(1, s.loader.num_workers));
  const auto streams = static_cast<double>(std::max<std::int64_t>(1, reading_streams(s)));
  const double loaded_s = times.serial_load_s + times.worker_batch_s / workers + times.stream_batch_s / streams;
  return {mix, loaded_s / std::max(1e-9, times.compute_s)};
}

// By what levels answer, and by how long a batch takes: few reads from far away may be most of it. In units of what is
// alike.
double distance(const Likeness& a, const Likeness& b) {
  double most = std::abs(a.batch_s - b.batch_s) / kAlikeTime;
  for (std::size_t l = 0; l < kReadLevels; ++l)
    most = std::max(most, std::abs(a.mix.served[l] - b.mix.served[l]) / kAlike);
  return most;
}

struct Group {
  std::size_t first = 0, last = 0;  // epochs, from 0
};

// Neighbours within `reach` of the first of their group.
std::vector<Group> grouped(const std::vector<Likeness>& epochs, double reach) {
  std::vector<Group> groups{{0, 0}};
  for (std::size_t e = 1; e < epochs.size(); ++e) {
    if (distance(epochs[e], epochs[groups.back().first]) <= reach) {
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

}  // namespace

std::string name_of_epochs(double first, double count) {
  return count == 1.0 ? fmt::format("epoch {}", first + 1.0)
                      : fmt::format("epochs {} to {}", first + 1.0, first + count);
}

std::vector<Regime> regimes_of(const Scenario& s) {
  const auto all = static_cast<double>(s.run.epochs);
  const KeyAccess pattern = key_access(s);
  std::vector<EpochMix> epochs;
  if (pattern.keys > 0 && has_levels(s)) {
    epochs = play_epochs(s, s.run.epochs);
  } else {
    epochs.emplace_back();
    for (ReadMix& part : epochs.front().parts) part.served[index_of(ReadLevel::kStorage)] = 1.0;
  }
  std::vector<Likeness> means;
  for (const EpochMix& epoch : epochs) means.push_back(likeness_of(s, epoch.mean()));
  std::vector<Group> groups = grouped(means, 1.0);
  for (double reach = 1.5; groups.size() > kMostRegimes; reach *= 1.5) groups = grouped(means, reach);
  std::vector<Regime> out;
  for (const Group& group : groups) {
    const bool last = group.last + 1 == epochs.size();
    const auto first = static_cast<double>(group.first);
    const double count = (last ? all : static_cast<double>(group.last) + 1.0) - first;
    out.push_back({name_of_epochs(first, count), first, count,
                   mean_of_epochs(epochs, group, all - static_cast<double>(epochs.size()) + 1.0)});
  }
  return out;
}

bool has_kinds_of_reads(const std::vector<Regime>& regimes) {
  return std::any_of(regimes.begin(), regimes.end(), [](const Regime& regime) {
    const ReadMix mean = regime.mix.mean();
    return mean.served[index_of(ReadLevel::kStorage)] < 1.0 || mean.node_fill > 0.0 || mean.regional_fill > 0.0;
  });
}

ReadPlan plan_of_regime(const Scenario& s, const Regime& regime) {
  return has_kinds_of_reads({regime}) ? plan_of_mix(regime.mix.mean(), key_access(s).samples_per_key) : ReadPlan();
}

}  // namespace stallcast
