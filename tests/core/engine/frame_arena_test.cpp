#include "core/engine/frame_arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>

namespace stallcast {
namespace {

TEST(FrameArena, GivesAFreedBlockAgainToTheSameSize) {
  FrameArena arena;
  void* a = arena.allocate(100);
  void* b = arena.allocate(100);
  EXPECT_NE(a, b);
  FrameArena::release(a);
  EXPECT_EQ(arena.allocate(100), a);
  FrameArena::release(b);
  FrameArena::release(a);
  EXPECT_EQ(arena.allocate(90), a);  // last freed first
  EXPECT_EQ(arena.allocate(90), b);
}

TEST(FrameArena, BlocksOfAllSizesAreApartAndAligned) {
  FrameArena arena;
  std::set<std::pair<std::uintptr_t, std::size_t>> blocks;
  for (std::size_t size = 1; size < 9000; size = size * 5 / 4 + 1)
    for (int i = 0; i < 20; ++i) {
      void* block = arena.allocate(size);
      std::memset(block, 0xab, size);
      const auto address = reinterpret_cast<std::uintptr_t>(block);
      EXPECT_EQ(address % alignof(std::max_align_t), 0u);
      blocks.emplace(address, size);
    }
  std::uintptr_t end = 0;
  for (const auto& [address, size] : blocks) {
    EXPECT_GE(address, end);
    end = address + size;
  }
  for (const auto& [address, size] : blocks) FrameArena::release(reinterpret_cast<void*>(address));
}

}  // namespace
}  // namespace stallcast
