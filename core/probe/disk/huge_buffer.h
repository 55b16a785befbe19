// Memory that reads go into.
#pragma once

#include <cstddef>

namespace stallcast {

// Aligned to 2 MiB and on huge pages where the kernel has them: a large read into scattered pages of 4 KiB is a long
// list of addresses to the device, which can halve its speed.
class HugeBuffer {
 public:
  HugeBuffer() = default;
  HugeBuffer(const HugeBuffer&) = delete;
  HugeBuffer& operator=(const HugeBuffer&) = delete;
  ~HugeBuffer();

  // At least `bytes`, written to once so that no read waits for memory. Kept until more is asked for.
  // **Errors** WorldError when there is no memory.
  std::byte* at_least(std::size_t bytes);

 private:
  void release();

  void* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::byte* aligned_ = nullptr;
  std::size_t usable_bytes_ = 0;
};

// Whether the kernel gives huge pages to whoever asks.
bool huge_pages_available();

}  // namespace stallcast
