// Memory for coroutine frames: size classes with free lists over large blocks. Nothing goes back before the arena ends.
// Under the address sanitizer every frame is an allocation of its own: it cannot see into a block.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace stallcast {

class FrameArena {
 public:
#if defined(__SANITIZE_ADDRESS__)
  static constexpr bool kOneByOne = true;
#else
  static constexpr bool kOneByOne = false;
#endif

  FrameArena() = default;
  FrameArena(const FrameArena&) = delete;
  FrameArena& operator=(const FrameArena&) = delete;

  // A block of at least `size` bytes, aligned for any type. **Cost** O(1); system allocation only when a block runs
  // out.
  void* allocate(std::size_t size) {
    const std::size_t cls = (size + kHeader + kGrain - 1) / kGrain;
    if (kOneByOne || cls >= kClasses) return allocate_large(size);
    if (Free* head = free_[cls]) {
      free_[cls] = head->next;
      return tag(head, cls);
    }
    return tag(carve(cls * kGrain), cls);
  }

  // Returns a block; finds its arena and size class in the header in front of it.
  static void release(void* block) {
    auto* header = reinterpret_cast<Header*>(static_cast<std::byte*>(block) - kHeader);
    FrameArena* arena = header->arena;
    const std::size_t cls = header->cls;
    if (cls == 0) {
      ::operator delete(header);
      return;
    }
    auto* node = reinterpret_cast<Free*>(header);
    node->next = arena->free_[cls];
    arena->free_[cls] = node;
  }

 private:
  struct Free {
    Free* next;
  };
  struct Header {
    FrameArena* arena;
    std::size_t cls;
  };
  static constexpr std::size_t kHeader = 16;
  static constexpr std::size_t kGrain = 64;
  static constexpr std::size_t kClasses = 64;  // frames up to 4 KiB
  static constexpr std::size_t kBlock = std::size_t{256} * 1024;

  void* tag(void* raw, std::size_t cls) {
    auto* header = static_cast<Header*>(raw);
    header->arena = this;
    header->cls = cls;
    return static_cast<std::byte*>(raw) + kHeader;
  }
  void* allocate_large(std::size_t size) { return tag(::operator new(size + kHeader), 0); }
  void* carve(std::size_t size) {
    if (left_ < size) {
      blocks_.emplace_back(kBlock);
      next_ = blocks_.back().data();
      left_ = kBlock;
    }
    void* out = next_;
    next_ += size;
    left_ -= size;
    return out;
  }

  std::array<Free*, kClasses> free_{};
  std::vector<std::vector<std::byte>> blocks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace stallcast
