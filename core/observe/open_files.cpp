#include "core/observe/open_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "core/observe/proc/proc_file.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 4000, kMostPlaces = 64;

bool may_be_data(std::string_view path) {
  if (!path.starts_with("/") || path.ends_with(" (deleted)")) return false;
  for (const std::string_view folder : {"/dev/", "/proc/", "/sys/", "/memfd:", "/usr/lib", "/lib"})
    if (path.starts_with(folder)) return false;
  for (const std::string_view end : {".so", ".py", ".pyc", ".log", ".lock"})
    if (path.ends_with(end)) return false;
  return path.find(".so.") == std::string_view::npos;
}

// Where a path of the process is for us: its root may be a container's.
fs::path seen_from_here(const fs::path& process, const std::string& path) {
  return fs::path((process / "root").string() + path);
}

// The type of the mount with this device, as the process's own table has it.
std::string type_of_device(const fs::path& process, const std::string& device) {
  std::istringstream lines(proc_file_text(process / "mountinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string id, parent, number;
    in >> id >> parent >> number;
    const std::size_t dash = line.find(" - ");
    if (number != device || dash == std::string::npos) continue;
    std::string type;
    std::istringstream(line.substr(dash + 3)) >> type;
    return type;
  }
  return "";
}

}  // namespace

SeenFile* OpenFiles::file_of(const fs::path& process, const std::string& path) {
  if (!may_be_data(path)) return nullptr;
  const auto known = files_.find(path);
  if (known != files_.end()) return &known->second;
  if (files_.size() >= kMostFiles) return nullptr;
  struct stat status {};
  if (::stat(seen_from_here(process, path).c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  SeenFile file{path, static_cast<double>(status.st_size), "", "", 0, {}};
  file.device = fmt::format("{}:{}", major(status.st_dev), minor(status.st_dev));
  file.mount_type = type_of_device(process, file.device);
  return &files_.emplace(path, std::move(file)).first->second;
}

void OpenFiles::add(const fs::path& process, const std::string& link) {
  if (SeenFile* const file = file_of(process, link)) ++file->seen;
}

void OpenFiles::look_at(const fs::path& process) {
  std::error_code error;
  double shared = 0.0;
  for (auto entry = fs::directory_iterator(process / "fd", error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string link = proc_link(entry->path());
    if (link.starts_with("/dev/shm/")) {
      struct stat status {};
      if (::stat(entry->path().c_str(), &status) == 0) shared += static_cast<double>(status.st_size);
      continue;
    }
    if (!may_be_data(link)) continue;
    struct stat mode {};
    if (::lstat(entry->path().c_str(), &mode) != 0 || (mode.st_mode & S_IRUSR) == 0 || (mode.st_mode & S_IWUSR) != 0)
      continue;  // /proc shows how it was opened as the link's permissions
    SeenFile* const file = file_of(process, link);
    if (file == nullptr) continue;
    ++file->seen;
    const std::string info = proc_file_text(process / "fdinfo" / entry->path().filename()).value_or("");
    if (info.starts_with("pos:") && file->places.size() < kMostPlaces)
      file->places.push_back(std::strtod(info.c_str() + 4, nullptr));
  }
  shared_[process.string()] = shared;
}

double OpenFiles::shared_memory_bytes() const {
  double sum = 0.0;
  for (const auto& [process, bytes] : shared_) sum += bytes;
  return sum;
}

std::vector<SeenFile> OpenFiles::take() {
  std::vector<SeenFile> out;
  for (auto& [path, file] : files_) out.push_back(std::move(file));
  std::stable_sort(out.begin(), out.end(), [](const SeenFile& a, const SeenFile& b) { return a.seen > b.seen; });
  return out;
}

std::vector<double> sizes_beside(const fs::path& process, const std::string& path, std::size_t most) {
  constexpr std::size_t kMostSizes = 20000;
  std::vector<fs::path> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator(seen_from_here(process, path).parent_path(), error);
       !error && entry != fs::directory_iterator() && names.size() < kMostSizes; entry.increment(error)) {
    if (entry->path().extension() == fs::path(path).extension()) names.push_back(entry->path());
  }
  std::sort(names.begin(), names.end());
  std::vector<double> sizes;
  const std::size_t step = std::max<std::size_t>(1, names.size() / std::max<std::size_t>(1, most));
  for (std::size_t i = 0; i < names.size() && sizes.size() < most; i += step) {
    struct stat status {};
    if (::stat(names[i].c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
      sizes.push_back(static_cast<double>(status.st_size));
  }
  return sizes;
}

}  // namespace stallcast
