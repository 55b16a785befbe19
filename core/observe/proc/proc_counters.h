// Counters of a process and of the machine, read from /proc once.
#pragma once

#include <filesystem>
#include <vector>

#include "core/observe/proc/proc_text.h"

namespace stallcast {

// `folder` is that of a process, /proc/PID.
// **Checked by** tests/core/observe/watch_job_test.cpp

// What all threads of a process have used and read since the counters began, those that ended included.
class ProcessCounters {
 public:
  explicit ProcessCounters(std::filesystem::path folder);

  // Reads them again. False once the process has ended, also where its parent has not asked for it yet: what was read
  // before stands.
  bool look();

  double cpu_s() const { return cpu_s_ - first_cpu_s_; }
  ProcIo io() const { return io_ - first_io_; }

 private:
  std::filesystem::path folder_;
  double cpu_s_ = 0.0, first_cpu_s_ = 0.0;
  ProcIo io_, first_io_;
};

// The numbers of its threads, ascending.
std::vector<int> threads_of(const std::filesystem::path& folder);

// Received by all interfaces of its network namespace. **Units** bytes
double received_bytes(const std::filesystem::path& folder);

// CPU time of all processes of the machine since it started. **Units** s
double machine_busy_s(const std::filesystem::path& proc);

}  // namespace stallcast
