// The luck of a run: what each sample and step costs, as a function of (seed, rank, number), never of order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/engine/random_stream.h"
#include "core/scenario/representatives.h"
#include "core/scenario/scenario.h"
#include "core/units/prepared_quantile.h"

namespace stallcast {

// One sample of one rank: what reading and decoding it takes, before any contention.
struct SampleDraw {
  double size_bytes = 0.0;  // on storage
  double decode_s = 0.0;    // CPU time, alone on a core
};

// Draws recorded elsewhere, replayed instead of random ones so that only the model differs from a measured run.
// **Shape** each inner vector is indexed by the rank's running sample (or step) number over all epochs.
struct ReplayedDraws {
  struct Rank {
    std::vector<double> latency_s, size_bytes, decode_s, step_s;
  };
  std::vector<Rank> ranks;
};

class Draws {
 public:
  Draws(const Scenario& scenario, std::uint64_t seed, std::shared_ptr<const ReplayedDraws> replay, Grain grain = {});

  // Of the `count` samples that a worker reads for a batch, how many are one load; recorded ones are read one by one.
  std::int64_t samples_of_load(std::int64_t count) const {
    constexpr std::int64_t kPairsFrom = 4;
    if (replay_) return 1;
    return std::max<std::int64_t>(shared_out(count, grain_.loads_of_batch),
                                  grain_.in_pairs && count >= kPairsFrom ? 2 : 1);
  }
  // Of the `count` requests of a sample, how many are one read.
  std::int64_t requests_of_read(std::int64_t count) const { return shared_out(count, grain_.reads_of_sample); }

  // **Range** rank in [0, ranks); `number` counts the rank's samples over all epochs.
  SampleDraw sample(std::int64_t rank, std::uint64_t number) const {
    return alike_ ? *alike_ : drawn_sample(rank, number);
  }
  // Request to first byte, of the sample's requests.
  double latency_s(std::int64_t rank, std::uint64_t number) const;
  // The same of `count` samples from `number` on together: from one draw, with the mean and the variance of so many.
  SampleDraw samples(std::int64_t rank, std::uint64_t number, std::int64_t count) const;
  double latencies_s(std::int64_t rank, std::uint64_t number, std::int64_t count) const;
  double open_latencies_s(std::int64_t rank, std::uint64_t number, std::int64_t count) const;
  double step_s(std::int64_t rank, std::uint64_t step) const;
  // GPU time to decode samples [first, first + count) of the rank, without decompressing. **Cost** one draw a sample.
  double gpu_decode_s(std::int64_t rank, std::uint64_t first, std::int64_t count) const;
  double open_latency_s(std::int64_t rank, std::uint64_t number) const;

 private:
  SampleDraw drawn_sample(std::int64_t rank, std::uint64_t number) const;
  // The least number of things in each of at most `most` parts; 1 where `most` is 0.
  static std::int64_t shared_out(std::int64_t count, std::int64_t most) {
    return most > 0 ? (count + most - 1) / most : 1;
  }

  struct RankStreams {
    RandomStream latency, size, decode, step, open, gpu_decode;
  };
  const Scenario* scenario_;
  PreparedQuantile size_, decode_, latency_, open_, step_time_, gpu_decode_;
  std::vector<RankStreams> ranks_;
  std::shared_ptr<const ReplayedDraws> replay_;
  Grain grain_;
  std::optional<SampleDraw> alike_;  // what every sample is, when nothing about it is drawn
};

// Mean compute time of one micro-step by whichever form the scenario gives it in. **Errors** none after check().
Distribution micro_step_time(const Scenario& scenario);

}  // namespace stallcast
