#include "core/model/storage/read_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stallcast {

ReadPlan plan_of_mix(const ReadMix& mix, std::int64_t samples_per_key) {
  ReadPlan plan;
  plan.mixes.emplace_back();
  for (ReadMix& part : plan.mixes.front().parts) part = mix;
  plan.sweeps.emplace_back();
  plan.samples_per_key = samples_per_key;
  return plan;
}

double counted_samples(const Scenario& s, const EpochCourse& epoch) {
  if (s.loader.style == LoaderStyle::kIterable && epoch.shards > 0)
    return static_cast<double>(epoch.shards * epoch.samples_of_file(s));
  return static_cast<double>(epoch.batches) * static_cast<double>(s.workload.batch_size);
}

Sweeps::Sweeps(const ReadPlan& plan) : sweeps_(plan.sweeps) {
  double first = 0.0;
  for (const ReadPlan::Sweep& sweep : sweeps_) {
    first_.push_back(first);
    first += sweep.samples;
    alike_ = alike_ && sweep.samples == sweeps_.front().samples;
  }
}

Sweeps::Place Sweeps::place_of(std::int64_t number) const {
  const auto at = static_cast<double>(number);
  std::size_t sweep = 0;
  double within = 0.0;
  if (alike_) {
    const double whole = std::floor(at / sweeps_.front().samples);
    sweep = std::min(static_cast<std::size_t>(whole), sweeps_.size() - 1);
    within = at - whole * sweeps_.front().samples;
  } else {
    const auto after = std::upper_bound(first_.begin(), first_.end(), at);
    sweep = static_cast<std::size_t>(after - first_.begin()) - 1;
    within = at - first_[sweep];
    const double samples = sweeps_[sweep].samples;
    if (within >= samples) within -= std::floor(within / samples) * samples;
  }
  const ReadPlan::Sweep& s = sweeps_[sweep];
  if (s.samples == s.stands_for) return {s.mix, within / s.samples};
  double position = within;
  if (within >= s.samples - s.tail) {
    position = s.stands_for - (s.samples - within);
  } else if (within > s.head) {
    position = s.head + (within - s.head) * (s.stands_for - s.head - s.tail) / (s.samples - s.head - s.tail);
  }
  return {s.mix, position / s.stands_for};
}

std::vector<LevelCuts> cuts_of(const ReadPlan& plan) {
  std::vector<LevelCuts> cuts;
  cuts.reserve(plan.mixes.size() * EpochMix::kParts);
  for (const EpochMix& epoch : plan.mixes) {
    for (const ReadMix& part : epoch.parts) {
      LevelCuts& cut = cuts.emplace_back();
      std::partial_sum(part.served.begin(), part.served.end(), cut.upto.begin());
      const double beyond = 1.0 - cut.upto[index_of(ReadLevel::kPeerCache)];
      cut.fills_node = beyond > 0.0 ? part.node_fill / beyond : 0.0;
    }
  }
  return cuts;
}

}  // namespace stallcast
