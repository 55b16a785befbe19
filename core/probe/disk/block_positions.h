// Which block of which file a request reads.
#pragma once

#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

#include "core/probe/disk/read_engine.h"

namespace stallcast {

class BlockPositions {
 public:
  struct Position {
    int descriptor = -1;
    std::uint64_t offset = 0;
  };

  // The whole blocks of `files`, one file after the other. A sequence begins at a block that `visit.seed` chooses; of
  // streams each has a sequence, and they begin equally far apart.
  BlockPositions(const Visit& visit, const std::vector<OpenFile>& files);

  // The next block of the sequence (of `reader`'s own, when these are streams), from the start again after the last;
  // or any block with the same probability. Other readers may ask at the same time.
  Position next(std::mt19937_64& random, int reader = 0);
  std::uint64_t blocks() const { return end_block_.empty() ? 0 : end_block_.back(); }

 private:
  Position at(std::uint64_t block) const;

  const std::vector<OpenFile>& files_;
  std::uint64_t block_bytes_;
  AccessPattern pattern_;
  std::vector<std::uint64_t> end_block_;              // running sum of the blocks of the files
  std::vector<std::atomic<std::uint64_t>> sequence_;  // the next block: of all readers, or of each stream
};

// Blocks of `block_bytes` in `files`.
std::uint64_t block_count(const std::vector<OpenFile>& files, std::uint64_t block_bytes);

}  // namespace stallcast
