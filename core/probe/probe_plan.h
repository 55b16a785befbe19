// Which operating points a probe of files visits: ladders of requests in flight, climbed until more of them no longer
// help, and how much of the limits a visit takes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/probe/disk/read_point.h"

namespace stallcast {

// One size of request and the numbers in flight to try with it, ascending.
struct Ladder {
  AccessPattern pattern = AccessPattern::kRandom;
  std::uint64_t block_bytes = 0;
  std::vector<int> in_flight;
  bool ends_at_knee = true;  // climbed only while throughput grows
  int importance = 0;        // the least important are given up first where time is short
};

struct PlanInput {
  double bytes = 0.0;  // that the plan may read
  int max_in_flight = 1;
  std::uint64_t largest_block_bytes = 0;  // that fits into a file often enough
  double whole_file_bytes = 0.0;          // mean of the files to be read whole; 0 = none are
  std::size_t whole_files = 0;
  double stream_bytes = 0.0;      // of the files that are long enough for streams; 0 = there are none
  double read_ahead_bytes = 0.0;  // that the kernel reads ahead of a stream
};

// **Model** The law X(n, b) = n / (L + R(n, b)) (core/calibrate/fit/storage_fit.h) has its latency in single requests,
// its stream's rate in large single ones, its IOPS in many small ones, its bandwidth in many large ones, and the held
// fraction in the curve between. Blocks of 4 KiB to 4 MiB, the small ones first; a block is left out when the limit
// holds fewer than 256 of it, and a number in flight n when (2 n + 8) blocks are more than 1/16 of it: such a point
// would be known badly and leave nothing for others. Files are read whole likewise. Streams ask for 128 KiB at a time,
// and the kernel for what it reads ahead.
std::vector<Ladder> plan_ladders(const PlanInput& input);

// Bytes that a visit with so many streams reads when nothing limits it: at least 32 MiB, and of each stream so many
// windows of read-ahead that the first ones, which are smaller, do not count.
double wanted_stream_bytes(int streams, double read_ahead_bytes);

// Files of this size and more are read as streams; shorter ones are at their end before the kernel reads far ahead.
inline constexpr double kShortestStream = 4.0 * 1024.0 * 1024.0;

// Requests that a visit measures when nothing limits it: 32 MiB, but 16 to 8192 of them.
double wanted_requests(double block_bytes);

// Bytes of a visit that measures `requests`: those before, until every request in flight has been replaced once, and
// those after, while the last ones complete.
double visit_bytes(double block_bytes, int in_flight, double requests);

// Requests that fill `in_flight` places once, empty them, and leave kFewestRequests between.
inline constexpr double kFewestRequests = 8.0;
inline double fewest_requests(int in_flight) { return 2.0 * in_flight + kFewestRequests; }

// Time that those take, as a multiple of the time of a request, if more in flight slow none down.
inline double fewest_turns(int in_flight) { return fewest_requests(in_flight) / in_flight; }

// Throughput must grow by this for the ladder to go on; twice less in a row is its end.
inline constexpr double kWorthwhileGain = 0.05;

}  // namespace stallcast
