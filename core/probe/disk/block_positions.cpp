#include "core/probe/disk/block_positions.h"

#include <algorithm>

#include "core/diagnostics/invariant.h"

namespace stallcast {

BlockPositions::BlockPositions(const Visit& visit, const std::vector<OpenFile>& files)
    : files_(files),
      block_bytes_(visit.block_bytes),
      pattern_(visit.pattern),
      sequence_(visit.pattern == AccessPattern::kStream ? static_cast<std::size_t>(visit.in_flight) : 1) {
  std::uint64_t sum = 0;
  for (const OpenFile& file : files_) end_block_.push_back(sum += file.bytes / block_bytes_);
  invariant(sum > 0, "a visit has at least one block to read");
  const std::uint64_t first = std::mt19937_64(visit.seed)() % sum;
  for (std::size_t i = 0; i < sequence_.size(); ++i) sequence_[i] = first + i * sum / sequence_.size();
}

BlockPositions::Position BlockPositions::next(std::mt19937_64& random, int reader) {
  const std::size_t own = pattern_ == AccessPattern::kStream ? static_cast<std::size_t>(reader) : 0;
  const std::uint64_t draw =
      pattern_ == AccessPattern::kRandom ? random() : sequence_[own].fetch_add(1, std::memory_order_relaxed);
  return at(draw % blocks());  // at most 2^40 blocks, so the remainder favours none by more than 1 in 2^24
}

BlockPositions::Position BlockPositions::at(std::uint64_t block) const {
  const auto end = std::upper_bound(end_block_.begin(), end_block_.end(), block);
  const std::uint64_t before = end == end_block_.begin() ? 0 : *std::prev(end);
  return {files_[static_cast<std::size_t>(end - end_block_.begin())].descriptor, (block - before) * block_bytes_};
}

std::uint64_t block_count(const std::vector<OpenFile>& files, std::uint64_t block_bytes) {
  std::uint64_t sum = 0;
  for (const OpenFile& file : files) sum += file.bytes / block_bytes;
  return sum;
}

}  // namespace stallcast
