#include "core/engine/frame_arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace stallcast {
namespace {

TEST(FrameArena, GivesAFreedBlockAgainToTheSameSize) {
  if (FrameArena::kOneByOne) GTEST_SKIP() << "every frame is an allocation of its own";
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

#if defined(__SANITIZE_ADDRESS__)
TEST(FrameArena, SanitizerSeesUseOfAFreedFrame) {
  FrameArena arena;
  char* frame = static_cast<char*>(arena.allocate(100));
  EXPECT_FALSE(__asan_address_is_poisoned(frame + 99));
  EXPECT_TRUE(__asan_address_is_poisoned(frame + 100));
  FrameArena::release(frame);
  EXPECT_TRUE(__asan_address_is_poisoned(frame));
}
#endif

}  // namespace
}  // namespace stallcast
