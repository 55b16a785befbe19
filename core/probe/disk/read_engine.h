// Ways to keep so many reads of open files in flight. One is chosen for a probe; it is called once per visit of an
// operating point, and the loop over requests is its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/probe/disk/allowance.h"
#include "core/probe/disk/read_point.h"

namespace stallcast {

// Direct reads start at and hold multiples of this, and so do the page cache's.
inline constexpr std::uint64_t kPageBytes = 4096;

inline std::uint64_t whole_pages(std::uint64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

struct OpenFile {
  int descriptor = -1;
  std::uint64_t bytes = 0;
};

// One of several stays at an operating point.
struct Visit {
  AccessPattern pattern = AccessPattern::kRandom;
  std::uint64_t block_bytes = kPageBytes;  // of a request
  int in_flight = 1;
  std::uint64_t seed = 1;  // of the positions
};

struct Completion {
  double at_s = 0.0;  // monotonic_s
  float latency_s = 0.0F;
  std::uint32_t bytes = 0;
};

// What happened on a visit, the ramps up and down included.
struct VisitTally {
  std::vector<Completion> completions;  // ascending in time
  double began_s = 0.0;
  double full_until_s = 0.0;      // from here on no request took the place of one that completed
  std::uint64_t errors = 0;       // requests that failed
  std::uint64_t ended_early = 0;  // requests that returned less than the file held when it was opened
  int first_error = 0;            // errno of the first that failed
};

class ReadEngine {
 public:
  ReadEngine() = default;
  ReadEngine(const ReadEngine&) = delete;
  ReadEngine& operator=(const ReadEngine&) = delete;
  virtual ~ReadEngine() = default;

  // Reads blocks of `files` until `allowance` is used up; everything issued has completed on return.
  // **Range** at least one block fits into one of the files.
  virtual VisitTally run(const Visit& visit, const std::vector<OpenFile>& files, Allowance& allowance) = 0;
  virtual std::string name() const = 0;  // of ReadPoint::engine
};

// Requests by io_uring from one thread; nothing, and the reason in `why_not`, where the kernel or this build has none.
std::unique_ptr<ReadEngine> make_uring_engine(std::string& why_not);

// A thread per request in flight, with pread. `before_read` is called with the bytes of each request before it is
// issued and counts as a part of it; tests slow a storage down with it.
std::unique_ptr<ReadEngine> make_thread_engine(std::function<void(std::uint64_t)> before_read = {});

}  // namespace stallcast
