#include "core/analytic/collective.h"

namespace stallcast {

Seconds all_reduce_time(Bytes gradients, std::int64_t nodes, std::int64_t gpus_per_node, BytesPerSecond link) {
  if (nodes < 2 || gradients.base() <= 0.0 || link.base() <= 0.0) return seconds(0);
  const auto n = static_cast<double>(nodes);
  return 2.0 * (n - 1.0) / n * (gradients / static_cast<double>(gpus_per_node) / link);
}

}  // namespace stallcast
