// Requests that begin with a name: a file opened, read to its end and closed, or opened and closed.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/probe/disk/file_sample.h"
#include "core/probe/disk/huge_buffer.h"
#include "core/probe/disk/read_engine.h"

namespace stallcast {

// Files of a sample in turn, by a thread per request in flight; a later visit goes on where the last one ended.
class WholeFiles {
 public:
  // Reads past the page cache if `direct`, in requests of at most 1 MiB.
  WholeFiles(std::vector<SampledFile> files, bool direct);

  // **Range** visit.pattern is kWholeFile or kOpen.
  VisitTally run(const Visit& visit, Allowance& allowance);

  // Lets the page cache forget the files that the next visit reads with `bytes`.
  void drop_next(std::uint64_t bytes) const;

  std::size_t count() const { return files_.size(); }
  double mean_bytes() const { return mean_bytes_; }

 private:
  const SampledFile& next();

  std::vector<SampledFile> files_;
  bool direct_;
  double mean_bytes_ = 0.0;
  std::uint64_t chunk_bytes_ = kPageBytes;
  std::atomic<std::uint64_t> turn_{0};
  HugeBuffer buffer_;
};

}  // namespace stallcast
