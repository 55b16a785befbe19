#include "core/model/absent_nodes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stallcast {

double AbsentNodes::wait_after(std::span<const double> node_s, double before_s) {
  if (absent_ <= 0 || node_s.empty()) return 0.0;
  nodes_ = node_s.size();
  const std::size_t place = steps_ % kMostSteps;
  if (place == before_.size()) {
    times_.resize(times_.size() + nodes_);
    before_.push_back(0.0);
  }
  std::copy(node_s.begin(), node_s.end(), times_.begin() + static_cast<std::ptrdiff_t>(place * nodes_));
  before_[place] = before_s;
  ++steps_;
  if (steps_ >= fitted_at_ + std::clamp<std::size_t>(fitted_at_, 2, std::max<std::size_t>(fitted_at_ / 4, 8))) fit();
  const double step_mean = std::accumulate(node_s.begin(), node_s.end(), 0.0) / static_cast<double>(nodes_);
  const double slowest = *std::max_element(node_s.begin(), node_s.end());
  const double u = std::pow(stream_.uniform(), 1.0 / static_cast<double>(absent_));
  if (laws_.empty()) return 0.0;
  auto law = laws_.begin();
  while (law + 1 != laws_.end() && before_s > law->before_s) ++law;
  return std::max(0.0, law->expected(step_mean) + law->quantile_above(1.0 - u) - slowest);
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
AbsentNodes::Law AbsentNodes::law_of(std::span<const std::size_t> places) const {
  const auto n = static_cast<double>(nodes_), used = static_cast<double>(places.size());
  const auto step_at = [this](std::size_t place) {
    return std::span<const double>(times_).subspan(place * nodes_, nodes_);
  };
  Law law;
  law.before_s = before_[places.back()];
  std::vector<double> step_means;
  double within = 0.0;
  for (const std::size_t place : places) {
    const std::span<const double> step = step_at(place);
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
    for (const double time : step_at(places[i])) law.excess.push_back(time - law.expected(step_means[i]));
  std::sort(law.excess.begin(), law.excess.end());
  law.fit_tail();
  return law;
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
