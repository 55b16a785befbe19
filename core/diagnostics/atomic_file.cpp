#include "core/diagnostics/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/diagnostics/finding.h"

namespace stallcast {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view doing, int error) {
  throw WorldError(fmt::format("{}: cannot {}: {}", path.string(), doing, std::strerror(error)));
}

void write_all(int descriptor, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(path, "be written", errno);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A new file beside `path` that nobody else has; the name is short, so it fits wherever the directory allows names.
std::pair<int, std::filesystem::path> create_beside(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter = 0;
  while (true) {
    const std::string name = fmt::format(".stallcast-{}-{}.tmp", ::getpid(), counter++);
    std::filesystem::path beside = path.parent_path() / name;
    const int descriptor = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return {descriptor, std::move(beside)};
    if (errno != EEXIST) fail(path, "be created", errno);
  }
}

// Best effort: some file systems cannot sync a directory, and the file's content is safe already.
void sync_directory(const std::filesystem::path& directory) {
  const int descriptor = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

// A symbolic link stays, and what it leads to is written.
std::filesystem::path target_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, error);
  return error ? path : resolved;
}

// A device or a pipe.
void write_directly(const std::filesystem::path& path, std::string_view text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, "be opened", errno);
  try {
    write_all(descriptor, text, path);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  if (::close(descriptor) != 0) fail(path, "be written", errno);
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path) : path_(target_of(path)) {
  struct stat old = {};
  const bool exists = ::stat(path_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail(path_, "be written", EISDIR);
  std::tie(descriptor_, unfinished_) = create_beside(path_);
  if (exists) (void)::fchmod(descriptor_, old.st_mode & 07777U);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

void AtomicFile::append(std::string_view text) {
  constexpr std::size_t kPending = std::size_t{1} << 20;
  if (pending_.size() + text.size() < kPending) {
    pending_ += text;
    return;
  }
  flush();
  write_all(descriptor_, text, path_);
}

void AtomicFile::flush() {
  write_all(descriptor_, pending_, path_);
  pending_.clear();
}

void AtomicFile::finish() {
  flush();
  if (::fsync(descriptor_) != 0) fail(path_, "be written", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(path_, "be written", errno);
  if (::rename(unfinished_.c_str(), path_.c_str()) != 0) fail(path_, "be replaced", errno);
  unfinished_.clear();
  sync_directory(path_.parent_path());
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path target = target_of(path);
  struct stat old = {};
  if (::stat(target.c_str(), &old) == 0 && !S_ISDIR(old.st_mode) && !S_ISREG(old.st_mode))
    return write_directly(target, text);
  AtomicFile file(path);
  file.append(text);
  file.finish();
}

}  // namespace stallcast
