#include "core/model/loader/loader_costs.h"

#include <algorithm>

namespace stallcast {

double cost_s(const LinearCost& cost, std::int64_t workers) {
  return std::max(0.0, (cost.base + cost.per_worker * static_cast<double>(workers)).base());
}

double hand_over_s(const LoaderSpec& loader, SimTime idle) {
  const auto& curve = loader.next_ready;
  if (curve.empty()) return 0.0;
  const double gap = to_seconds(idle);
  if (gap <= curve.front().gap.base()) return curve.front().time.base();
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const double x0 = curve[i - 1].gap.base(), x1 = curve[i].gap.base();
    if (gap <= x1)
      return curve[i - 1].time.base() + (curve[i].time.base() - curve[i - 1].time.base()) * (gap - x0) / (x1 - x0);
  }
  return curve.back().time.base();
}

double first_batch_extra_s(const LoaderSpec& loader) {
  const std::int64_t n = loader.num_workers;
  const bool one_by_one = loader.style != LoaderStyle::kThreads && loader.start_method == StartMethod::kFork;
  const double started = std::max(cost_s(loader.start_call, n), cost_s(loader.start_ready, one_by_one ? 1 : n));
  return std::max(0.0,
                  cost_s(loader.start_first, n) - started - hand_over_s(loader, 0) - loader.worker_batch_cpu.base());
}

}  // namespace stallcast
