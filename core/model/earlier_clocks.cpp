#include "core/model/earlier_clocks.h"

#include <algorithm>
#include <utility>

namespace stallcast {

double last_of(std::span<const RankAtBarrier> ranks) {
  double last = 0.0;
  for (const RankAtBarrier& rank : ranks) last = std::max(last, rank.total_s());
  return last;
}

double last_of_node(std::span<const RankAtBarrier> ranks, std::size_t node, std::size_t ranks_per_node) {
  return last_of(ranks.subspan(node * ranks_per_node, ranks_per_node));
}

double Lead::gained_in(std::int64_t steps) const {
  const std::size_t back = std::min({static_cast<std::size_t>(std::max<std::int64_t>(0, steps)), steps_, kKept});
  return back == 0 ? 0.0 : now_ - before_[(steps_ - back) % kKept];
}

void Lead::add(double gained_s) {
  if (before_.size() < kKept) before_.push_back(0.0);
  before_[steps_ % kKept] = now_;
  ++steps_;
  now_ += gained_s;
}

void Lead::start_over() {
  before_.clear();
  steps_ = 0;
  now_ = 0.0;
}

EarlierClocks::EarlierClocks(std::size_t nodes, std::size_t ranks_per_node, double kept)
    : ranks_per_node_(ranks_per_node) {
  const std::size_t affordable = std::max(kFewestClocks, kMostRanks / std::max<std::size_t>(1, nodes * ranks_per_node));
  const std::size_t clocks = std::min({nodes, kMostClocks, affordable});
  for (std::size_t c = 0; c < clocks; ++c) {
    // Sizes are whole: as many are rounded up as make the mean `kept`.
    const double up = (static_cast<double>(c) + 0.5) / static_cast<double>(clocks);
    const auto size = std::clamp<std::size_t>(static_cast<std::size_t>(kept + up), 1, nodes);
    Clock clock;
    for (std::size_t i = 0; i < size; ++i) clock.nodes.push_back((c * nodes / clocks + i) % nodes);
    clocks_.push_back(std::move(clock));
  }
}

double EarlierClocks::step(std::span<const RankAtBarrier> ranks, double most_s) {
  const double slowest = last_of(ranks);
  double mean = 0.0;
  for (Clock& clock : clocks_) {
    double its_slowest = 0.0;
    for (const std::size_t node : clock.nodes)
      for (const RankAtBarrier& rank : ranks.subspan(node * ranks_per_node_, ranks_per_node_))
        its_slowest = std::max(its_slowest, rank.sooner(clock.lead.gained_in(rank.ahead)).total_s());
    // No later than that of all nodes, which has more to wait for.
    const double lead_s = std::clamp(clock.lead.now() + slowest - its_slowest, 0.0, std::max(0.0, most_s));
    if (lead_s >= most_s) held_back_sum_ += lead_s / static_cast<double>(clocks_.size());
    clock.lead.add(lead_s - clock.lead.now());
    mean += clock.lead.now() / static_cast<double>(clocks_.size());
  }
  const double gained = mean - mean_lead_;
  mean_lead_ = mean;
  sum_ += mean;
  return gained;
}

void EarlierClocks::start_over() {
  for (Clock& clock : clocks_) clock.lead.start_over();
  mean_lead_ = sum_ = held_back_sum_ = 0.0;
}

}  // namespace stallcast
