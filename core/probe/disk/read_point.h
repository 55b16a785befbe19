// One measured operating point of a storage system: so many requests of one size in flight gave this throughput. The
// probe makes them, readers of other tools' results make them, and the fit (core/calibrate) starts from them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace stallcast {

enum class AccessPattern {
  kSequential,  // requests follow one another in a file
  kStream,      // so many readers, each going through bytes of its own in order, through the page cache
  kRandom,      // at random positions of files that are open
  kWholeFile,   // open, read to the end, close; request_bytes is the mean size of the files
  kOpen,        // open and close
  kStat,        // attributes of a file
  kList,        // names of a directory or of a prefix: requests are names
};

// "sequential", "random", "whole_file", "open", "stat", "list"
const char* access_pattern_name(AccessPattern pattern);

// How long requests took, from being issued to being complete. **Units** seconds; 0 = not known
struct LatencySummary {
  double mean_s = 0.0;
  double min_s = 0.0, max_s = 0.0;
  std::vector<std::pair<double, double>> quantiles;  // (probability, s), ascending

  // Linear between those known, the nearest beyond them; 0 when none is known.
  double quantile(double probability) const;
};

struct ReadPoint {
  AccessPattern pattern = AccessPattern::kRandom;
  double request_bytes = 0.0;
  double in_flight = 1.0;                 // requests at a time, in all: queue depth times threads
  std::string engine;                     // "io_uring", "pread", "https", "fio psync", ...
  bool direct = false;                    // past the page cache
  double seconds = 0.0;                   // measured, ramp-up left out
  double requests = 0.0;                  // completed in it
  double bytes = 0.0;                     // likewise
  double errors = 0.0;                    // requests that failed, those tried again included
  double throttled = 0.0;                 // of these, refused because of their rate (503, 429)
  LatencySummary latency;                 // of one request
  LatencySummary first_byte;              // of one request, where it is seen apart (objects)
  double relative_sd = 0.0;               // of bytes_per_s between slices or passes, of one of them; 0 = not known
  std::vector<double> slice_bytes_per_s;  // in order of time, slices of about equal length; empty = not kept
  std::vector<double> slice_at_s;         // middle of each, since the measurement began; empty = not known
  std::vector<int> slice_visit;  // which stay at this point it is from, 0, 1, ..., others between; empty = not known
  std::string from;              // file and place that it was read from

  double bytes_per_s() const { return seconds > 0 ? bytes / seconds : 0.0; }
  double requests_per_s() const { return seconds > 0 ? requests / seconds : 0.0; }
};

}  // namespace stallcast
