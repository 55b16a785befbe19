// The stated work that stands for decoding: CRC-32 over the bytes of a sample, so many times. It reads what was read,
// its result depends on every byte, and its time is proportional to the bytes: one number per machine describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace stallcast {

// CRC-32 of `bytes`, taken `passes` times in a row; a fraction of a pass covers as much of the bytes from their start.
// **Range** passes >= 0. **Source** ISO 3309, as zlib computes it
std::uint32_t decode(std::span<const std::byte> bytes, double passes);

// What a pass costs.
struct DecodeCost {
  double s_per_byte = 0.0;                  // CPU time of one pass on one core
  double relative_sd = 0.0;                 // of one slice (about 20 ms) of the measurement
  double seconds = 0.0;                     // of measuring
  std::vector<std::vector<double>> slices;  // CPU seconds per byte of each slice in its order, by thread
};

// The rhythm of the work: bursts of CPU time with a wait before each. A core that has slept is slower for a while, and
// workers wait for a read before each sample. **Units** seconds
struct DecodeRhythm {
  double burst_s = 0.02;
  double wait_s = 0.0;  // 0 = none
};

// Measures decode() on `threads` threads at once, each on `sample_bytes` bytes of its own in memory, for `seconds`.
// **Errors** WorldError when so many threads cannot be had.
DecodeCost measure_decode(int threads, std::size_t sample_bytes, double seconds, const DecodeRhythm& rhythm = {},
                          const std::stop_token& stop = {});

}  // namespace stallcast
