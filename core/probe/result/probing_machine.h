// The machine that a probe runs on: its name, its clock, and whether it has time for the probe.
#pragma once

#include <optional>
#include <string>

#include "core/probe/result/probe_options.h"
#include "core/probe/result/probe_result.h"

namespace stallcast {

// A result with what is known before the first request: time and limits, kernel, cores, the clock's step.
ProbeResult blank_result(const ProbeOptions& options);

// Time that the calling thread had a core, and that it waited for one while it could have run.
struct ThreadTimes {
  double ran_s = 0.0, waited_s = 0.0;
};

// Since the thread began (/proc/thread-self/schedstat); nothing where the kernel does not count.
std::optional<ThreadTimes> thread_times();

// Watches from its construction on, in the thread that probes.
class MachineWatch {
 public:
  MachineWatch();
  // busy_note of the time since; "" where it was not busy.
  std::string note() const;

 private:
  double load_average_ = 0.0;
  std::optional<ThreadTimes> before_;
};

// A sentence when the machine was busy with other things: a load average (before the probe began, which adds to it)
// over 3/2 of the cores, or more than 1/5 of the time that the thread wanted a core spent waiting for one. Such noise
// is not the storage's. "" otherwise.
std::string busy_note(double load_average, int cores, const ThreadTimes& times);

}  // namespace stallcast
