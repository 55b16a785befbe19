#include "core/backtest/loader/host_state.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace stallcast {
namespace {

// The number behind `key` in a file of lines "key: number"; 0 when there is none.
double number_after(const char* path, const std::string& key) {
  std::ifstream in(path);
  for (std::string word; in >> word;) {
    double number = 0.0;
    if (word == key && in >> number) return number;
    in.clear();
  }
  return 0.0;
}

// proc(5): user nice system idle iowait irq softirq steal guest guest_nice, in ticks; guest is part of user.
void read_cpu(HostState& state) {
  std::ifstream in("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  if (!(in >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal)) return;
  const auto tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  state.busy_s = tick_s * (user + nice + system + irq + softirq);
  state.stolen_s = tick_s * steal;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

HostState read_host_state() {
  HostState state;
  state.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  read_cpu(state);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  state.own_busy_s = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  state.device_bytes = number_after("/proc/self/io", "read_bytes:");
  return state;
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): from one state to a later one
HostUse host_use(const HostState& from, const HostState& to, int cores) {
  const double time = (to.wall_s - from.wall_s) * cores;
  if (time <= 0.0) return {};
  const double others = (to.busy_s - from.busy_s) - (to.own_busy_s - from.own_busy_s);
  return {std::clamp(others / time, 0.0, 1.0), std::clamp((to.stolen_s - from.stolen_s) / time, 0.0, 1.0)};
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

double load_average() {
  double load = 0.0;
  return ::getloadavg(&load, 1) == 1 ? load : 0.0;
}

double available_memory_bytes() { return 1024.0 * number_after("/proc/meminfo", "MemAvailable:"); }

std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms);
}

}  // namespace stallcast
