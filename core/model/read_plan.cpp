#include "core/model/read_plan.h"

#include <numeric>

namespace stallcast {

std::vector<LevelCuts> cuts_of(const ReadPlan& plan) {
  std::vector<LevelCuts> cuts;
  cuts.reserve(plan.epochs.size() * EpochMix::kParts);
  for (const EpochMix& epoch : plan.epochs) {
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
