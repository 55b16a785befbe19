#include "core/model/represented.h"

#include <algorithm>
#include <cmath>

#include "core/scenario/run_length.h"

namespace stallcast {
namespace {

template <class Rate>
void scale(Rate& rate, double share) {
  rate = rate * share;
}

void scale_shared(StorageSpec& tier, double share) {
  scale(tier.read_bandwidth, share);
  scale(tier.write_bandwidth, share);
  scale(tier.burst_bandwidth, share);
  scale(tier.burst_credit, share);
  scale(tier.read_iops, share);
  scale(tier.write_iops, share);
  scale(tier.metadata_rate, share);
}

void scale_shared(CacheSpec& cache, double share) {
  scale(cache.read_bandwidth, share);
  scale(cache.write_bandwidth, share);
}

}  // namespace

Scenario represented(const Scenario& scenario, const Representatives& group) {
  Scenario s = scenario;
  if (group.all()) return s;
  const double share = group.share();
  const auto samples = static_cast<double>(s.dataset.samples);
  s.run.steps_per_epoch = static_cast<std::int64_t>(epoch_steps(scenario));
  if (s.dataset.shards_per_rank == 0 && samples > 0.0)
    s.dataset.shards_per_rank = std::max<std::int64_t>(1, s.dataset.samples / s.dataset.samples_per_shard / s.ranks());
  s.dataset.samples = static_cast<std::int64_t>(std::ceil(samples * share));
  s.cluster.nodes = group.nodes;
  scale_shared(s.server_cache, share);
  scale_shared(s.regional_cache, share);
  scale_shared(s.origin, share);
  if (s.storage.scope == TierScope::kShared) {
    scale_shared(s.storage, share);
    scale(s.staging.bandwidth, share);
    scale(s.staging.files_per_s, share);
  }
  return s;
}

}  // namespace stallcast
