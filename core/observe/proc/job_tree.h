// The processes of a training job: its ranks and the workers of their loaders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stallcast {

struct JobProcess {
  int pid = 0;
  int parent = 0;
  double start_ticks = 0.0;
  std::string name;
  std::string command;   // words parted by spaces
  bool spawned = false;  // a worker that started its own interpreter; else it is a fork
};

struct JobRank {
  JobProcess trainer;
  std::vector<JobProcess> workers;  // by PID
};

struct JobTree {
  std::vector<JobRank> ranks;  // by PID, at least one
  int asked = 0;               // the PID that was given: a rank's, a launcher's above, or a worker's below
  std::string container_pid;   // what the job itself calls its first rank, where it has its own PID namespace; else ""
};

// The job that process `pid` belongs to.
// **Model** A worker is a child that runs the same program as its parent and is a fork of it (the same command line),
// is named pt_data_worker, or was started by multiprocessing (its command says spawn_main or forkserver, and not
// resource_tracker). A rank is a process with workers; where a child that looks like a worker has workers of its own,
// it is a rank, and its parent a launcher. Where nobody has workers, the rank is `pid` itself, or below it the process
// that has used most processor time.
// `proc` is where /proc is, for tests.
// **Errors** WorldError: no such process, one that has ended (a zombie), one of another user, /proc that hides it.
// **Checked by** tests/core/observe/job_tree_test.cpp
JobTree find_job(int pid, const std::filesystem::path& proc = "/proc");

// The jobs of this user whose loaders have workers now, as find_job() has them; by the PID of their first rank. Others
// are found by their PID only.
// **Checked by** tests/core/observe/job_tree_test.cpp
std::vector<JobTree> jobs_with_workers(const std::filesystem::path& proc = "/proc");

// The workers that `trainer` has now, by PID.
std::vector<JobProcess> workers_of(const JobProcess& trainer, const std::filesystem::path& proc = "/proc");

}  // namespace stallcast
