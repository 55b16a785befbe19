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
#include <utility>

#include "core/diagnostics/finding.h"

namespace stallcast {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view doing, int error) {
  throw WorldError(fmt::format("{}: cannot {}: {}", path.string(), doing, std::strerror(error)));
}

// A file descriptor, and the name to remove unless the file is finished.
class OpenFile {
 public:
  OpenFile(int descriptor, std::filesystem::path unfinished)
      : descriptor_(descriptor), unfinished_(std::move(unfinished)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    close();
    if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
  }
  int descriptor() const { return descriptor_; }
  // 0, or why the last writes were lost.
  int close() {
    if (descriptor_ < 0) return 0;
    const int result = ::close(std::exchange(descriptor_, -1));
    return result == 0 ? 0 : errno;
  }
  void finished() { unfinished_.clear(); }

 private:
  int descriptor_;
  std::filesystem::path unfinished_;
};

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

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path target = path;
  if (std::error_code error; std::filesystem::is_symlink(path, error)) {
    const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, error);
    if (!error) target = resolved;
  }
  struct stat old = {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail(path, "be written", EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    OpenFile file(::open(target.c_str(), O_WRONLY | O_CLOEXEC), {});
    if (file.descriptor() < 0) fail(path, "be opened", errno);
    write_all(file.descriptor(), text, path);
    if (const int error = file.close(); error != 0) fail(path, "be written", error);
    return;
  }

  auto [descriptor, name] = create_beside(target);
  OpenFile file(descriptor, name);
  if (exists) (void)::fchmod(descriptor, old.st_mode & 07777U);
  write_all(descriptor, text, path);
  if (::fsync(descriptor) != 0) fail(path, "be written", errno);
  if (const int error = file.close(); error != 0) fail(path, "be written", error);
  if (::rename(name.c_str(), target.c_str()) != 0) fail(path, "be replaced", errno);
  file.finished();
  sync_directory(target.parent_path());
}

}  // namespace stallcast
