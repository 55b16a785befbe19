#include "core/diagnostics/atomic_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "core/diagnostics/file_calls.h"
#include "core/diagnostics/finding.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, std::string_view doing, int error) {
  throw WorldError(fmt::format("{}: cannot {}: {}", path.string(), doing, std::strerror(error)));
}

void must(int error, const fs::path& path, std::string_view doing) {
  if (error != 0) fail(path, doing, error);
}

// Short, so that it fits wherever the directory allows names.
fs::path new_name_beside(const fs::path& path) {
  static std::atomic<unsigned> counter = 0;
  return path.parent_path() / fmt::format(".stallcast-{}-{}.tmp", ::getpid(), counter++);
}

fs::path directory_of(const fs::path& path) {
  const fs::path directory = path.parent_path();
  return directory.empty() ? fs::path(".") : directory;
}

// Of a descriptor, for calls that take a path.
std::string link_to(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

// A file without a name, or -1 where such do not exist.
int create_unnamed(const fs::path& path) {
  const int descriptor = open_file(directory_of(path), O_WRONLY | O_TMPFILE, 0666);
  if (descriptor < 0) return -1;
  if (::access(link_to(descriptor).c_str(), F_OK) == 0) return descriptor;
  (void)close_file(descriptor);  // without /proc it could never be given one
  return -1;
}

// A new file beside `path` that nobody else has.
std::pair<int, fs::path> create_beside(const fs::path& path) {
  while (true) {
    fs::path beside = new_name_beside(path);
    const int descriptor = open_file(beside, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (descriptor >= 0) return {descriptor, std::move(beside)};
    if (errno != EEXIST) fail(path, "be created", errno);
  }
}

// Best effort: some file systems cannot sync a directory, and the file's content is safe already.
void sync_directory(const fs::path& directory) {
  const int descriptor = open_file(directory, O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return;
  (void)sync_file(descriptor);
  (void)close_file(descriptor);
}

// A symbolic link stays, and what it leads to is written.
fs::path target_of(const fs::path& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) fail(path, "be written", errno);
    return path;
  }
  if (!S_ISLNK(status.st_mode)) return path;
  std::error_code problem;
  fs::path resolved = fs::weakly_canonical(path, problem);
  if (problem) fail(path, "be written", problem.value());
  return resolved;
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& path) : path_(target_of(path)) {
  struct stat old = {};
  const bool exists = ::stat(path_.c_str(), &old) == 0;
  if (!exists && errno != ENOENT && errno != ENOTDIR) fail(path_, "be written", errno);
  if (exists && S_ISDIR(old.st_mode)) fail(path_, "be written", EISDIR);
  direct_ = exists && !S_ISREG(old.st_mode);
  is_new_ = !exists;
  if (direct_) {
    descriptor_ = open_file(path_, O_WRONLY);
    if (descriptor_ < 0) fail(path_, "be opened", errno);
    return;
  }
  descriptor_ = create_unnamed(path_);
  if (descriptor_ < 0) std::tie(descriptor_, unfinished_) = create_beside(path_);
  if (exists) (void)::fchmod(descriptor_, old.st_mode & 07777U);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) (void)close_file(descriptor_);
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

void AtomicFile::append(std::string_view text) {
  constexpr std::size_t kPending = std::size_t{1} << 20;
  if (pending_.size() + text.size() < kPending) {
    pending_ += text;
    return;
  }
  flush();
  must(write_whole(descriptor_, text), path_, "be written");
}

void AtomicFile::make_executable() {
  struct stat now = {};
  if (!direct_ && ::fstat(descriptor_, &now) == 0) (void)::fchmod(descriptor_, (now.st_mode & 07777U) | S_IXUSR);
}

void AtomicFile::flush() {
  must(write_whole(descriptor_, pending_), path_, "be written");
  pending_.clear();
}

void AtomicFile::prepare() {
  if (std::exchange(prepared_, true) || direct_) return;
  flush();
  must(sync_file(descriptor_), path_, "be written");
}

// Its own where that is free, else one beside it: a name is not given in the place of a file that is there.
void AtomicFile::give_name() {
  const std::string file = link_to(descriptor_);
  fs::path name = path_;
  while (::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    if (errno != EEXIST) fail(path_, "be created", errno);
    name = new_name_beside(path_);
  }
  if (name != path_) unfinished_ = std::move(name);
}

void AtomicFile::finish() {
  prepare();
  if (direct_) {
    flush();
    return must(close_file(std::exchange(descriptor_, -1)), path_, "be written");
  }
  if (unfinished_.empty()) give_name();
  if (!unfinished_.empty() && ::rename(unfinished_.c_str(), path_.c_str()) != 0) fail(path_, "be replaced", errno);
  unfinished_.clear();
  (void)close_file(std::exchange(descriptor_, -1));  // the storage has it all
  sync_directory(directory_of(path_));
}

void AtomicFile::take_back() {
  if (is_new_) ::unlink(path_.c_str());
}

AtomicFile& AtomicFiles::add(const fs::path& path, std::string_view text) {
  files_.push_back(std::make_unique<AtomicFile>(path));
  files_.back()->append(text);
  return *files_.back();
}

void AtomicFiles::finish() {
  for (const auto& file : files_) file->prepare();
  std::size_t finished = 0;
  try {
    for (; finished < files_.size(); ++finished) files_[finished]->finish();
  } catch (...) {
    while (finished-- > 0) files_[finished]->take_back();
    throw;
  }
}

void write_file_atomically(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.append(text);
  file.finish();
}

}  // namespace stallcast
