// Whether the source of a job gives more to more readers: asked of it by reading beside the job for a moment.
#pragma once

#include <filesystem>
#include <stop_token>

#include "core/observe/job_figures.h"
#include "core/observe/proc/job_tree.h"

namespace stallcast {

struct ReadersTried {
  int readers = 0;               // that were added to those of the job
  double job_bytes_per_s = 0.0;  // of its workers, meanwhile
  double own_bytes_per_s = 0.0;
  double own_bytes = 0.0;
  double exponent = 0.0, error = 0.0;          // rate of all ~ readers ^ exponent
  double job_exponent = 0.0, job_error = 0.0;  // the same by what the job lost meanwhile
};

// As many readers as the job has waiting at a time, up to kMostTriers, read from the files that it reads, at random
// places in requests of the job's size, for up to kTryTime_s and kTryBytes, past the page cache where the file system
// lets them.
// **Model** with k readers of the job and m more, (job + own) / (job before) = ((k + m) / k) ^ exponent, and
// (job meanwhile) / (job before) = ((k + m) / k) ^ (job_exponent - 1). Where the first is below a half by two standard
// errors, all have one pace. Where the second is below one, readers take from each other: each has a pace of its own up
// to a limit of all, which is what all were given. Else each has its own.
// **Errors** nothing where no file was seen, where it cannot be opened from here, or what was read came from a cache.
// **Checked by** tests/core/observe/job_scenario_test.cpp, tests/validation/attach
inline constexpr double kTryTime_s = 3.0;
inline constexpr double kTryBytes = 256e6;
inline constexpr int kMostTriers = 8;
std::optional<ReadersTried> try_readers(const JobTree& job, const JobWatch& watch, const JobFigures& figures,
                                        const std::stop_token& stop, const std::filesystem::path& proc = "/proc");

// `figures` with what was tried in them.
JobFigures with_readers_tried(JobFigures figures, const ReadersTried& tried);

}  // namespace stallcast
