#include "core/probe/disk/huge_buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include "core/diagnostics/finding.h"

namespace stallcast {
namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

}  // namespace

HugeBuffer::~HugeBuffer() { release(); }

std::byte* HugeBuffer::at_least(std::size_t bytes) {
  if (bytes <= usable_bytes_) return aligned_;
  release();
  const std::size_t usable = (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  mapped_bytes_ = usable + kHugePageBytes;  // room to align
  mapping_ = ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    throw WorldError(fmt::format("no memory for {} MiB of read buffers", mapped_bytes_ >> 20));
  }
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  aligned_ = static_cast<std::byte*>(mapping_) + (kHugePageBytes - address % kHugePageBytes) % kHugePageBytes;
  usable_bytes_ = usable;
  ::madvise(aligned_, usable_bytes_, MADV_HUGEPAGE);  // without it the buffer is of small pages, and still a buffer
  std::memset(aligned_, 0, usable_bytes_);
  return aligned_;
}

void HugeBuffer::release() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_bytes_);
  mapping_ = nullptr;
  usable_bytes_ = 0;
}

bool huge_pages_available() {
  std::string modes;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), modes);
  return modes.find("[always]") != std::string::npos || modes.find("[madvise]") != std::string::npos;
}

}  // namespace stallcast
