#include "core/model/absent_nodes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stallcast {
namespace {

// How much later than the mean the slowest of every other node is, from the `first` on.
double spread_of(std::span<const double> node_s, std::size_t first) {
  double most = 0.0, sum = 0.0, count = 0.0;
  for (std::size_t i = first; i < node_s.size(); i += 2) {
    most = std::max(most, node_s[i]);
    sum += node_s[i];
    count += 1.0;
  }
  return most - sum / count;
}

}  // namespace

double AbsentNodes::wait_after(std::span<const RankAtBarrier> ranks, double before_s, double spare_s) {
  if (absent_ <= 0 || ranks.empty()) return 0.0;
  nodes_ = ranks.size() / ranks_per_node_;
  alone_.clear();
  for (const RankAtBarrier& rank : ranks) alone_.push_back(rank.sooner(lead_.gained_in(rank.ahead)));
  node_s_.clear();
  for (std::size_t n = 0; n < nodes_; ++n) node_s_.push_back(last_of_node(alone_, n, ranks_per_node_));
  const double more_wanted_s = leave_out(spare_s);
  learn(before_s);
  const Law* const law = law_after(before_s);
  left_out_ = nodes_ >= kFewestLeftOutOf && (law == nullptr || law->step_says_spread);
  const double slowest = last_of(ranks), slowest_alone = *std::max_element(node_s_.begin(), node_s_.end());
  double wait_s = 0.0;
  if (left_out_) {
    wanted_s_ += more_wanted_s;
    wait_s = wanted_s_ - (lead_.now() + slowest - slowest_alone);
  } else if (law != nullptr) {
    wait_s = drawn(*law) - slowest;
  }
  constexpr double kRounding = 1e-9;
  if (wait_s < kRounding) wait_s = 0.0;
  lead_.add(slowest - slowest_alone + wait_s);
  if (!left_out_) wanted_s_ = lead_.now();
  return wait_s;
}

// How much more the simulated nodes' own clock would be ahead of the run's if absent nodes cost what those that are
// left out would save.
double AbsentNodes::leave_out(double spare_s) {
  const auto n = static_cast<double>(nodes_), m = static_cast<double>(absent_);
  if (!fewer_) {
    const double kept = std::max(1.0, m <= n ? n * n / (n + m) : 0.5 * n);
    fewer_.emplace(nodes_, ranks_per_node_, kept);
    fewest_.emplace(nodes_, ranks_per_node_, std::max(1.0, kept * kept / n));
  }
  const double most_s = spare_s - lead_.now(), gained = fewer_->step(alone_, most_s);
  fewest_->step(alone_, most_s);
  return times_left_out() * gained;
}

// What the absent nodes cost over what those that are left out would save. The latest growth of the nodes by that part
// costs so many times what the one before it did; few steps hardly tell, nor do clocks that the storage held back. Of
// more than one doubling each costs no more than the one before.
double AbsentNodes::times_left_out() const {
  constexpr double kMost = 2.0, kStepsThatTell = 16.0;
  const auto n = static_cast<double>(nodes_), m = static_cast<double>(absent_), steps = static_cast<double>(steps_);
  const double latest = fewer_->sum(), before = fewest_->sum() - latest;
  const double seen = before > 0.0 ? std::clamp(latest / before, 0.0, kMost) : 1.0;
  const double free = fewest_->sum() > 0.0 ? 1.0 - fewest_->held_back_sum() / fewest_->sum() : 1.0;
  const double grows = 1.0 + free * steps / (steps + kStepsThatTell) * (seen - 1.0);
  if (m <= n) return grows;
  const double later = std::min(1.0, grows), more = std::log2((n + m) / n) - 1.0;
  return grows * (1.0 + (later < 1.0 ? later * (1.0 - std::pow(later, more)) / (1.0 - later) : more));
}

// When the slowest absent node is there. It has waited for its batch while all waited for others.
double AbsentNodes::drawn(const Law& law) {
  const double u = std::pow(stream_.uniform(), 1.0 / static_cast<double>(absent_));
  const double mean = law.expected(std::accumulate(node_s_.begin(), node_s_.end(), 0.0) / static_cast<double>(nodes_));
  const double late_s = law.quantile_above(1.0 - u), unready = late_s_ > 0.0 ? unready_s_ / late_s_ : 0.0;
  return mean + late_s - std::clamp(late_s * unready, 0.0, std::max(0.0, overlap_s_));
}

void AbsentNodes::learn(double before_s) {
  if (nodes_ >= kFewestLeftOutOf && absent_ <= static_cast<std::int64_t>(nodes_)) {  // leaving out says all
    ++steps_;
    return;
  }
  const std::size_t place = steps_ % kMostSteps;
  if (place == before_.size()) {
    times_.resize(times_.size() + nodes_);
    before_.push_back(0.0);
  }
  std::copy(node_s_.begin(), node_s_.end(), times_.begin() + static_cast<std::ptrdiff_t>(place * nodes_));
  before_[place] = before_s;
  const auto last = std::max_element(alone_.begin(), alone_.end(), [](const RankAtBarrier& a, const RankAtBarrier& b) {
    return a.total_s() < b.total_s();
  });
  const double mean = std::accumulate(node_s_.begin(), node_s_.end(), 0.0) / static_cast<double>(nodes_);
  overlap_s_ = lead_.gained_in(last->ahead);
  late_s_ += last->total_s() - mean;
  unready_s_ += std::clamp(-last->slack_s, 0.0, last->total_s() - mean);
  ++steps_;
  if (steps_ >= fitted_at_ + std::clamp<std::size_t>(fitted_at_, 2, std::max<std::size_t>(fitted_at_ / 4, 8))) fit();
}

// Null where none has been learnt.
const AbsentNodes::Law* AbsentNodes::law_after(double before_s) const {
  const auto holds = [before_s](const Law& law) { return before_s <= law.before_s; };
  const auto law = std::find_if(laws_.begin(), laws_.end(), holds);
  return law != laws_.end() ? &*law : laws_.empty() ? nullptr : &laws_.back();
}

void AbsentNodes::start_over() {
  times_.clear();
  before_.clear();
  laws_.clear();
  steps_ = fitted_at_ = 0;
  lead_.start_over();
  if (fewer_) fewer_->start_over();
  if (fewest_) fewest_->start_over();
  wanted_s_ = late_s_ = unready_s_ = 0.0;
}

void AbsentNodes::fit() {
  fitted_at_ = steps_;
  const std::size_t used = std::min(kMostSteps, std::max<std::size_t>(1, steps_ / 2));
  std::vector<std::size_t> places(used);
  for (std::size_t back = 0; back < used; ++back) places[back] = (steps_ - 1 - back) % kMostSteps;
  std::sort(places.begin(), places.end(), [this](std::size_t a, std::size_t b) { return before_[a] < before_[b]; });
  // As many laws as are learnt from enough steps each; steps with the same before them have one law.
  constexpr std::size_t kEnough = 300, kMostLaws = 6;  // times of a node
  const std::size_t laws = std::clamp<std::size_t>(used * nodes_ / kEnough, 1, kMostLaws);
  laws_.clear();
  for (std::size_t from = 0, to = 0; from < used; from = to) {
    to = std::min(used, from + std::max<std::size_t>(1, used / laws));
    while (to < used && before_[places[to]] == before_[places[to - 1]]) ++to;
    if (used - to < used / laws / 2) to = used;
    laws_.push_back(law_of(std::span(places).subspan(from, to - from)));
  }
}

// Of the steps at `places`, which are in order of what was before them.
AbsentNodes::Law AbsentNodes::law_of(std::span<const std::size_t> places) {
  const auto n = static_cast<double>(nodes_), used = static_cast<double>(places.size());
  Law law;
  law.before_s = before_[places.back()];
  std::vector<double> step_means;
  double within = 0.0;
  for (const std::size_t place : places) {
    const std::span<const double> step = times_at(place);
    const double mean = std::accumulate(step.begin(), step.end(), 0.0) / n;
    for (const double time : step) within += (time - mean) * (time - mean);
    step_means.push_back(mean);
    law.mean += mean / used;
  }
  double between = 0.0;
  for (const double mean : step_means) between += (mean - law.mean) * (mean - law.mean);
  const double within_variance = nodes_ > 1 ? within / (used * (n - 1.0)) : 0.0;
  const double mean_variance = places.size() > 1 ? between / (used - 1.0) : 0.0;
  const double common = std::max(0.0, mean_variance - within_variance / n);
  // Few steps do not tell: what they bring is then taken to be all nodes'.
  constexpr std::size_t kTell = 4;
  if (places.size() >= kTell) law.share_of_step = mean_variance > 0.0 ? common / std::max(mean_variance, common) : 0.0;
  for (std::size_t i = 0; i < places.size(); ++i)
    for (const double time : times_at(places[i])) law.excess.push_back(time - law.expected(step_means[i]));
  std::sort(law.excess.begin(), law.excess.end());
  law.fit_tail();
  law.step_says_spread = step_says_spread(places);
  return law;
}

std::span<const double> AbsentNodes::times_at(std::size_t place) const {
  return std::span<const double>(times_).subspan(place * nodes_, nodes_);
}

// Whether the spreads of two halves of the nodes go together over the steps, by more than chance. Of few steps it is
// not known that they do not.
bool AbsentNodes::step_says_spread(std::span<const std::size_t> places) const {
  constexpr std::size_t kTell = 32;
  constexpr double kTogether = 0.1;  // correlation
  if (places.size() < kTell) return true;
  const auto steps = static_cast<double>(places.size());
  double sum_a = 0.0, sum_b = 0.0, sum_aa = 0.0, sum_bb = 0.0, sum_ab = 0.0;
  for (const std::size_t place : places) {
    const double a = spread_of(times_at(place), 0), b = spread_of(times_at(place), 1);
    sum_a += a;
    sum_b += b;
    sum_aa += a * a;
    sum_bb += b * b;
    sum_ab += a * b;
  }
  const double variances = (sum_aa - sum_a * sum_a / steps) * (sum_bb - sum_b * sum_b / steps);
  const double covariance = sum_ab - sum_a * sum_b / steps;
  return variances > 0.0 && covariance >= (kTogether + 1.0 / std::sqrt(steps)) * std::sqrt(variances);
}

void AbsentNodes::Law::fit_tail() {
  constexpr std::size_t kFewest = 20;
  if (excess.size() / 10 < kFewest) return;
  exceeding = excess.size() / 10;
  const std::size_t first = excess.size() - exceeding;
  threshold = excess[first - 1];
  double a0 = 0.0, a1 = 0.0;  // E[Y], E[Y (1 - F)]
  for (std::size_t i = 0; i < exceeding; ++i) {
    const double y = excess[first + i] - threshold;
    const double below = (static_cast<double>(i + 1) - 0.35) / static_cast<double>(exceeding);
    a0 += y;
    a1 += y * (1.0 - below);
  }
  a0 /= static_cast<double>(exceeding);
  a1 /= static_cast<double>(exceeding);
  if (a0 <= 0.0 || a0 - 2.0 * a1 <= 0.0) return;
  shape = std::clamp(2.0 - a0 / (a0 - 2.0 * a1), -1.0, 0.5);
  scale = a0 * (1.0 - shape);  // keeps the mean, also where the shape was held
}

// What a share p of all nodes takes more than.
double AbsentNodes::Law::quantile_above(double p) const {
  if (excess.empty()) return 0.0;
  const auto n = static_cast<double>(excess.size());
  const auto tail = static_cast<double>(exceeding);
  if (exceeding == 0 || p * n >= static_cast<double>(kFewestBeyond)) {
    const auto at = static_cast<std::size_t>(std::max(0.0, std::ceil((1.0 - p) * n) - 1.0));
    return excess[std::min(at, excess.size() - 1)];
  }
  const double ratio = p * n / tail;
  if (std::abs(shape) < 1e-9) return threshold - scale * std::log(ratio);
  return threshold + scale / shape * (std::pow(ratio, -shape) - 1.0);
}

}  // namespace stallcast
