// A loader worker, or any process's main thread, looked at again and again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/observe/proc/proc_counters.h"
#include "core/observe/proc/proc_file.h"
#include "core/observe/proc/senders.h"
#include "core/observe/seen_job.h"

namespace stallcast {

// The main thread of a process, looked at. `calls_seen` becomes false where the kernel does not show calls.
class MainThread {
 public:
  MainThread() = default;
  explicit MainThread(std::filesystem::path folder);

  // False once it is gone.
  bool look(double now_s, ProcFile::Buffer& buffer, bool& calls_seen);

  Activity now() const { return now_; }
  const CoreTimes& times() const { return last_; }
  const ThreadTime& total() const { return total_; }
  const std::string& reads_from() const { return reads_from_; }

 private:
  Activity what_it_does(ProcFile::Buffer& buffer, bool& calls_seen);

  std::filesystem::path folder_;
  ProcFile call_, times_, stat_, channel_;
  double start_s_ = -1.0;
  CoreTimes first_, last_;
  ThreadTime total_;
  Activity now_ = Activity::kOther;
  std::string reads_from_;
};

// A worker of a DataLoader: what it does, what it has read, its batches one by one.
class WorkerWatch {
 public:
  // Close: looked at each time; of others only what counters say.
  WorkerWatch(const JobProcess& process, const std::filesystem::path& proc, bool close, double now_s);

  // The thread starts with its first batch.
  void find_sender();

  // False once it is gone.
  bool look(double now_s, ProcFile::Buffer& buffer, bool& calls_seen);

  // What counters say, of processes that are not looked at each time as well. False once it is gone.
  bool count(double now_s);

  SeenWorker result() const;
  int pid() const { return seen_.pid; }
  bool is_close() const { return seen_.close; }
  bool reads_now() const;
  double bytes_since() const { return bytes_; }
  const std::string& reads_from() const { return main_.reads_from(); }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  // A batch is one message, sent at once with what shared memory its tensors take: writes at neighbouring looks are
  // one.
  void note_messages(double now_s, ProcFile::Buffer& buffer);

  std::filesystem::path folder_;
  double start_s_, end_s_;
  SeenWorker seen_;
  ProcessCounters counters_;
  std::optional<Sender> sender_;
  MainThread main_;
  ProcFile main_io_;
  double bytes_ = 0.0, last_bytes_ = -1.0, last_messages_ = 0.0;
  bool sent_before_ = false;
  double batch_start_s_ = -1.0, queue_s_ = 0.0;
  CoreTimes batch_times_;
};

}  // namespace stallcast
