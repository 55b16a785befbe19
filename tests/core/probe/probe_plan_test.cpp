#include "core/probe/probe_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/units/binary_multiples.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;

PlanInput large_file(double bytes) {
  PlanInput input;
  input.bytes = bytes;
  input.max_in_flight = 64;
  input.largest_block_bytes = 1 << 30;
  return input;
}

// (2 n + 8) blocks of 4 MiB within 2 GiB / 16 = 128 MiB: n <= 12, so 8. Of 1 MiB: n <= 60, so 32. Smaller ones reach
// the 64 that are allowed.
TEST(ProbePlan, ClimbsAsFarAsAPointIsASixteenthOfTheBytes) {
  const std::vector<Ladder> ladders = plan_ladders(large_file(2048 * kMiB));
  ASSERT_EQ(ladders.size(), 7u);
  EXPECT_THAT(ladders[0].in_flight, ElementsAre(1, 2, 4, 8, 16, 32, 64));
  EXPECT_EQ(ladders[3].block_bytes, 1u << 20);
  EXPECT_THAT(ladders[3].in_flight, ElementsAre(1, 2, 4, 8, 16, 32));
  EXPECT_EQ(ladders[4].block_bytes, 4u << 20);
  EXPECT_THAT(ladders[4].in_flight, ElementsAre(1, 2, 4, 8));
  EXPECT_EQ(ladders[5].pattern, AccessPattern::kSequential);
  EXPECT_EQ(ladders[6].block_bytes, 1u << 20);
}

// 64 MiB / 256 = 256 KiB is the largest block.
TEST(ProbePlan, SmallLimitsLeaveLargeBlocksOut) {
  std::uint64_t largest = 0;
  for (const Ladder& ladder : plan_ladders(large_file(64 * kMiB))) largest = std::max(largest, ladder.block_bytes);
  EXPECT_EQ(largest, 256u << 10);
}

TEST(ProbePlan, BlocksFitTheFiles) {
  PlanInput input = large_file(2048 * kMiB);
  input.largest_block_bytes = 65536;
  for (const Ladder& ladder : plan_ladders(input)) EXPECT_LE(ladder.block_bytes, 65536u);
  input.largest_block_bytes = 0;
  EXPECT_TRUE(plan_ladders(input).empty());
}

TEST(ProbePlan, NoMoreFilesAtATimeThanThereAre) {
  PlanInput input = large_file(2048 * kMiB);
  input.whole_file_bytes = 110000.0;
  input.whole_files = 5;
  const Ladder last = plan_ladders(input).back();
  EXPECT_EQ(last.pattern, AccessPattern::kWholeFile);
  EXPECT_THAT(last.in_flight, ElementsAre(1, 2, 4));
}

// A stream reads at least 32 MiB, or four times what the kernel reads ahead: of 2 GiB / 16 = 128 MiB four streams of
// 8 MiB ahead are allowed, and of files of 64 MiB two.
TEST(ProbePlan, StreamsReadSeveralWindowsAhead) {
  PlanInput input = large_file(2048 * kMiB);
  input.stream_bytes = 1024 * kMiB;
  input.read_ahead_bytes = 8 * kMiB;
  Ladder last = plan_ladders(input).back();
  EXPECT_EQ(last.pattern, AccessPattern::kStream);
  EXPECT_THAT(last.in_flight, ElementsAre(1, 2, 4));
  input.stream_bytes = 64 * kMiB;
  EXPECT_THAT(plan_ladders(input).back().in_flight, ElementsAre(1, 2));
  input.read_ahead_bytes = 128 * kKiB;
  EXPECT_THAT(plan_ladders(input).back().in_flight, ElementsAre(1, 2, 4, 8, 16, 32, 64));
  EXPECT_EQ(wanted_stream_bytes(1, 128 * kKiB), 32 * kMiB);
  EXPECT_EQ(wanted_stream_bytes(4, 16 * kMiB), 256 * kMiB);
}

// 32 MiB of 4 KiB is 8192 requests, of 64 KiB 512; below 16 of 4 MiB there is no fewer.
TEST(ProbePlan, AVisitMeasuresAFewTensOfMebibytes) {
  EXPECT_EQ(wanted_requests(4096), 8192);
  EXPECT_EQ(wanted_requests(65536), 512);
  EXPECT_EQ(wanted_requests(4 * kMiB), 16);
  EXPECT_EQ(visit_bytes(kMiB, 8, 32), 48 * kMiB);
}

}  // namespace
}  // namespace stallcast
