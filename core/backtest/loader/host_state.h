// What else the machine does, and what the kernel says that this process has read.
#pragma once

#include <string>

namespace stallcast {

// Counters since the machine or the process started. **Units** CPU seconds, bytes; 0 where the kernel does not say
struct HostState {
  double wall_s = 0.0;        // of a clock that never goes back
  double busy_s = 0.0;        // CPU of all processes and the kernel
  double stolen_s = 0.0;      // CPU that the hypervisor gave to other guests
  double own_busy_s = 0.0;    // CPU of this process
  double device_bytes = 0.0;  // that this process caused to be read from devices (read_bytes of /proc/self/io)
};
HostState read_host_state();

// Shares of the machine between two states. **Range** 0 to 1
struct HostUse {
  double others_fraction = 0.0;  // of the cores' time, other processes
  double stolen_fraction = 0.0;
};
HostUse host_use(const HostState& from, const HostState& to, int cores);

// Cores that this process may use.
int usable_cores();

// Of the last minute, processes that run or wait for a disk; 0 where unknown.
double load_average();

// Memory that could be taken without swapping; 0 where unknown.
double available_memory_bytes();

// "2026-11-21T20:13:24.123Z"
std::string utc_now();

}  // namespace stallcast
