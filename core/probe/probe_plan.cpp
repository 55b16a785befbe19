#include "core/probe/probe_plan.h"

#include <algorithm>

#include "core/units/binary_multiples.h"

namespace stallcast {
namespace {

constexpr double kShareOfAPoint = 1.0 / 16.0;
constexpr double kFewestReads = 256.0;
constexpr double kWindowsOfAStream = 4.0, kLeastBytesOfStreams = 32.0 * kKiB * kKiB;
constexpr int kMostStreams = 64;

bool is_affordable(double bytes, double block_bytes, int in_flight) {
  return visit_bytes(block_bytes, in_flight, kFewestRequests) <= kShareOfAPoint * bytes;
}

std::vector<int> doubled(const PlanInput& input, double block_bytes, int most) {
  std::vector<int> counts;
  for (int n = 1; n <= std::min(most, input.max_in_flight) && is_affordable(input.bytes, block_bytes, n); n *= 2)
    counts.push_back(n);
  return counts;
}

bool has_block(const PlanInput& input, double block_bytes) {
  return block_bytes <= static_cast<double>(input.largest_block_bytes) && kFewestReads * block_bytes <= input.bytes;
}

// The smallest requests say what a request costs, those of 1 MiB what a byte costs, whole files are what loaders read;
// the others say how one becomes the other.
int importance_of(const Ladder& ladder) {
  if (ladder.pattern == AccessPattern::kWholeFile) return 5;
  if (ladder.pattern == AccessPattern::kSequential) return 0;
  if (ladder.pattern == AccessPattern::kStream) return 5;
  switch (ladder.block_bytes) {
    case 4 << 10:
      return 7;
    case 1 << 20:
      return 6;
    case 64 << 10:
      return 4;
    case 256 << 10:
      return 3;
    default:
      return 2;
  }
}

void add(std::vector<Ladder>& ladders, Ladder ladder) {
  ladder.importance = importance_of(ladder);
  if (!ladder.in_flight.empty()) ladders.push_back(std::move(ladder));
}

}  // namespace

double wanted_requests(double block_bytes) { return std::clamp(32.0 * kKiB * kKiB / block_bytes, 16.0, 8192.0); }

double visit_bytes(double block_bytes, int in_flight, double requests) {
  return (2.0 * in_flight + requests) * block_bytes;
}

double wanted_stream_bytes(int streams, double read_ahead_bytes) {
  return std::max(kLeastBytesOfStreams, streams * kWindowsOfAStream * read_ahead_bytes);
}

std::vector<Ladder> plan_ladders(const PlanInput& input) {
  std::vector<Ladder> ladders;
  double largest = 0.0;
  for (const double block : {4 * kKiB, 64 * kKiB, 256 * kKiB, 1024 * kKiB, 4096 * kKiB}) {
    if (!has_block(input, block)) continue;
    largest = std::min(block, 1024 * kKiB);
    add(ladders, {AccessPattern::kRandom, static_cast<std::uint64_t>(block), doubled(input, block, 1024)});
  }
  if (largest > 64 * kKiB) add(ladders, {AccessPattern::kSequential, 65536, doubled(input, 64 * kKiB, 1), false});
  if (largest > 0.0) {
    const auto block = static_cast<std::uint64_t>(largest);
    add(ladders, {AccessPattern::kSequential, block, doubled(input, largest, 4), false});
  }
  Ladder streams{AccessPattern::kStream, 131072, {}};
  for (int n = 1; n <= std::min(kMostStreams, input.max_in_flight); n *= 2) {
    const double bytes = wanted_stream_bytes(n, input.read_ahead_bytes);
    if (bytes <= std::min(kShareOfAPoint * input.bytes, input.stream_bytes)) streams.in_flight.push_back(n);
  }
  add(ladders, std::move(streams));
  if (input.whole_file_bytes > 0.0) {
    const int most = static_cast<int>(std::min<std::size_t>(input.whole_files, 1024));
    add(ladders, {AccessPattern::kWholeFile, static_cast<std::uint64_t>(input.whole_file_bytes),
                  doubled(input, input.whole_file_bytes, most)});
  }
  return ladders;
}

}  // namespace stallcast
