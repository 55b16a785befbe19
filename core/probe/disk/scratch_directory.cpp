#include "core/probe/disk/scratch_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>

#include "core/diagnostics/file_calls.h"
#include "core/diagnostics/finding.h"

namespace stallcast {
namespace {

// Decimal digits, without memory of its own: also called between fork() and the end of the child.
struct FileName {
  std::array<char, 12> text{};

  explicit FileName(std::uint32_t number) {
    std::size_t digits = 1;
    for (std::uint32_t n = number; n >= 10; n /= 10) ++digits;
    for (std::size_t i = digits; i > 0; --i, number /= 10) text.at(i - 1) = static_cast<char>('0' + number % 10);
  }
};

constexpr char kNotMade = 'x';

// Waits until nobody holds the other end of `alive` any more, and removes the files with numbers from 0 on and the
// directory; nothing when the program said that it had not made it. Calls of the system only. Never returns.
[[noreturn]] void wait_and_remove(int alive, const char* path) {
  ::setsid();
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  char said = 0;
  bool made = true;
  for (ssize_t got = 1; got > 0 || (got < 0 && errno == EINTR);) {
    got = ::read(alive, &said, 1);
    if (got > 0 && said == kNotMade) made = false;
  }
  const int directory = made ? ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
  if (directory < 0) ::_exit(0);
  for (std::uint32_t n = 0; n < ScratchDirectory::kMostFiles; ++n) ::unlinkat(directory, FileName(n).text.data(), 0);
  ::rmdir(path);
  ::_exit(0);
}

// Sixty bits by chance: nobody uses it.
std::string new_name() {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz012345";
  std::array<unsigned char, 12> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    throw WorldError("no random numbers from the system");
  std::string out = "stallcast-probe-";
  for (const unsigned char byte : random) out += kLetters[byte % kLetters.size()];
  return out;
}

}  // namespace

const char* write_trouble(int error) {
  switch (error) {
    case ENOSPC:
      return "the disk is full";
    case EDQUOT:
      return "the quota of this user is used up";
    case EROFS:
      return "the file system is read-only";
    case EACCES:
    case EPERM:
      return "this user may not write here";
    case EFBIG:
      return "files may not grow that large here (ulimit -f)";
    default:
      return std::strerror(error);  // NOLINT(concurrency-mt-unsafe): glibc keeps a buffer per thread
  }
}

// The remover is there before the directory is: at no moment can one be left without the other.
ScratchDirectory::ScratchDirectory(const std::filesystem::path& parent) {
  std::error_code error;
  if (!std::filesystem::is_directory(parent, error))
    throw WorldError(fmt::format("{}: not a directory to write into", parent.string()));
  path_ = std::filesystem::absolute(parent) / new_name();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw WorldError(fmt::format("no pipe: {}", write_trouble(errno)));
  remover_ = ::fork();
  if (remover_ == 0) {
    ::close(ends[1]);
    for (int descriptor = 0; descriptor < 3; ++descriptor) ::close(descriptor);  // nobody waits for its output
    wait_and_remove(ends[0], path_.c_str());
  }
  int why = errno;
  ::close(ends[0]);
  alive_ = ends[1];
  if (remover_ < 0) {
    ::close(alive_);
    throw WorldError(
        fmt::format("{}: no process to remove what would be written: {}", parent.string(), write_trouble(why)));
  }
  if (::mkdir(path_.c_str(), S_IRWXU) == 0) {
    directory_ = open_file(path_, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory_ >= 0) return;
    why = errno;
  } else {
    why = errno;
    const ssize_t said = ::write(alive_, &kNotMade, 1);
    (void)said;  // the remover would look for a directory that is not there
  }
  end();
  throw WorldError(fmt::format("{}: cannot make a directory to write into: {}", parent.string(), write_trouble(why)));
}

ScratchDirectory::~ScratchDirectory() { end(); }

void ScratchDirectory::end() {
  if (directory_ >= 0) ::close(directory_);
  ::close(alive_);
  while (::waitpid(remover_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

int ScratchDirectory::create(std::uint32_t number, int flags) const {
  int descriptor = -1;
  do {
    descriptor =
        ::openat(directory_, FileName(number).text.data(), flags | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

void ScratchDirectory::remove(std::uint32_t number) const { ::unlinkat(directory_, FileName(number).text.data(), 0); }

}  // namespace stallcast
