// What of the machine a job may use: cores, memory, and how fast it may read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stallcast {

// A limit of the job's control group on reads from a block device.
struct ReadLimit {
  std::string device;        // "8:0"
  double bytes_per_s = 0.0;  // 0 = none
  double requests_per_s = 0.0;
};

struct JobLimits {
  double cores = 1.0;         // that it may keep busy
  std::string cores_from;     // "all 96 of the machine", "cpu.max of its control group"
  double memory_bytes = 0.0;  // 0 = not known
  std::string memory_from;
  std::vector<ReadLimit> reads;
};

// **Model** cores: the least of what it may run on (Cpus_allowed_list) and of quota over period of every control group
// above it; memory: the least of the machine's and of the groups' limits. Version 1 and 2 of control groups.
// `proc` and `cgroups` are where /proc and /sys/fs/cgroup are, for tests.
// **Source** Documentation/admin-guide/cgroup-v2.rst and cgroup-v1 of the Linux kernel.
// **Checked by** tests/core/observe/job_limits_test.cpp
JobLimits job_limits(int pid, const std::filesystem::path& proc = "/proc",
                     const std::filesystem::path& cgroups = "/sys/fs/cgroup");

}  // namespace stallcast
