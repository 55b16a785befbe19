// Whether the source of a job gives more to more readers: asked of it by reading beside the job for a moment.
#pragma once

#include <filesystem>
#include <stop_token>

#include "core/observe/job_figures.h"
#include "core/observe/job_tree.h"

namespace stallcast {

struct ReadersTried {
  int readers = 0;               // that were added to those of the job
  double job_bytes_per_s = 0.0;  // of its workers, meanwhile
  double own_bytes_per_s = 0.0;
  double own_bytes = 0.0;
  double exponent = 0.0, error = 0.0;  // rate of all ~ readers ^ exponent
};

// Half as many readers as the job has waiting at a time, and at least one, read from the files that it reads, at random
// places in requests of the job's size, for up to kTryTime_s and kTryBytes, past the page cache where the file system
// lets them.
// **Model** with k readers of the job and m more, (job + own) / (job before) = ((k + m) / k) ^ exponent.
// **Errors** nothing where no file was seen, where it cannot be opened from here, or what was read came from a cache.
// **Checked by** tests/validation/attach
inline constexpr double kTryTime_s = 3.0;
inline constexpr double kTryBytes = 256e6;
std::optional<ReadersTried> try_readers(const JobTree& job, const JobWatch& watch, const JobFigures& figures,
                                        const std::stop_token& stop, const std::filesystem::path& proc = "/proc");

// `figures` with what was tried in them.
JobFigures with_readers_tried(JobFigures figures, const ReadersTried& tried);

}  // namespace stallcast
