// Random numbers that depend on names, not on order: a draw is a function of (seed, stream, index).
//
// Counter-based generator Philox4x32-10. Two runs that differ in one setting use the same draw for the same entity,
// purpose and index everywhere else (common random numbers).
// **Source** Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011; Random123 library.
#pragma once

#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace stallcast {

// What a stream is drawn for. New purposes go at the end, so that old draws stay what they were.
enum class DrawPurpose : std::uint32_t {
  kLatency,
  kSampleSize,
  kDecode,
  kStepTime,
  kOpenLatency,
  kShuffle,
  kWorkerStart,
  kTest,
  kReadLevel,
  kBackOff,
  kGpuDecode,
  kAbsentNodes,
  kFailure,
  kNodeLoss,
  kPeerLoss,
  kOutage,
  kDataLoss,
  kPreemption,
  kSlowServer,
  kUncertainInput
};

// One entity's stream for one purpose. **Range** uniform() is in (0, 1), never 0 or 1.
class RandomStream {
 public:
  RandomStream() = default;
  RandomStream(std::uint64_t seed, DrawPurpose purpose, std::uint64_t entity)
      : key_{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}},
        high_{static_cast<std::uint32_t>(entity),
              static_cast<std::uint32_t>(purpose) | static_cast<std::uint32_t>(entity >> 32) << 8} {}

  // The `index`-th draw of the stream, in any order. **Cost** one Philox block per call.
  double uniform_at(std::uint64_t index) const {
    const Pair pair = pair_at(index >> 1);
    return to_unit((index & 1) != 0 ? pair.second : pair.first);
  }

  // The next draw in sequence: uniform_at(0), uniform_at(1), ... **Cost** one Philox block per two calls, made ready
  // one call early, so that no event waits for it.
  double uniform() {
    if (next_ == 0) ahead_ = pair_at(0);
    const bool second = (next_++ & 1) != 0;
    const std::uint64_t bits = second ? ahead_.second : ahead_.first;
    if (second) ahead_ = pair_at(next_ >> 1);
    return to_unit(bits);
  }

  // The next exponential variate with the given mean.
  double exponential(double mean) { return -mean * std::log(uniform()); }

 private:
  using Generator = r123::Philox4x32;
  struct Pair {
    std::uint64_t first, second;
  };
  Pair pair_at(std::uint64_t block) const {
    const Generator::ctr_type counter{
        {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), high_[0], high_[1]}};
    const Generator::ctr_type out = Generator{}(counter, key_);
    return {std::uint64_t{out[1]} << 32 | out[0], std::uint64_t{out[3]} << 32 | out[2]};
  }
  static double to_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1.0p-52; }

  Generator::key_type key_{};
  std::array<std::uint32_t, 2> high_{};
  std::uint64_t next_ = 0;
  Pair ahead_{};  // the block of draw next_, once the first was drawn
};

}  // namespace stallcast
