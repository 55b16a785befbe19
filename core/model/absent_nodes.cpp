#include "core/model/absent_nodes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stallcast {

double AbsentNodes::wait_after(std::span<const double> node_s) {
  if (absent_ <= 0 || node_s.empty()) return 0.0;
  const double mean = std::accumulate(node_s.begin(), node_s.end(), 0.0) / static_cast<double>(node_s.size());
  for (const double time : node_s) {
    if (excess_.size() < kMost) {
      excess_.push_back(time - mean);
    } else {
      excess_[next_] = time - mean;
      next_ = (next_ + 1) % kMost;
    }
  }
  seen_ += node_s.size();
  if (seen_ >= fitted_at_ + std::max<std::size_t>(fitted_at_ / 4, 4 * node_s.size())) fit();
  const double slowest = *std::max_element(node_s.begin(), node_s.end());
  const double u = std::pow(stream_.uniform(), 1.0 / static_cast<double>(absent_));
  return std::max(0.0, mean + quantile_above(1.0 - u) - slowest);
}

void AbsentNodes::fit() {
  fitted_at_ = seen_;
  sorted_ = excess_;
  std::sort(sorted_.begin(), sorted_.end());
  constexpr std::size_t kFewest = 20;
  exceeding_ = sorted_.size() / 10;
  shape_ = scale_ = 0.0;
  if (exceeding_ < kFewest) {
    exceeding_ = 0;
    return;
  }
  const std::size_t first = sorted_.size() - exceeding_;
  threshold_ = sorted_[first - 1];
  double a0 = 0.0, a1 = 0.0;  // E[Y], E[Y (1 - F)]
  for (std::size_t i = 0; i < exceeding_; ++i) {
    const double y = sorted_[first + i] - threshold_;
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
  if (sorted_.empty()) return 0.0;
  const auto n = static_cast<double>(sorted_.size());
  const auto tail = static_cast<double>(exceeding_);
  if (exceeding_ == 0 || p * n >= tail) {
    const auto at = static_cast<std::size_t>(std::max(0.0, std::ceil((1.0 - p) * n) - 1.0));
    return sorted_[std::min(at, sorted_.size() - 1)];
  }
  const double ratio = p * n / tail;
  if (std::abs(shape_) < 1e-9) return threshold_ - scale_ * std::log(ratio);
  return threshold_ + scale_ / shape_ * (std::pow(ratio, -shape_) - 1.0);
}

}  // namespace stallcast
