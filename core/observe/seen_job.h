// What was seen of a training job from beside: times of its threads, counters, batches, files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/observe/proc/activity.h"
#include "core/observe/proc/gpu_monitor.h"
#include "core/observe/proc/job_tree.h"
#include "core/observe/proc/proc_text.h"

namespace stallcast {

// One thread: exact times of the kernel's accounts, and what it was found doing at looks while it was not running.
struct ThreadTime {
  double watched_s = 0.0, ran_s = 0.0, queued_s = 0.0;
  ActivityCounts looks{};  // of kRunning too, which are not needed for times
  double turns = 0.0;      // on a core; before each it waited, or another thread had the core

  double blocked_s() const;
  // Of the time that it was watched, blocked in `activity`.
  double blocked_in_s(Activity activity) const;
};

// One batch of one worker, from the message before to its own, without the wait for an index.
struct BatchTime {
  double ran_s = 0.0, waited_s = 0.0;
};

struct SeenWorker {
  int pid = 0;
  bool close = false;  // looked at each time; of others only what counters say
  double watched_s = 0.0;
  ThreadTime main;
  double cpu_s = 0.0;     // of all its threads
  ProcIo io;              // of all its threads
  double messages = 0.0;  // writes of the thread that sends batches; 0 = not seen
  std::vector<BatchTime> batches;
};

struct SeenRank {
  JobProcess trainer;
  double watched_s = 0.0;
  ThreadTime main;
  double cpu_s = 0.0;  // of all its threads
  ProcIo io;
  int num_workers = 0;              // at a time
  std::optional<double> batches;    // that were asked of workers while they were watched
  std::vector<double> block_rates;  // of batches, by tenth of the watch; where they are known
  std::vector<SeenWorker> workers;  // all that were seen
  int turns = 0;                    // how often a set of workers ended and another one came
  double without_workers_s = 0.0;   // between them
};

struct SeenFile {
  std::string path;
  double bytes = 0.0;
  std::string mount_type;      // "ext4", "fuse.gcsfuse"
  std::string device;          // "8:1"
  int seen = 0;                // at so many looks of some descriptor
  std::vector<double> places;  // in the file, one after the other, of one worker
};

// With how many workers in a read at a time, what was read. By twice that number: half where it changed in between.
struct ReadersAtATime {
  double time_s = 0.0, bytes = 0.0;
  int looks = 0;
};

struct JobWatch {
  double time_s = 0.0;
  int looks = 0;           // at trainers
  int worker_looks = 0;    // at workers, which are many
  double own_cpu_s = 0.0;  // that watching took
  bool job_ended = false;
  bool calls_seen = true;  // false: the kernel tells states and channels only (ptrace_scope)
  std::vector<SeenRank> ranks;
  std::map<int, ReadersAtATime> readers;  // all workers watched closely only; else empty
  double readers_kept = 0.0;  // correlation of that number with itself one look later: 1 = it changes slowly
  std::vector<SeenFile> files;
  int house_calls = 0;               // looks at open files, which come seldom
  std::vector<SeenGpu> gpus;         // of the machine; empty without NVML
  double machine_busy_s = 0.0;       // CPU of all processes of the machine
  double network_bytes = 0.0;        // received by the job's network namespace, loopback included
  double shared_memory_bytes = 0.0;  // of /dev/shm files that the trainer had open, most at a time
};

}  // namespace stallcast
