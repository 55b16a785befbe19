#include "core/probe/disk/block_positions.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

namespace stallcast {
namespace {

// 10000 bytes hold 2 blocks of 4096, 4095 none, 8192 two: 4 in all.
const std::vector<OpenFile> kFiles = {{7, 10000}, {8, 4095}, {9, 8192}};

TEST(BlockPositions, ASequenceReadsEveryBlockOnceAndThenStartsAgain) {
  BlockPositions positions({AccessPattern::kSequential, 4096, 1, 5}, kFiles);
  std::mt19937_64 random(1);
  ASSERT_EQ(positions.blocks(), 4u);
  std::map<std::pair<int, std::uint64_t>, int> read;
  for (int i = 0; i < 8; ++i) {
    const BlockPositions::Position at = positions.next(random);
    ++read[{at.descriptor, at.offset}];
  }
  const std::map<std::pair<int, std::uint64_t>, int> twice_each = {
      {{7, 0}, 2}, {{7, 4096}, 2}, {{9, 0}, 2}, {{9, 4096}, 2}};
  EXPECT_EQ(read, twice_each);
}

TEST(BlockPositions, ASequenceGoesForwardInAFile) {
  const std::vector<OpenFile> file = {{3, 100 * 4096}};
  BlockPositions positions({AccessPattern::kSequential, 4096, 1, 11}, file);
  std::mt19937_64 random(1);
  std::uint64_t last = positions.next(random).offset;
  for (int i = 0; i < 250; ++i) {
    const std::uint64_t offset = positions.next(random).offset;
    EXPECT_EQ(offset, (last + 4096) % (100 * 4096));
    last = offset;
  }
}

// 100 blocks for 4 streams: they begin 25 apart and each goes forward by itself.
TEST(BlockPositions, StreamsBeginFarApartAndGoForwardEach) {
  const std::vector<OpenFile> file = {{3, 100 * 4096}};
  BlockPositions positions({AccessPattern::kStream, 4096, 4, 11}, file);
  std::mt19937_64 random(1);
  const std::uint64_t first = positions.next(random, 0).offset;
  for (int stream = 1; stream < 4; ++stream) {
    const std::uint64_t begin = (first + static_cast<std::uint64_t>(stream) * 25 * 4096) % (100 * 4096);
    EXPECT_EQ(positions.next(random, stream).offset, begin);
    EXPECT_EQ(positions.next(random, stream).offset, (begin + 4096) % (100 * 4096));
  }
  EXPECT_EQ(positions.next(random, 0).offset, (first + 4096) % (100 * 4096));
}

// A block is drawn with probability 1/4: of 4000 draws 1000, with a standard deviation of sqrt(4000 * 3/16) = 27.
TEST(BlockPositions, RandomReadsAreSpreadOverAllBlocks) {
  BlockPositions positions({AccessPattern::kRandom, 4096, 1, 5}, kFiles);
  std::mt19937_64 random(3);
  std::map<std::pair<int, std::uint64_t>, int> read;
  for (int i = 0; i < 4000; ++i) {
    const BlockPositions::Position at = positions.next(random);
    ++read[{at.descriptor, at.offset}];
  }
  ASSERT_EQ(read.size(), 4u);
  for (const auto& [at, times] : read) EXPECT_NEAR(times, 1000, 5 * 27);
}

}  // namespace
}  // namespace stallcast
