#include "core/probe/disk/file_sample.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <utility>

#include "core/diagnostics/finding.h"
#include "core/probe/disk/file_system.h"
#include "core/probe/disk/monotonic_clock.h"

namespace stallcast {
namespace {

constexpr std::uint64_t kNamesBetweenChecks = 64;  // of what the kernel fetched

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

void skip(Skipped& skipped, const std::string& path) {
  if (skipped.count++ == 0) skipped.example = path;
}

class Walk {
 public:
  Walk(FileSample& sample, const SampleLimits& limits)
      : sample_(sample),
        limits_(limits),
        random_(limits.seed),
        fetched_before_(process_fetched_bytes().value_or(0.0)) {}

  void under(const std::string& top) {
    folders_.push_back(top);
    while (!folders_.empty() && !is_over()) {
      const std::string folder = std::move(folders_.back());
      folders_.pop_back();
      list(folder);
    }
    if (!folders_.empty()) sample_.complete = false;
    std::shuffle(sample_.files.begin(), sample_.files.end(), random_);
  }

 private:
  void list(const std::string& folder) {
    const double began_s = monotonic_s();
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const Directory directory(descriptor < 0 ? nullptr : ::fdopendir(descriptor));
    if (!directory) return skip(sample_.unreadable, folder);
    if (!is_on_the_targets_device(descriptor)) return skip(sample_.other_file_systems, folder);
    sample_.list_s += monotonic_s() - began_s;
    while (true) {
      const double asked_s = monotonic_s();
      const dirent* const entry = ::readdir(directory.get());
      sample_.list_s += monotonic_s() - asked_s;
      if (entry == nullptr) return;
      const std::string name = static_cast<const char*>(entry->d_name);
      if (name == "." || name == "..") continue;
      if (is_over()) {
        sample_.complete = false;
        return;
      }
      sample_.listed_names += 1.0;
      look_at(descriptor, name, entry->d_type, folder + "/" + name);
    }
  }

  void look_at(int folder, const std::string& name, unsigned char type, const std::string& path) {
    if (type == DT_DIR) return folders_.push_back(path);
    if (type != DT_REG && type != DT_LNK && type != DT_UNKNOWN) return skip(sample_.special, path);
    struct stat status {};
    const double began_s = monotonic_s();
    const int result = ::fstatat(folder, name.c_str(), &status, 0);
    sample_.stat_s.push_back(static_cast<float>(monotonic_s() - began_s));
    if (result != 0) return skip(type == DT_LNK ? sample_.broken_links : sample_.unreadable, path);
    if (S_ISDIR(status.st_mode)) {
      if (type == DT_LNK || is_link(folder, name)) return skip(sample_.linked_directories, path);
      return folders_.push_back(path);
    }
    if (!S_ISREG(status.st_mode)) return skip(sample_.special, path);
    if (status.st_size == 0) return skip(sample_.empty, path);
    keep({path, static_cast<std::uint64_t>(status.st_size)});
  }

  static bool is_link(int folder, const std::string& name) {
    struct stat status {};
    return ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
  }

  // Reservoir sampling (Vitter's algorithm R).
  void keep(SampledFile file) {
    sample_.seen += 1.0;
    sample_.bytes += static_cast<double>(file.bytes);
    if (sample_.files.size() < limits_.files) {
      sample_.files.push_back(std::move(file));
      return;
    }
    const std::uint64_t place = random_() % static_cast<std::uint64_t>(sample_.seen);
    if (place < limits_.files) sample_.files[place] = std::move(file);
  }

  bool is_on_the_targets_device(int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return false;
    if (!device_) device_ = status.st_dev;
    return *device_ == status.st_dev;
  }

  bool is_over() {
    if (limits_.stop.stop_requested() || monotonic_s() >= limits_.until_s) return true;
    if (sample_.listed_names >= static_cast<double>(limits_.names)) return true;
    if (++checks_ % kNamesBetweenChecks == 0)
      fetched_too_much_ = process_fetched_bytes().value_or(0.0) - fetched_before_ > limits_.fetched_bytes;
    return fetched_too_much_;
  }

  FileSample& sample_;
  const SampleLimits& limits_;
  std::mt19937_64 random_;
  double fetched_before_;
  std::uint64_t checks_ = 0;
  bool fetched_too_much_ = false;
  std::optional<dev_t> device_;
  std::vector<std::string> folders_;
};

}  // namespace

FileSample sample_files(const std::filesystem::path& target, const SampleLimits& limits) {
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0)
    throw WorldError(fmt::format("{}: {}", target.string(), std::strerror(errno)));
  FileSample sample;
  if (S_ISREG(status.st_mode)) {
    if (status.st_size == 0)
      throw WorldError(fmt::format("{}: is empty, so there is nothing to read", target.string()));
    sample.files.push_back({target.string(), static_cast<std::uint64_t>(status.st_size)});
    sample.seen = 1.0;
    sample.bytes = static_cast<double>(status.st_size);
    return sample;
  }
  if (!S_ISDIR(status.st_mode)) {
    throw WorldError(
        fmt::format("{}: is neither a file nor a directory; name one that holds data, not a device, pipe "
                    "or socket",
                    target.string()));
  }
  if (::access(target.c_str(), R_OK | X_OK) != 0)
    throw WorldError(fmt::format("{}: {}", target.string(), std::strerror(errno)));
  sample.is_directory = true;
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(target, ignored);
  Walk(sample, limits).under((real.empty() ? target : real).string());
  return sample;
}

std::vector<std::string> skipped_notes(const FileSample& sample) {
  std::vector<std::string> notes;
  const auto say = [&](const Skipped& skipped, const char* what) {
    if (skipped.count > 0)
      notes.push_back(fmt::format("left out {} {}, such as {}", skipped.count, what, skipped.example));
  };
  say(sample.unreadable, "that could not be read");
  say(sample.special, "pipes, sockets or devices");
  say(sample.linked_directories, "symbolic links to directories");
  say(sample.broken_links, "symbolic links to nothing");
  say(sample.empty, "empty files");
  say(sample.other_file_systems, "directories on other file systems");
  if (!sample.complete) {
    notes.push_back(fmt::format("the directory was looked through in part: {} names within the limits",
                                static_cast<std::uint64_t>(sample.listed_names)));
  }
  return notes;
}

}  // namespace stallcast
