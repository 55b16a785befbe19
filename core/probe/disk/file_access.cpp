#include "core/probe/disk/file_access.h"

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <random>

#include "core/diagnostics/file_calls.h"

namespace stallcast {

OwnedFile::~OwnedFile() {
  if (file_.descriptor >= 0) ::close(file_.descriptor);
}

int open_regular(const std::string& path, bool direct, OpenFile& file) {
  constexpr int kFlags = O_RDONLY | O_NONBLOCK;
  int descriptor = open_file(path, kFlags | O_NOATIME);
  if (descriptor < 0 && errno == EPERM) descriptor = open_file(path, kFlags);  // another user's file
  if (descriptor < 0) return errno;
  struct stat status {};
  int error = ::fstat(descriptor, &status) != 0 ? errno : S_ISREG(status.st_mode) ? 0 : ENOTSUP;
  // io_uring would take O_NONBLOCK as a wish not to read from the device.
  const int flags = ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK;
  if (error == 0 && ::fcntl(descriptor, F_SETFL, direct ? flags | O_DIRECT : flags) != 0) error = errno;
  if (error != 0) {
    ::close(descriptor);
    return error;
  }
  file = {descriptor, static_cast<std::uint64_t>(status.st_size)};
  return 0;
}

void drop_from_cache(const OpenFile& file) { ::posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED); }

void advise(const OpenFile& file, AccessPattern pattern) {
  const int advice = pattern == AccessPattern::kSequential ? POSIX_FADV_SEQUENTIAL
                     : pattern == AccessPattern::kStream   ? POSIX_FADV_NORMAL
                                                           : POSIX_FADV_RANDOM;
  ::posix_fadvise(file.descriptor, 0, 0, advice);
}

double look_for_cached(const OpenFile& file, int looks, std::uint64_t seed) {
  const std::uint64_t pages = file.bytes / kPageBytes;
  if (pages == 0 || looks <= 0) return -1.0;
  std::mt19937_64 random(seed);
  int cached = 0;
  for (int i = 0; i < looks; ++i) {
    char byte = 0;
    const iovec part{&byte, 1};
    const auto offset = static_cast<off_t>(random() % pages * kPageBytes);
    if (::preadv2(file.descriptor, &part, 1, offset, RWF_NOWAIT) == 1) {
      ++cached;
    } else if (errno != EAGAIN) {
      return -1.0;
    }
  }
  return static_cast<double>(cached) / looks;
}

}  // namespace stallcast
