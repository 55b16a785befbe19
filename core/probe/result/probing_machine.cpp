#include "core/probe/result/probing_machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <limits>

namespace stallcast {
namespace {

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

// "Linux 6.1.0 x86_64"
std::string kernel_and_machine() {
  utsname name{};
  return uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine) : "";
}

// That this process may use.
int usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

double smallest_clock_step_s() {
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 1000; ++i) {
    const auto from = std::chrono::steady_clock::now();
    auto to = from;
    while (to == from) to = std::chrono::steady_clock::now();
    smallest = std::min(smallest, std::chrono::duration<double>(to - from).count());
  }
  return smallest;
}

}  // namespace

ProbeResult blank_result(const ProbeOptions& options) {
  ProbeResult result;
  result.started = utc_now();
  result.host = kernel_and_machine();
  result.cores = usable_cores();
  result.allowed_seconds = options.seconds;
  result.allowed_bytes = options.bytes;
  result.timer_s = smallest_clock_step_s();
  return result;
}

std::optional<ThreadTimes> thread_times() {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran_ns = 0.0, waited_ns = 0.0;
  if (!(file >> ran_ns >> waited_ns)) return std::nullopt;
  return ThreadTimes{ran_ns * 1e-9, waited_ns * 1e-9};
}

MachineWatch::MachineWatch() : before_(thread_times()) {
  if (getloadavg(&load_average_, 1) != 1) load_average_ = 0.0;
}

std::string MachineWatch::note() const {
  ThreadTimes since;
  if (const std::optional<ThreadTimes> now = thread_times(); now && before_)
    since = {now->ran_s - before_->ran_s, now->waited_s - before_->waited_s};
  return busy_note(load_average_, usable_cores(), since);
}

std::string busy_note(double load_average, int cores, const ThreadTimes& times) {
  constexpr double kHighLoad = 1.5;   // of the cores
  constexpr double kLongWait = 0.2;   // of the time wanted
  constexpr double kFewest_s = 0.05;  // wanted, for the share to say something
  const double wanted_s = times.ran_s + times.waited_s;
  const double waited = wanted_s > kFewest_s ? times.waited_s / wanted_s : 0.0;
  std::string seen;
  if (load_average > kHighLoad * cores) seen = fmt::format("load average {:.3g} on {} cores", load_average, cores);
  if (waited > kLongWait)
    seen += fmt::format("{}the probe waited for a core {:.0f} % of the time it wanted one", seen.empty() ? "" : ", ",
                        100.0 * waited);
  if (seen.empty()) return {};
  return fmt::format("this machine is busy: {}; figures are of the storage and of the machine together", seen);
}

}  // namespace stallcast
