#include "cli/shell/descriptor_buffer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace stallcast {
namespace {

// False with errno.
bool write_patiently(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      pollfd room = {descriptor, POLLOUT, 0};
      (void)::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

int DescriptorBuffer::sync() {
  const std::string_view text(pbase(), static_cast<std::size_t>(pptr() - pbase()));
  setp(pending_.data(), pending_.data() + pending_.size());
  return write_patiently(descriptor_, text) ? 0 : -1;
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
  return traits_type::not_eof(c);
}

}  // namespace stallcast
