// What a watched job does for each batch, and who waits for whom.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/calibrate/read/measurements.h"
#include "core/observe/job_limits.h"
#include "core/observe/seen_job.h"

namespace stallcast {

// Whether more readers at a time get more from what they read from.
enum class SourceSharing {
  kUnknown,    // as many read at all times, or too little was seen
  kPerReader,  // each reader has its own pace: more of them read more
  kLimited,    // the same, but all of them together have a limit that few more of them reach
  kShared,     // all of them together have one
};

struct JobFigures {
  int ranks = 1;
  int workers = 0;  // of each rank
  bool spawned = false;
  double cores = 1.0;         // of the job's, that others leave it
  double others_cores = 0.0;  // that other programs kept busy
  double time_s = 0.0;

  // Of each rank.
  std::optional<double> batches_per_s;
  std::string batches_from;
  double batch_spread = 0.0;  // relative standard error of that rate

  // Shares of a worker's time; together 1. Without workers those of the trainer.
  double running = 0.0, waiting_for_core = 0.0, waiting_for_source = 0.0, waiting_for_index = 0.0, other = 0.0;
  Activity source = Activity::kFiles;  // what most of that wait is
  // Shares of the trainer's time.
  double trainer_waits = 0.0;    // in next() of its loader; without workers only by what a log says
  double trainer_running = 0.0;  // on a core
  double trainer_queued = 0.0;   // for one
  double trainer_blocked = 0.0;  // for anything else: the accelerator

  double gpu_busy = -1.0;  // share of the time in which a kernel ran, as the driver says; negative = not known

  // Of one batch; 0 where batches cannot be counted.
  double load_cpu_s = 0.0;  // in a worker
  double source_wait_s = 0.0;
  double source_waits = 0.0;  // how many waits that is, at the most: turns on a core, and of files read calls
  double cpu_variation = 0.0, wait_variation = 0.0;  // of a batch's own times: standard deviation over mean
  int timed_batches = 0;                             // that these are from
  double trainer_cpu_s = 0.0, trainer_blocked_s = 0.0;
  double read_bytes = 0.0;
  double read_calls = 0.0;

  double read_bytes_per_s = 0.0;  // of the whole job
  double fetched_share = 0.0;     // of what was read, that came from a disk or an NFS server

  SourceSharing sharing = SourceSharing::kUnknown;
  std::string sharing_from;                            // a clause
  double sharing_exponent = 0.0, sharing_error = 0.0;  // rate ~ readers ^ exponent
  double shared_bytes_per_s = 0.0;                     // where all have one pace, or a limit

  // Files that workers read, from those that were met open.
  std::string folder;  // of most of them; "" none was seen
  std::string mount_type;
  std::string extension;    // ".jpg"
  double file_bytes = 0.0;  // mean
  double file_variation = 0.0;
  int files_seen = 0;
  bool file_per_sample = false;  // many files, each smaller than what a batch reads
  bool in_order = false;         // of large files: from front to back

  bool loads_data() const;
};

// `log` holds what the job's own log said of its pace (read_log_lines), and what the user said of it.
// **Model**
//   shares         of a worker's main thread: on a core and queued for one by the kernel's account; the rest by what it
//                  was found blocked in, in proportion
//   rate           messages with indices that the trainer sent to its workers, over the time; else from `log`
//   of a batch     shares and CPU time of all threads of all workers over that rate
//   cores          those of the limits; where other programs keep more than a tenth of a core busy, what they leave,
//   or,
//                  where the job's threads wait for cores, what these got
//   sharing        the least-squares slope of log rate over log readers at a time, over numbers of readers that were
//                  met for a fiftieth of the time, where looks follow that number (readers_kept); decided where a half
//                  lies outside of two standard errors. A limit of
//                  the control group that is used to 7/10 decides, too
// **Checked by** tests/core/observe/job_figures_test.cpp, tests/validation/attach
JobFigures job_figures(const JobWatch& watch, const JobLimits& limits, const std::vector<Observation>& log,
                       const std::filesystem::path& proc = "/proc");

}  // namespace stallcast
