#include "core/model/absent_nodes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stallcast {

double AbsentNodes::wait_after(std::span<const double> node_s) {
  if (absent_ <= 0 || node_s.empty()) return 0.0;
  nodes_ = node_s.size();
  if (times_.size() < kMostSteps * nodes_) {
    times_.insert(times_.end(), node_s.begin(), node_s.end());
  } else {
    std::copy(node_s.begin(), node_s.end(), times_.begin() + static_cast<std::ptrdiff_t>(steps_ % kMostSteps * nodes_));
  }
  ++steps_;
  if (steps_ >= fitted_at_ + std::clamp<std::size_t>(fitted_at_, 2, std::max<std::size_t>(fitted_at_ / 4, 8))) fit();
  const double step_mean = std::accumulate(node_s.begin(), node_s.end(), 0.0) / static_cast<double>(nodes_);
  const double slowest = *std::max_element(node_s.begin(), node_s.end());
  const double u = std::pow(stream_.uniform(), 1.0 / static_cast<double>(absent_));
  if (excess_.empty()) return 0.0;
  const double expected = mean_ + share_of_step_ * (step_mean - mean_);
  return std::max(0.0, expected + quantile_above(1.0 - u) - slowest);
}

void AbsentNodes::start_over() {
  times_.clear();
  excess_.clear();
  steps_ = fitted_at_ = 0;
}

void AbsentNodes::fit() {
  fitted_at_ = steps_;
  const std::size_t used = std::min(kMostSteps, std::max<std::size_t>(1, steps_ / 2));
  const auto n = static_cast<double>(nodes_);
  std::vector<double> step_means;
  double within = 0.0;
  mean_ = 0.0;
  const auto step_at = [&](std::size_t back) {  // `back` steps ago
    const std::size_t at = (steps_ - 1 - back) % kMostSteps;
    return std::span<const double>(times_).subspan(at * nodes_, nodes_);
  };
  for (std::size_t back = 0; back < used; ++back) {
    const std::span<const double> step = step_at(back);
    const double mean = std::accumulate(step.begin(), step.end(), 0.0) / n;
    for (const double time : step) within += (time - mean) * (time - mean);
    step_means.push_back(mean);
    mean_ += mean / static_cast<double>(used);
  }
  double between = 0.0;
  for (const double mean : step_means) between += (mean - mean_) * (mean - mean_);
  const double within_variance = nodes_ > 1 ? within / (static_cast<double>(used) * (n - 1.0)) : 0.0;
  const double mean_variance = used > 1 ? between / static_cast<double>(used - 1) : 0.0;
  const double common = std::max(0.0, mean_variance - within_variance / n);
  // Few steps do not tell: what they bring is then taken to be all nodes'.
  constexpr std::size_t kTell = 4;
  share_of_step_ = used < kTell ? 1.0 : mean_variance > 0.0 ? common / std::max(mean_variance, common) : 0.0;
  excess_.clear();
  for (std::size_t back = 0; back < used; ++back) {
    const double expected = mean_ + share_of_step_ * (step_means[back] - mean_);
    for (const double time : step_at(back)) excess_.push_back(time - expected);
  }
  std::sort(excess_.begin(), excess_.end());
  constexpr std::size_t kFewest = 20;
  exceeding_ = excess_.size() / 10;
  shape_ = scale_ = 0.0;
  if (exceeding_ < kFewest) {
    exceeding_ = 0;
    return;
  }
  const std::size_t first = excess_.size() - exceeding_;
  threshold_ = excess_[first - 1];
  double a0 = 0.0, a1 = 0.0;  // E[Y], E[Y (1 - F)]
  for (std::size_t i = 0; i < exceeding_; ++i) {
    const double y = excess_[first + i] - threshold_;
    const double below = (static_cast<double>(i + 1) - 0.35) / static_cast<double>(exceeding_);
    a0 += y;
    a1 += y * (1.0 - below);
  }
  a0 /= static_cast<double>(exceeding_);
  a1 /= static_cast<double>(exceeding_);
  if (a0 <= 0.0 || a0 - 2.0 * a1 <= 0.0) return;
  shape_ = std::clamp(2.0 - a0 / (a0 - 2.0 * a1), -1.0, 0.5);
  scale_ = a0 * (1.0 - shape_);  // keeps the mean, also where the shape was held
}

// What a share p of all nodes takes more than.
double AbsentNodes::quantile_above(double p) const {
  if (excess_.empty()) return 0.0;
  const auto n = static_cast<double>(excess_.size());
  const auto tail = static_cast<double>(exceeding_);
  if (exceeding_ == 0 || p * n >= static_cast<double>(kFewestBeyond)) {
    const auto at = static_cast<std::size_t>(std::max(0.0, std::ceil((1.0 - p) * n) - 1.0));
    return excess_[std::min(at, excess_.size() - 1)];
  }
  const double ratio = p * n / tail;
  if (std::abs(shape_) < 1e-9) return threshold_ - scale_ * std::log(ratio);
  return threshold_ + scale_ / shape_ * (std::pow(ratio, -shape_) - 1.0);
}

}  // namespace stallcast
