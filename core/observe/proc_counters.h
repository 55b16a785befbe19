// Counters of a process and of the machine, read from /proc once.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/observe/proc_text.h"

namespace stallcast {

// `folder` is that of a process, /proc/PID.
// **Checked by** tests/core/observe/watch_job_test.cpp

// CPU time of all its threads, those that ended included: fields 14 and 15 of stat. **Units** s. Nothing of a process
// that has ended and that its parent has not asked for yet.
std::optional<double> process_cpu_s(const std::filesystem::path& folder);

std::optional<ProcIo> process_io(const std::filesystem::path& folder);

// The numbers of its threads, ascending.
std::vector<int> threads_of(const std::filesystem::path& folder);

// Received by all interfaces of its network namespace. **Units** bytes
double received_bytes(const std::filesystem::path& folder);

// CPU time of all processes of the machine since it started. **Units** s
double machine_busy_s(const std::filesystem::path& proc);

}  // namespace stallcast
