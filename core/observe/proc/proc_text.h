// What the kernel writes of a process in /proc, as numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stallcast {

// **Source** proc(5) of the Linux man-pages for all of this file. Each is nothing where the text is not what the page
// says: a process that ends leaves its files empty.
// **Checked by** tests/core/observe/proc_text_test.cpp

// /proc/PID/stat, and the same of a thread.
struct ProcStat {
  std::string name;  // up to 15 bytes, may hold spaces and brackets
  char state = '?';  // R, S, D, Z, T ...
  int parent = 0;
  double start_ticks = 0.0;  // since the machine started: tells a process from a later one with its number
};
std::optional<ProcStat> parse_proc_stat(std::string_view text);

// /proc/PID/io, and the same of a thread. Counters since it started, of its read and write calls: what it receives from
// sockets by recv is not among them.
struct ProcIo {
  double read_bytes = 0.0;  // rchar: from files, pipes and caches
  double written_bytes = 0.0;
  double reads = 0.0, writes = 0.0;  // calls
  double fetched_bytes = 0.0;        // read_bytes: from a block device or an NFS server

  ProcIo& operator+=(const ProcIo& other);
};
ProcIo operator-(const ProcIo& later, const ProcIo& earlier);
std::optional<ProcIo> parse_proc_io(std::string_view text);

// /proc/PID/schedstat of a thread. **Units** s since it started
struct CoreTimes {
  double ran_s = 0.0, queued_s = 0.0;  // had a core, waited for one
  double turns = 0.0;                  // that it had on a core; 0 where the kernel does not say
};
std::optional<CoreTimes> parse_schedstat(std::string_view text);

// /proc/PID/syscall of a thread: the call that it is blocked in.
struct BlockedIn {
  bool running = false;  // on a core or ready for one
  long call = -1;        // -1: blocked outside of any call, as for a page of a mapped file
  std::array<std::uint64_t, 6> arguments{};
};
std::optional<BlockedIn> parse_blocked_in(std::string_view text);

// The value of "Key:\tvalue" in /proc/PID/status, without spaces at its ends; "" where there is none.
std::string status_value(std::string_view text, std::string_view key);

// How many numbers a list of them names: 4 of "0-2,7". **Range** 0 for what is no such list
int count_of_list(std::string_view list);

}  // namespace stallcast
