// What the parts of the real loader cost alone on this machine, beside reading and decoding.
#pragma once

#include <stop_token>

#include "core/backtest/loader/sample_files.h"

namespace stallcast {

// **Units** seconds
struct MachineCosts {
  double sleep_over_s = 0.0;    // by which a sleep ends late, the cores idle
  double busy_wake_s = 0.0;     // by which it ends later than that, on average, with two threads at work on every core
  double next_ready_s = 0.0;    // next() with the batch there
  double hand_off_s = 0.0;      // wall time per batch of one worker with nothing to load, the consumer always asking
  double worker_start_s = 0.0;  // until the batches of a further worker arrive
};
// **Range** cores >= 1. **Cost** about 1 s
MachineCosts measure_machine_costs(int cores, const std::stop_token& stop = {});

// Processor time that reading takes: part of what the probe sees as latency, and the part that needs a core.
struct ReadCpu {
  double s_per_file = 0.0;
  double s_per_byte = 0.0;
  double wall_s_per_file = 0.0;  // of those read, one at a time
  double files = 0.0, bytes = 0.0;
  bool direct = true;  // past the page cache
};

// Reads files one after the other for `seconds` or `bytes`, whichever comes first.
// **Errors** WorldError of a file.
ReadCpu measure_read_cpu(const SampleFiles& files, double seconds, double bytes, std::uint64_t seed,
                         const std::stop_token& stop = {});

}  // namespace stallcast
