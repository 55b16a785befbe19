#include "core/observe/job_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "core/observe/proc/proc_file.h"
#include "core/observe/proc/proc_text.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

std::optional<double> first_number(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text->c_str(), &end);
  return end == text->c_str() ? std::nullopt : std::optional(value);
}

// Kernels write "no limit" as a number near 2^63.
constexpr double kNoMemoryLimit = 1e18;

class LimitReader {
 public:
  LimitReader(JobLimits& limits, fs::path cgroups) : limits_(limits), root_(std::move(cgroups)) {}

  // `group` and the groups above it, of the hierarchy at `mount`. One that this process sees under another name
  // (a container has its own) is not there: then the one at the top is.
  template <class Look>
  void each_level(const fs::path& mount, const std::string& group, Look look) {
    std::error_code ignored;
    fs::path at = mount / fs::path(group).relative_path();
    if (!fs::exists(at, ignored)) at = mount;
    for (;; at = at.parent_path()) {
      look(at);
      if (at == mount || at == at.parent_path()) return;
    }
  }

  void version_2(const std::string& group) {
    for (const fs::path& mount : {root_, root_ / "unified"}) {
      each_level(mount, group, [&](const fs::path& at) {
        if (const auto text = proc_file_text(at / "cpu.max")) {
          std::istringstream in(*text);
          std::string quota;
          double period = 0.0;
          if (in >> quota >> period && quota != "max" && period > 0.0)
            allow_cores(std::strtod(quota.c_str(), nullptr) / period, "cpu.max");
        }
        allow_memory(first_number(proc_file_text(at / "memory.max")), "memory.max");
        allow_reads_2(proc_file_text(at / "io.max").value_or(""));
      });
    }
  }

  void version_1(const std::string& controllers, const std::string& group) {
    const auto has = [&](std::string_view name) {
      std::istringstream in(controllers);
      for (std::string word; std::getline(in, word, ',');)
        if (word == name) return true;
      return false;
    };
    const auto mount = [&](const std::string& name) {
      std::error_code ignored;
      return fs::exists(root_ / controllers, ignored) ? root_ / controllers : root_ / name;
    };
    if (has("cpu")) {
      each_level(mount("cpu"), group, [&](const fs::path& at) {
        const auto quota = first_number(proc_file_text(at / "cpu.cfs_quota_us"));
        const auto period = first_number(proc_file_text(at / "cpu.cfs_period_us"));
        if (quota && period && *quota > 0.0 && *period > 0.0) allow_cores(*quota / *period, "cpu.cfs_quota_us");
      });
    }
    if (has("memory")) {
      each_level(mount("memory"), group, [&](const fs::path& at) {
        allow_memory(first_number(proc_file_text(at / "memory.limit_in_bytes")), "memory.limit_in_bytes");
      });
    }
    if (has("blkio")) {
      each_level(mount("blkio"), group, [&](const fs::path& at) {
        allow_reads_1(proc_file_text(at / "blkio.throttle.read_bps_device").value_or(""), true);
        allow_reads_1(proc_file_text(at / "blkio.throttle.read_iops_device").value_or(""), false);
      });
    }
  }

 private:
  void allow_cores(double cores, std::string_view file) {
    if (cores >= limits_.cores) return;
    limits_.cores = cores;
    limits_.cores_from = fmt::format("{} of its control group", file);
  }

  void allow_memory(std::optional<double> bytes, std::string_view file) {
    if (!bytes || *bytes <= 0.0 || *bytes >= kNoMemoryLimit) return;
    if (limits_.memory_bytes > 0.0 && *bytes >= limits_.memory_bytes) return;
    limits_.memory_bytes = *bytes;
    limits_.memory_from = fmt::format("{} of its control group", file);
  }

  ReadLimit& limit_of(const std::string& device) {
    const auto known = std::find_if(limits_.reads.begin(), limits_.reads.end(),
                                    [&](const ReadLimit& one) { return one.device == device; });
    if (known != limits_.reads.end()) return *known;
    return limits_.reads.emplace_back(ReadLimit{device, 0.0, 0.0});
  }

  static void lower(double& to, double value) {
    if (value > 0.0 && (to <= 0.0 || value < to)) to = value;
  }

  // "8:0 1048576" by line.
  void allow_reads_1(const std::string& text, bool is_bytes) {
    std::istringstream in(text);
    std::string device;
    for (double value = 0.0; in >> device >> value;) {
      ReadLimit& limit = limit_of(device);
      lower(is_bytes ? limit.bytes_per_s : limit.requests_per_s, value);
    }
  }

  // "8:0 rbps=1048576 wbps=max riops=max wiops=max" by line.
  void allow_reads_2(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream in(line);
      std::string device;
      in >> device;
      for (std::string word; in >> word;) {
        const double value = std::strtod(word.substr(word.find('=') + 1).c_str(), nullptr);
        if (value <= 0.0) continue;  // "max"
        if (word.starts_with("rbps=")) lower(limit_of(device).bytes_per_s, value);
        if (word.starts_with("riops=")) lower(limit_of(device).requests_per_s, value);
      }
    }
  }

  JobLimits& limits_;
  fs::path root_;
};

}  // namespace

JobLimits job_limits(int pid, const fs::path& proc, const fs::path& cgroups) {
  JobLimits limits;
  const fs::path folder = proc / std::to_string(pid);
  const std::string allowed = status_value(proc_file_text(folder / "status").value_or(""), "Cpus_allowed_list");
  const std::string present = proc_file_text("/sys/devices/system/cpu/online").value_or("");
  const int online = count_of_list(std::string_view(present).substr(0, present.find('\n')));
  int cores = count_of_list(allowed);
  // A machine lists cores that it could have beside those that it has.
  if (online > 0 && (cores == 0 || cores > online)) cores = online;
  limits.cores = std::max(cores, 1);
  limits.cores_from = cores == online || online == 0 ? fmt::format("all {} of the machine", cores)
                                                     : fmt::format("those it may run on, {}", allowed);
  const std::string memory = status_value(proc_file_text(proc / "meminfo").value_or(""), "MemTotal");
  limits.memory_bytes = 1024.0 * std::strtod(memory.c_str(), nullptr);
  limits.memory_from = "the machine's";
  LimitReader reader(limits, cgroups);
  std::istringstream groups(proc_file_text(folder / "cgroup").value_or(""));
  for (std::string line; std::getline(groups, line);) {  // "4:memory:/a/b", of version 2 "0::/a/b"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) {
      reader.version_2(group);
    } else {
      reader.version_1(controllers, group);
    }
  }
  return limits;
}

}  // namespace stallcast
