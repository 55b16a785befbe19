#include "core/observe/proc/proc_counters.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "core/observe/proc/proc_file.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

double tick_s() { return 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)); }

// Fields 14 and 15 of stat.
std::optional<double> process_cpu_s(const fs::path& folder) {
  const auto text = proc_file_text(folder / "stat");
  const auto stat = text ? parse_proc_stat(*text) : std::nullopt;
  if (!stat || stat->state == 'Z' || stat->state == 'X') return std::nullopt;
  std::size_t at = text->rfind(')');
  double ticks = 0.0;
  for (int field = 2; field < 15; ++field) {
    if (at == std::string::npos) return std::nullopt;
    at = text->find(' ', at + 1);
    if (field >= 12 && at != std::string::npos) ticks += std::strtod(text->c_str() + at, nullptr);
  }
  return ticks * tick_s();
}

std::optional<ProcIo> process_io(const fs::path& folder) {
  const auto text = proc_file_text(folder / "io");
  return text ? parse_proc_io(*text) : std::nullopt;
}

}  // namespace

ProcessCounters::ProcessCounters(fs::path folder) : folder_(std::move(folder)) {
  look();
  first_cpu_s_ = cpu_s_;
  first_io_ = io_;
}

bool ProcessCounters::look() {
  const auto cpu = process_cpu_s(folder_);
  const auto io = process_io(folder_);
  if (!cpu || !io) return false;
  cpu_s_ = *cpu;
  io_ = *io;
  return true;
}

std::vector<int> threads_of(const fs::path& folder) {
  std::vector<int> out;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder / "task", error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    int tid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), tid).ec == std::errc()) out.push_back(tid);
  }
  std::sort(out.begin(), out.end());
  return out;
}

double received_bytes(const fs::path& folder) {
  const std::string text = proc_file_text(folder / "net/dev").value_or("");
  double sum = 0.0;
  for (std::size_t at = text.find(':'); at != std::string::npos; at = text.find(':', at + 1))
    sum += std::strtod(text.c_str() + at + 1, nullptr);
  return sum;
}

double machine_busy_s(const fs::path& proc) {
  const std::string text = proc_file_text(proc / "stat").value_or("");
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0;
  // NOLINTNEXTLINE(cert-err34-c): how many were read is looked at
  if (std::sscanf(text.c_str(), "cpu %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &iowait, &irq,
                  &softirq) < 7)
    return 0.0;
  return tick_s() * (user + nice + system + irq + softirq);
}

}  // namespace stallcast
