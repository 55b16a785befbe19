// The file that makes a job scheduler run a sweep: a Slurm job array, or a Kubernetes Indexed Job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/diagnostics/finding.h"

namespace stallcast {

struct JobSettings {
  std::string name = "stallcast-sweep";
  std::int64_t shards = 8;
  std::int64_t cpus = 1;  // threads of one shard
};

// The words of "stallcast sweep SCENARIO ...", program first, without --shard, --threads and -o.
using SweepCommand = std::vector<std::string>;

// A script for sbatch. Paths in `command` and `directory` must be absolute and on a file system that every node has.
// Every task says its shard itself, so that `sbatch --array=3 FILE` computes the third again.
std::string slurm_job(const SweepCommand& command, const std::string& directory, const JobSettings& settings);

struct KubernetesSettings {
  std::string image;                      // that has stallcast in it
  std::string claim = "stallcast-sweep";  // PersistentVolumeClaim that all pods can write (ReadWriteMany)
  std::string scenario;                   // content of the scenario file
};

// Where a pod sees its scenario and its results.
inline constexpr const char* kPodScenario = "/scenario/scenario.json";
inline constexpr const char* kPodResults = "/results";

// A ConfigMap that holds the scenario, and a Job. `command` names kPodScenario as its scenario. Pods find their shard
// in JOB_COMPLETION_INDEX and kShardsVariable; `directory` is a folder of the claim.
std::string kubernetes_job(const SweepCommand& command, const std::string& directory, const JobSettings& settings,
                           const KubernetesSettings& kubernetes);

// "bad_job_name" where a job cannot be called so: Kubernetes wants lower-case letters, digits and "-", at most 63.
Findings job_name_problems(const std::string& name);

}  // namespace stallcast
