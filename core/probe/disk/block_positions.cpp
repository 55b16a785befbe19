#include "core/probe/disk/block_positions.h"

#include <algorithm>

#include "core/diagnostics/invariant.h"

namespace stallcast {

BlockPositions::BlockPositions(const Visit& visit, const std::vector<OpenFile>& files)
    : files_(files), block_bytes_(visit.block_bytes), in_sequence_(visit.pattern == AccessPattern::kSequential) {
  std::uint64_t sum = 0;
  for (const OpenFile& file : files_) end_block_.push_back(sum += file.bytes / block_bytes_);
  invariant(sum > 0, "a visit has at least one block to read");
  sequence_ = std::mt19937_64(visit.seed)() % sum;
}

BlockPositions::Position BlockPositions::next(std::mt19937_64& random) {
  const std::uint64_t draw = in_sequence_ ? sequence_.fetch_add(1, std::memory_order_relaxed) : random();
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
