#include "core/observe/proc/job_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <string_view>

#include "core/diagnostics/finding.h"
#include "core/observe/proc/proc_file.h"
#include "core/observe/proc/proc_text.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& proc, int pid) { return proc / std::to_string(pid); }

std::optional<JobProcess> read_process(const fs::path& proc, int pid) {
  const auto text = proc_file_text(folder_of(proc, pid) / "stat");
  const auto stat = text ? parse_proc_stat(*text) : std::nullopt;
  if (!stat || stat->state == 'Z' || stat->state == 'X') return std::nullopt;
  JobProcess out{pid, stat->parent, stat->start_ticks, stat->name, "", false};
  out.command = proc_file_text(folder_of(proc, pid) / "cmdline").value_or("");
  while (!out.command.empty() && out.command.back() == '\0') out.command.pop_back();
  std::replace(out.command.begin(), out.command.end(), '\0', ' ');
  return out;
}

// Every process that can be seen, by PID.
using Processes = std::map<int, JobProcess>;
Processes all_processes(const fs::path& proc) {
  Processes out;
  std::error_code error;
  for (auto entry = fs::directory_iterator(proc, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    int pid = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad != std::errc() || end != name.data() + name.size() || pid <= 0) continue;
    if (auto process = read_process(proc, pid)) out.emplace(pid, std::move(*process));
  }
  return out;
}

bool says(const std::string& command, std::string_view word) { return command.find(word) != std::string::npos; }

bool is_helper(const JobProcess& process) {
  return says(process.command, "resource_tracker") || says(process.command, "semaphore_tracker");
}

bool same_program(const fs::path& proc, int a, int b) {
  const std::string of_a = proc_link(folder_of(proc, a) / "exe"), of_b = proc_link(folder_of(proc, b) / "exe");
  return of_a.empty() || of_b.empty() || of_a == of_b;  // unknown: the command line decides
}

// Marks how it was started.
bool is_worker_of(JobProcess& child, const JobProcess& parent, const fs::path& proc) {
  if (is_helper(child) || !same_program(proc, child.pid, parent.pid)) return false;
  const bool from_multiprocessing =
      says(child.command, "multiprocessing.spawn") || says(child.command, "spawn_main") ||
      (says(child.command, "multiprocessing.forkserver") && parent.command == child.command);
  child.spawned = from_multiprocessing && child.command != parent.command;
  return child.name.starts_with("pt_data_") || from_multiprocessing ||
         (!child.command.empty() && child.command == parent.command);
}

std::vector<JobProcess> workers_among(const Processes& all, const JobProcess& trainer, const fs::path& proc) {
  std::vector<JobProcess> out;
  for (const auto& [pid, process] : all) {
    JobProcess child = process;
    // A server that forks workers for the trainer stands between the two.
    const auto between = all.find(process.parent);
    const bool through_server = between != all.end() && between->second.parent == trainer.pid &&
                                says(between->second.command, "multiprocessing.forkserver");
    if (process.parent != trainer.pid && !through_server) continue;
    if (says(child.command, "multiprocessing.forkserver") && !through_server) continue;
    if (is_worker_of(child, through_server ? between->second : trainer, proc)) out.push_back(std::move(child));
  }
  return out;
}

void add_ranks_below(const Processes& all, const JobProcess& process, const fs::path& proc, int depth, JobTree& tree) {
  constexpr int kDeepest = 12;
  std::vector<JobProcess> workers = workers_among(all, process, proc);
  const std::size_t before = tree.ranks.size();
  if (depth < kDeepest) {
    for (const auto& [pid, child] : all)
      if (child.parent == process.pid && pid != process.pid) add_ranks_below(all, child, proc, depth + 1, tree);
  }
  if (tree.ranks.size() == before && !workers.empty()) tree.ranks.push_back({process, std::move(workers)});
}

double cpu_ticks(const fs::path& proc, int pid) {
  // Fields 14 and 15 of stat.
  const std::string text = proc_file_text(folder_of(proc, pid) / "stat").value_or("");
  std::size_t at = text.rfind(')');
  double sum = 0.0;
  for (int field = 2; at != std::string::npos && field < 15; ++field) {
    at = text.find(' ', at + 1);
    if (field >= 12 && at != std::string::npos) sum += std::strtod(text.c_str() + at, nullptr);
  }
  return sum;
}

const JobProcess& busiest_below(const Processes& all, const JobProcess& top, const fs::path& proc) {
  const JobProcess* best = &top;
  double most = cpu_ticks(proc, top.pid);
  for (const auto& [pid, process] : all) {
    int above = process.parent, steps = 0;
    while (above != top.pid && steps++ < 12) {
      const auto found = all.find(above);
      if (found == all.end()) break;
      above = found->second.parent;
    }
    if (above != top.pid) continue;
    const double used = cpu_ticks(proc, pid);
    if (used > most) most = used, best = &process;
  }
  return *best;
}

[[noreturn]] void no_such_process(int pid) {
  throw WorldError(
      fmt::format("there is no process {}. Where the job runs in a container, give the number that this machine has "
                  "for it (ps, or the NSpid line of /proc/NUMBER/status), or run stallcast in the container",
                  pid));
}

// That what attach needs to see of it can be seen.
void require_access(const fs::path& proc, const JobProcess& process) {
  const ProcFile io(folder_of(proc, process.pid) / "io");
  ProcFile::Buffer buffer;
  ProcFile again(folder_of(proc, process.pid) / "io");
  if (io.is_open() && again.read(buffer)) return;
  const int error = io.is_open() ? again.error() : io.error();
  if (error == ENOENT || error == ESRCH) throw WorldError(fmt::format("process {} has just ended", process.pid));
  if (error == EACCES || error == EPERM) {
    throw WorldError(
        fmt::format("process {} ({}) belongs to another user, or may not be looked at: {}/io cannot be read. Run "
                    "stallcast as that user, or as root",
                    process.pid, process.name, folder_of(proc, process.pid).string()));
  }
  throw WorldError(fmt::format("{}/io: {}", folder_of(proc, process.pid).string(), std::strerror(error)));
}

}  // namespace

std::vector<JobProcess> workers_of(const JobProcess& trainer, const fs::path& proc) {
  return workers_among(all_processes(proc), trainer, proc);
}

std::vector<JobTree> jobs_with_workers(const fs::path& proc) {
  const Processes all = all_processes(proc);
  const auto is_python = [](const JobProcess& process) {  // forks of shells and servers are like their parents, too
    return says(process.name, "python") || says(process.command, "python");
  };
  std::map<int, JobTree> by_launcher;  // ranks that one interpreter started are one job
  for (const auto& [pid, process] : all) {
    if (!is_python(process)) continue;
    std::vector<JobProcess> workers = workers_among(all, process, proc);
    std::erase_if(workers, [&](const JobProcess& one) { return !workers_among(all, one, proc).empty(); });
    if (workers.empty()) continue;
    try {
      require_access(proc, process);
    } catch (const WorldError&) {
      continue;  // of another user, or gone
    }
    const auto parent = all.find(process.parent);
    JobTree& tree = by_launcher[parent != all.end() && is_python(parent->second) ? process.parent : pid];
    if (tree.ranks.empty()) tree.asked = pid;
    tree.ranks.push_back({process, std::move(workers)});
  }
  std::vector<JobTree> out;
  for (auto& [launcher, tree] : by_launcher) out.push_back(std::move(tree));
  std::sort(out.begin(), out.end(), [](const JobTree& a, const JobTree& b) { return a.asked < b.asked; });
  return out;
}

JobTree find_job(int pid, const fs::path& proc) {
  const Processes all = all_processes(proc);
  const auto found = all.find(pid);
  if (found == all.end()) {
    const auto text = proc_file_text(folder_of(proc, pid) / "stat");
    if (text && parse_proc_stat(*text)) throw WorldError(fmt::format("process {} has ended (it is a zombie)", pid));
    no_such_process(pid);
  }
  JobTree tree;
  tree.asked = pid;
  const JobProcess* top = &found->second;
  if (const auto parent = all.find(top->parent); parent != all.end()) {
    // One of the workers was named: the job is its parent's.
    JobProcess asked = *top;
    const bool has_workers = !workers_among(all, *top, proc).empty();
    if (!has_workers && is_worker_of(asked, parent->second, proc)) top = &parent->second;
  }
  add_ranks_below(all, *top, proc, 0, tree);
  if (tree.ranks.empty()) tree.ranks.push_back({busiest_below(all, *top, proc), {}});
  for (const JobRank& rank : tree.ranks) require_access(proc, rank.trainer);
  const std::string status = proc_file_text(folder_of(proc, tree.ranks.front().trainer.pid) / "status").value_or("");
  const std::string pids = status_value(status, "NSpid");
  if (const std::size_t last = pids.find_last_of("\t "); last != std::string::npos)
    tree.container_pid = pids.substr(last + 1);
  return tree;
}

}  // namespace stallcast
