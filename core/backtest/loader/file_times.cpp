#include "core/backtest/loader/file_times.h"

#include <algorithm>
#include <cmath>

#include "core/backtest/loader/real_loader.h"

namespace stallcast {

double requests_of(double bytes) { return std::max(1.0, std::ceil(bytes / kLargestRead)); }

double latencies_of(const StorageLaw& law, double bytes) {
  return 1.0 + (requests_of(bytes) - 1.0) * law.sequential_latency_ratio;
}

double file_alone_s(const StorageLaw& law, double open_s, double bytes) {
  return open_s + law.latency_s * latencies_of(law, bytes) + law.request_time_s * requests_of(bytes) +
         bytes * std::max(law.seconds_per_byte, law.stream_seconds_per_byte);
}

double file_among_s(const StorageLaw& law, double open_s, double bytes, std::int64_t readers) {
  const double latency_s = law.latency_s * latencies_of(law, bytes);
  StorageLaw whole = law;
  whole.latency_s = open_s + latency_s;
  whole.held_fraction = whole.latency_s > 0.0 ? law.held_fraction * latency_s / whole.latency_s : 0.0;
  whole.request_time_s = law.request_time_s * requests_of(bytes);
  const auto n = static_cast<double>(readers);
  return n / requests_per_s(whole, AccessPattern::kRandom, n, bytes);
}

}  // namespace stallcast
