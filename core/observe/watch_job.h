// A training job watched from beside, at a pace that costs it next to nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>

#include "core/observe/proc/job_tree.h"
#include "core/observe/seen_job.h"

namespace stallcast {

struct WatchOptions {
  double time_s = 30.0;
  double cores = 1.0;                    // that the job may use
  double most_cpu_share = 0.0025;        // of these cores, that watching may take
  std::filesystem::path proc = "/proc";  // for tests
  std::stop_token stop = {};             // ends the watch with what it has
  std::function<void(double)> progress;  // is told the share that is done; may be empty
};

// Looks at `job` until options.time_s is over or its first rank ends.
// **Cost** options.most_cpu_share of options.cores: pauses follow from what looks took. Up to half of it goes to looks
// at trainers, whose steps are short beside the time between steps and decide what every change brings; the rest to
// looks at up to kMostClose workers.
// **Errors** WorldError when it ends before a second was seen.
// **Checked by** tests/core/observe/watch_job_test.cpp, tests/validation/attach
inline constexpr int kMostClose = 16;
JobWatch watch_job(const JobTree& job, const WatchOptions& options);

}  // namespace stallcast
