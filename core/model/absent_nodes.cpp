#include "core/model/absent_nodes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace stallcast {
namespace {

// When the slowest of `kept` nodes is there, in the mean over all that these can be; a part of a node is the chance
// that it is one more.
// **Range** 1 <= `kept` <= number of nodes
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): times, and how many of them
double mean_slowest(std::span<const double> slowest_first, double kept) {
  const auto n = static_cast<double>(slowest_first.size()), whole = std::floor(kept);
  double sum = 0.0, fewer_late = 1.0, more_late = 1.0;  // chance that all that are slower are left out
  for (std::size_t j = 0; j < slowest_first.size(); ++j) {
    const double others = n - static_cast<double>(j);  // that are not slower than those before
    const double fewer = std::min(1.0, whole / others), more = std::min(1.0, (whole + 1.0) / others);
    const double is_slowest = (1.0 - (kept - whole)) * fewer_late * fewer + (kept - whole) * more_late * more;
    sum += is_slowest * slowest_first[j];
    fewer_late *= 1.0 - fewer;
    more_late *= 1.0 - more;
  }
  return sum;
}

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

double half_of(double nodes) { return nodes - std::floor(0.5 * nodes); }

}  // namespace

double AbsentNodes::wait_after(std::span<const double> node_s, double before_s) {
  if (absent_ <= 0 || node_s.empty()) return 0.0;
  nodes_ = node_s.size();
  const auto n = static_cast<double>(nodes_), m = static_cast<double>(absent_);
  const std::size_t place = steps_ % kMostSteps;
  if (place == before_.size()) {
    times_.resize(times_.size() + nodes_);
    before_.push_back(0.0);
  }
  std::copy(node_s.begin(), node_s.end(), times_.begin() + static_cast<std::ptrdiff_t>(place * nodes_));
  before_[place] = before_s;
  ++steps_;
  if (steps_ >= fitted_at_ + std::clamp<std::size_t>(fitted_at_, 2, std::max<std::size_t>(fitted_at_ / 4, 8))) fit();
  const double u = std::pow(stream_.uniform(), 1.0 / m);
  const Law* const law = law_after(before_s);
  const double slowest = *std::max_element(node_s.begin(), node_s.end());
  const double times = law != nullptr ? law->of_left_out : of_left_out({});
  left_out_ = times > 0.0;
  if (left_out_) {
    const double kept = m <= n ? n * n / (n + m) : half_of(n);
    return times * (slowest - mean_slowest(slowest_first(node_s), kept));
  }
  if (law == nullptr) return 0.0;
  const double step_mean = std::accumulate(node_s.begin(), node_s.end(), 0.0) / n;
  return std::max(0.0, law->expected(step_mean) + law->quantile_above(1.0 - u) - slowest);
}

// Null where none has been learnt.
const AbsentNodes::Law* AbsentNodes::law_after(double before_s) const {
  const auto holds = [before_s](const Law& law) { return before_s <= law.before_s; };
  const auto law = std::find_if(laws_.begin(), laws_.end(), holds);
  return law != laws_.end() ? &*law : laws_.empty() ? nullptr : &laws_.back();
}

std::span<const double> AbsentNodes::slowest_first(std::span<const double> node_s) {
  sorted_.assign(node_s.begin(), node_s.end());
  std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
  return sorted_;
}

void AbsentNodes::start_over() {
  times_.clear();
  before_.clear();
  laws_.clear();
  steps_ = fitted_at_ = 0;
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
  law.of_left_out = of_left_out(places);
  return law;
}

std::span<const double> AbsentNodes::times_at(std::size_t place) const {
  return std::span<const double>(times_).subspan(place * nodes_, nodes_);
}

// How many times the lead of those that are left out the absent nodes are late; 0 = the excess of each node says it.
double AbsentNodes::of_left_out(std::span<const std::size_t> places) {
  if (nodes_ < kFewestLeftOutOf) return 0.0;
  const auto n = static_cast<double>(nodes_), m = static_cast<double>(absent_);
  const double grows = growth(places), doublings = std::log2((n + m) / n);
  if (m <= n) return std::pow(grows, doublings);
  if (!step_says_spread(places)) return 0.0;
  const double later = std::min(1.0, grows), more = doublings - 1.0;
  const double sum = 1.0 + (later < 1.0 ? later * (1.0 - std::pow(later, more)) / (1.0 - later) : more);
  return grows * sum / std::log2(n / half_of(n));
}

// What the latest doubling of the nodes adds to the slowest, over what the one before it did: from half of the
// simulated nodes to all, and from a quarter to half. Few steps hardly count.
double AbsentNodes::growth(std::span<const std::size_t> places) {
  constexpr double kMost = 2.0, kStepsThatTell = 16.0;
  const auto n = static_cast<double>(nodes_), steps = static_cast<double>(places.size());
  const double half = half_of(n), quarter = std::max(1.0, std::floor(0.5 * half));
  double from_half = 0.0, from_quarter = 0.0;
  for (const std::size_t place : places) {
    const std::span<const double> sorted = slowest_first(times_at(place));
    const double with_half = mean_slowest(sorted, half);
    from_half += sorted.front() - with_half;
    from_quarter += with_half - mean_slowest(sorted, quarter);
  }
  if (from_quarter <= 0.0) return 1.0;
  const double seen = from_half / std::log2(n / half) / (from_quarter / std::log2(half / quarter));
  return 1.0 + steps / (steps + kStepsThatTell) * (std::min(kMost, seen) - 1.0);
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
