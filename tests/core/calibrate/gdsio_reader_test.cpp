#include "tests/core/calibrate/reader_fixture.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using GdsioReader = ReaderTest;

// 4,096 requests of 1 MiB in 2 s are 2 GiB/s; with 4 threads each takes 4 / 2048 s = 1953.125 us.
std::string result(const std::string& kind, const std::string& way, const std::string& throughput = "2.000000 GiB/sec,",
                   const std::string& latency = "1953.125000 usecs") {
  return "IoType: " + kind + " XferType: " + way + " Threads: 4 DataSetSize: 4194304/8388608(KiB) IOSize: 1024(KiB) " +
         "Throughput: " + throughput + " Avg_Latency: " + latency + " ops: 4096 total_time 2.000000 secs\n";
}

TEST_F(GdsioReader, ReadsEachWayOfTransfer) {
  const Measurements measured = read_text("some words\n" + result("READ", "GPUD") + result("WRITE", "GPUD") +
                                          result("RANDREAD", "CPU_CACHED_GPU"));
  EXPECT_EQ(measured.tool, "gdsio");
  ASSERT_THAT(measured.reads, SizeIs(2));
  const ReadPoint& point = measured.reads[0];
  EXPECT_EQ(point.engine, "gdsio GPUD");
  EXPECT_EQ(point.pattern, AccessPattern::kSequential);
  EXPECT_EQ(point.in_flight, 4.0);
  EXPECT_EQ(point.request_bytes, 1048576.0);
  EXPECT_EQ(point.bytes_per_s(), 2147483648.0);
  EXPECT_DOUBLE_EQ(point.latency.mean_s, 1.953125e-3);
  EXPECT_TRUE(point.direct);
  EXPECT_EQ(measured.reads[1].pattern, AccessPattern::kRandom);
  EXPECT_FALSE(measured.reads[1].direct);
  EXPECT_THAT(measured.reads[1].from, HasSubstr("line 4"));
}

TEST_F(GdsioReader, ReadsBatchesAndBrokenLines) {
  std::string batch = result("READ", "GPU_BATCH", "2 GiB/sec,", "7812.5 usecs");  // 16 in flight
  batch.replace(batch.find(" DataSetSize"), 1, " IoDepth: 4\n");
  EXPECT_EQ(read_text(batch).reads.at(0).in_flight, 16.0);
}

TEST_F(GdsioReader, LeavesOutWhatHasMoreInFlightThanItSays) {
  EXPECT_THAT(codes(result("READ", "GPU_ASYNC", "2 GiB/sec,", "15625 usecs")),  // 32 by Little's law
              ElementsAre("warning not_one_point", "error no_reads"));
}

TEST_F(GdsioReader, RefusesOtherUnitsAndPartsOfLines) {
  EXPECT_THAT(message(result("READ", "GPUD", "2.0 GB/sec,")), HasSubstr("wrong_unit] at line 1"));
  EXPECT_THAT(codes(result("READ", "GPUD", "2.0 GiB/sec,", "2 msecs")), ElementsAre("error wrong_unit"));
  EXPECT_THAT(codes(result("READ", "GPUD", "3.0 GiB/sec,")), ElementsAre("error contradiction"));
  EXPECT_THAT(codes(result("READ", "GPUD", "nan GiB/sec,")), ElementsAre("error out_of_range"));
  const std::string whole = result("READ", "GPUD");
  EXPECT_THAT(codes(whole.substr(0, whole.find("ops:"))), ElementsAre("error missing_value", "error missing_value"));
  EXPECT_THAT(codes(result("WRITE", "GPUD")), ElementsAre("error no_reads"));
}

}  // namespace
}  // namespace stallcast
