#include "core/probe/disk/file_system.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/diagnostics/finding.h"

namespace stallcast {
namespace {

// Numbers of statfs(2).
constexpr long kTmpfsMagic = 0x01021994, kRamfsMagic = 0x858458f6;

// A mount point as /proc/self/mountinfo writes it: space, tab, line feed and backslash are three octal digits.
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out += static_cast<char>(std::strtol(text.substr(i + 1, 3).c_str(), nullptr, 8));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool is_at_or_under(const std::string& path, const std::string& folder) {
  return path.starts_with(folder) && (folder == "/" || path.size() == folder.size() || path[folder.size()] == '/');
}

// Type of the mount that holds `path`: the longest mount point, and of several there the one mounted last.
std::string mounted_type(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::string real = std::filesystem::canonical(path, ignored).string();
  std::ifstream mounts("/proc/self/mountinfo");
  std::string type;
  std::size_t longest = 0;
  for (std::string line; std::getline(mounts, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream left(line.substr(0, dash));
    std::string word, point;
    left >> word >> word >> word >> word >> point;
    point = unescaped(point);
    if (point.size() < longest || !is_at_or_under(real, point)) continue;
    longest = point.size();
    std::istringstream(line.substr(dash + 3)) >> type;
  }
  return type;
}

double read_ahead_bytes(dev_t device) {
  double kibibytes = 128.0;  // the kernel's default
  std::ifstream(fmt::format("/sys/class/bdi/{}:{}/read_ahead_kb", major(device), minor(device))) >> kibibytes;
  return 1024.0 * kibibytes;
}

}  // namespace

FileSystem file_system_of(const std::filesystem::path& path) {
  struct stat status {};
  struct statfs system {};
  if (::stat(path.c_str(), &status) != 0 || ::statfs(path.c_str(), &system) != 0)
    throw WorldError(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  FileSystem found;
  found.name = mounted_type(path);
  found.in_memory = system.f_type == kTmpfsMagic || system.f_type == kRamfsMagic;
  found.on_block_device = major(status.st_dev) != 0;
  found.read_ahead_bytes = read_ahead_bytes(status.st_dev);
  return found;
}

std::optional<double> process_fetched_bytes() {
  std::ifstream counters("/proc/self/io");
  std::string name;
  for (double value = 0.0; counters >> name >> value;)
    if (name == "read_bytes:") return value;
  return std::nullopt;
}

}  // namespace stallcast
