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
    if (next_ == 0) read_block();
    const double draw = to_unit(bits_);
    advance();
    log_ahead_ = kNotReady;
    return draw;
  }

  // The next exponential variate with the given mean: of the next uniform(). **Cost** a logarithm, made ready one call
  // early: which event comes next depends on the variate, and the processor guesses that until it is known.
  double exponential(double mean) {
    if (log_ahead_ == kNotReady) {
      if (next_ == 0) read_block();
      log_ahead_ = std::log(to_unit(bits_));
    }
    const double variate = -mean * log_ahead_;
    advance();
    log_ahead_ = std::log(to_unit(bits_));
    return variate;
  }

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
  void read_block() {
    const Pair pair = pair_at(next_ >> 1);
    bits_ = pair.first;
    second_ = pair.second;
  }
  void advance() {
    if ((++next_ & 1) == 0) {
      read_block();
    } else {
      bits_ = second_;
    }
  }
  static double to_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1.0p-52; }

  static constexpr double kNotReady = 1.0;  // no logarithm of a draw is

  Generator::key_type key_{};
  std::array<std::uint32_t, 2> high_{};
  std::uint64_t next_ = 0;
  std::uint64_t bits_ = 0;        // of draw next_, once the first was asked for
  std::uint64_t second_ = 0;      // of the draw after it, where that is in the same block
  double log_ahead_ = kNotReady;  // of draw next_
};

}  // namespace stallcast
