// Brackets that nobody measured: what is pooled, called noise and called drift follows from their numbers.
#include "core/backtest/brackets.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/backtest/made_up_machine.h"
#include "tests/core/backtest/temporary_files.h"

namespace stallcast {
namespace {

// Decoding `decode` ns a byte, reading `read` times what the probe said.
Bracket bracket(double decode, double read) {
  Bracket out;
  out.decode_s_per_byte = out.decode_together_s_per_byte = 1e-9 * decode;
  out.read_alone = out.read_together = out.read_rested = read;
  return out;
}

TEST(Brackets, PoolIsTheMeanInWhichOlderOnesCountLess) {
  EXPECT_DOUBLE_EQ(pooled({bracket(2.0, 1.0)}).decode_s_per_byte, 2e-9);
  // (1 x 2 + 0.7 x 1) / 1.7
  EXPECT_NEAR(pooled({bracket(1.0, 1.0), bracket(2.0, 1.0)}).decode_s_per_byte, 2.7 / 1.7 * 1e-9, 1e-21);
  // What was not measured counts for nothing.
  EXPECT_DOUBLE_EQ(pooled({bracket(1.0, 3.0), bracket(2.0, 0.0)}).read_alone, 3.0);
}

// 10 % up, and 10 % of 1.1 down: the mean of what a person would call the changes.
TEST(Brackets, DriftOfTenPercentIsReportedAsTenPercent) {
  const BracketDrift drift = drift_between({bracket(1.0, 1.0), bracket(1.1, 1.0), bracket(0.99, 1.0)});
  EXPECT_NEAR(drift.decode, 0.10, 1e-12);
  EXPECT_EQ(drift.read, 0.0);
  EXPECT_EQ(drift_between({bracket(1.0, 1.0)}).decode, 0.0);
}

// The second is ln 1.2 from the first; the third is where the pool of both is.
TEST(Brackets, NoiseIsTheDistanceFromThePoolBefore) {
  const double pool = pooled({bracket(1.0, 1.0), bracket(1.2, 1.0)}).decode_s_per_byte * 1e9;
  const MachineNoise noise = noise_of({bracket(1.0, 1.0), bracket(1.2, 1.0), bracket(pool, 1.0)});
  EXPECT_NEAR(noise.decode, std::log(1.2) / std::sqrt(2.0), 1e-9);
  EXPECT_EQ(noise.decode_freedom, 4.0);  // alone and together, twice
  EXPECT_EQ(noise.read, 0.0);
  EXPECT_EQ(noise.read_freedom, 6.0);  // alone, together and rested, twice
  EXPECT_EQ(noise_of({bracket(1.0, 1.0)}).decode_freedom, 0.0);
}

// Of the one machine that a test has nothing is known but that everything takes time and that it stays within its
// bytes.
TEST(Brackets, MeasureAllPartsWithinTheirBytes) {
  const TemporaryFiles directory(std::vector<std::size_t>(20, 100000));
  const SampleFiles files = find_sample_files(directory.path());
  BracketPlan plan;
  plan.cores = 2;
  plan.readers = 2;
  plan.sample_bytes = 1e5;
  plan.rest_s = 1e-4;
  plan.rhythm = {0.001, 1e-4};
  plan.seconds = 0.4;
  plan.bytes = 3e6;
  const Bracket out = measure_bracket(files, made_up_machine().storage, 0.0, plan);
  EXPECT_TRUE(out.whole());
  EXPECT_GT(out.decode_together_s_per_byte, 0.0);
  EXPECT_GT(out.read_together, 0.0);
  EXPECT_GT(out.read_rested, 0.0);
  double sum = 0.0, count = 0.0;
  for (const auto& stretch : out.pace)
    for (const double pace : stretch) {
      sum += 1.0 / pace;
      count += 1.0;
    }
  EXPECT_NEAR(sum / count, 1.0, 1e-9);  // relative to their mean rate
}

TEST(Brackets, StoppedAreNotWhole) {
  const TemporaryFiles directory({100000});
  std::stop_source source;
  source.request_stop();
  BracketPlan plan;
  EXPECT_FALSE(
      measure_bracket(find_sample_files(directory.path()), made_up_machine().storage, 0.0, plan, source.get_token())
          .whole());
}

}  // namespace
}  // namespace stallcast
