#include "core/diagnostics/file_calls.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace stallcast {
namespace {

// What `call` returns once no signal interrupts it.
template <class Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// `write_part` writes from the beginning of what is left to write.
template <class WritePart>
int write_parts(std::string_view text, const WritePart& write_part) {
  while (!text.empty()) {
    const ssize_t written = uninterrupted([&] { return write_part(text); });
    if (written < 0) return errno;
    if (written == 0) return EIO;  // no progress, and no reason given
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

int open_file(const std::filesystem::path& path, int flags, mode_t mode) {
  return uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
}

ssize_t read_some(int descriptor, char* to, std::size_t bytes) {
  return uninterrupted([&] { return ::read(descriptor, to, bytes); });
}

ssize_t read_at(int descriptor, void* to, std::size_t bytes, std::uint64_t offset) {
  return uninterrupted([&] { return ::pread(descriptor, to, bytes, static_cast<off_t>(offset)); });
}

int write_whole(int descriptor, std::string_view text) {
  return write_parts(text, [&](std::string_view rest) { return ::write(descriptor, rest.data(), rest.size()); });
}

int write_whole_at(int descriptor, std::string_view text, std::int64_t offset) {
  const auto end = offset + static_cast<std::int64_t>(text.size());
  return write_parts(text, [&](std::string_view rest) {
    return ::pwrite(descriptor, rest.data(), rest.size(), end - static_cast<std::int64_t>(rest.size()));
  });
}

int set_file_size(int descriptor, std::int64_t bytes) {
  return uninterrupted([&] { return ::ftruncate(descriptor, bytes); }) == 0 ? 0 : errno;
}

int sync_file(int descriptor) {
  return uninterrupted([&] { return ::fsync(descriptor); }) == 0 ? 0 : errno;
}

// Linux has closed it even where a signal interrupted the call.
int close_file(int descriptor) { return ::close(descriptor) == 0 || errno == EINTR ? 0 : errno; }

int lock_file(int descriptor) {
  if (uninterrupted([&] { return ::flock(descriptor, LOCK_EX | LOCK_NB); }) == 0) return 0;
  const bool has_none = errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL;
  return has_none ? 0 : errno;
}

bool is_removed(int descriptor) {
  struct stat status = {};
  return ::fstat(descriptor, &status) == 0 && status.st_nlink == 0;
}

}  // namespace stallcast
