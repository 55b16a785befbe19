#include "core/probe/disk/whole_files.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/diagnostics/file_calls.h"
#include "core/probe/disk/file_access.h"
#include "core/probe/disk/thread_team.h"

namespace stallcast {
namespace {

constexpr std::uint64_t kLargestChunk = std::uint64_t{1} << 20;

struct Chunk {
  std::byte* data;
  std::uint64_t bytes;
};

// Reads what `file` held when it was listed; no more, should it have grown.
void read_to_end(const OpenFile& file, std::uint64_t listed_bytes, Chunk chunk, RequestOutcome& outcome) {
  std::uint64_t done = 0;
  while (done < listed_bytes) {
    const std::uint64_t wanted = std::min(chunk.bytes, whole_pages(listed_bytes - done));
    const ssize_t got = read_at(file.descriptor, chunk.data, wanted, done);
    if (got < 0) {
      outcome.error = errno;
      return;
    }
    done += static_cast<std::uint64_t>(got);
    if (static_cast<std::uint64_t>(got) < wanted) break;
  }
  outcome.bytes = static_cast<std::uint32_t>(std::min(done, listed_bytes));
  outcome.ended_early = done < listed_bytes;
}

}  // namespace

WholeFiles::WholeFiles(std::vector<SampledFile> files, bool direct) : files_(std::move(files)), direct_(direct) {
  double sum = 0.0;
  for (const SampledFile& file : files_) {
    sum += static_cast<double>(file.bytes);
    chunk_bytes_ = std::max(chunk_bytes_, std::min(kLargestChunk, whole_pages(file.bytes)));
  }
  if (!files_.empty()) mean_bytes_ = sum / static_cast<double>(files_.size());
}

const SampledFile& WholeFiles::next() { return files_[turn_.fetch_add(1, std::memory_order_relaxed) % files_.size()]; }

VisitTally WholeFiles::run(const Visit& visit, Allowance& allowance) {
  const bool reads = visit.pattern == AccessPattern::kWholeFile;
  std::byte* const buffers =
      reads ? buffer_.at_least(chunk_bytes_ * static_cast<std::size_t>(visit.in_flight)) : nullptr;
  return run_on_threads(visit.in_flight, [&](int thread, double now_s, RequestOutcome& outcome) {
    const SampledFile& listed = next();
    if (!allowance.take(reads ? whole_pages(listed.bytes) : 0, now_s)) return false;
    OpenFile opened;
    const int error = open_regular(listed.path, direct_, opened);
    const OwnedFile file(opened);
    if (error == ENOENT) {
      outcome.ended_early = true;  // it is gone
    } else if (error != 0) {
      outcome.error = error;
    } else if (reads) {
      read_to_end(opened, listed.bytes, {buffers + static_cast<std::size_t>(thread) * chunk_bytes_, chunk_bytes_},
                  outcome);
    }
    return true;
  });
}

void WholeFiles::drop_next(std::uint64_t bytes) const {
  std::uint64_t dropped = 0;
  for (std::size_t i = 0; i < files_.size() && dropped < bytes; ++i) {
    const SampledFile& listed = files_[(turn_.load() + i) % files_.size()];
    dropped += listed.bytes;
    OpenFile opened;
    if (open_regular(listed.path, false, opened) != 0) continue;
    const OwnedFile file(opened);
    drop_from_cache(opened);
  }
}

}  // namespace stallcast
