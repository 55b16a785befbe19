// A stream buffer over a descriptor that does not give up where the C library does.
#pragma once

#include <array>
#include <streambuf>

namespace stallcast {

// Writes go on after a signal and after a part, and wait where the other end is set to not wait for readers. What
// cannot be written is lost, and errno says why.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {
    setp(pending_.data(), pending_.data() + pending_.size());
  }
  ~DescriptorBuffer() override { sync(); }
  DescriptorBuffer(const DescriptorBuffer&) = delete;
  DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  int descriptor_;
  std::array<char, 65536> pending_{};
};

}  // namespace stallcast
