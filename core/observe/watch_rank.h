// A trainer with its workers, of which others come after an epoch.
#pragma once

#include <filesystem>
#include <vector>

#include "core/observe/proc/job_tree.h"
#include "core/observe/proc/proc_counters.h"
#include "core/observe/proc/senders.h"
#include "core/observe/seen_job.h"
#include "core/observe/watch_worker.h"

namespace stallcast {

// **Checked by** tests/core/observe/watch_job_test.cpp, as watch_worker.h
class RankWatch {
 public:
  // Of its workers the first `close` are looked at each time.
  RankWatch(const JobRank& rank, const std::filesystem::path& proc, int close, double now_s);

  // False once the trainer is gone.
  bool look(double now_s, ProcFile::Buffer& buffer, bool& calls_seen) { return main_.look(now_s, buffer, calls_seen); }
  void look_at_workers(double now_s, ProcFile::Buffer& buffer, bool& calls_seen);

  // What counters say, of the trainer and of all workers. False once the trainer is gone.
  bool count(double now_s);

  // Each second, or less often where there are many workers: new ones after an epoch, threads that have begun to send.
  void keep_house(double now_s);

  // At the end of each tenth of the watch.
  void end_block(double now_s);

  // Ends the watch.
  SeenRank result(double now_s);

  const std::vector<WorkerWatch>& workers() const { return workers_; }
  const MainThread& main() const { return main_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void begin_workers(const std::vector<JobProcess>& processes, double now_s);
  void end_workers(double now_s);
  void find_index_senders(double now_s);
  void count_batches(double now_s);

  std::filesystem::path proc_, folder_;
  double start_s_, house_s_;
  int most_close_;
  SeenRank seen_;
  MainThread main_;
  ProcessCounters counters_;
  std::vector<WorkerWatch> workers_;
  std::vector<Sender> senders_;
  bool worker_gone_ = false, had_workers_ = false;
  int most_workers_ = 0;
  double batches_ = 0.0, batches_time_s_ = 0.0, counted_ = 0.0, counted_s_ = 0.0;
  double block_start_s_ = -1.0, block_batches_ = 0.0;
};

}  // namespace stallcast
