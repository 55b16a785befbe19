#include "core/calibrate/read/read_elbencho.h"
#include "tests/core/calibrate/reader_fixture.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using ElbenchoReader = ReaderTest;

// Columns in the order of elbencho 3, with one that no version has, and three phases.
constexpr const char* kHeader =
    "ISO date,label,path type,paths,hosts,threads,dirs,files,file size,block size,direct IO,random,random aligned,"
    "IO depth,new column,operation,time ms [first],time ms [last],entries/s [first],entries/s [last],IOPS [first],"
    "IOPS [last],MiB/s [first],MiB/s [last],MiB [first],MiB [last],Ent lat us [min],Ent lat us [avg],"
    "Ent lat us [max],IO lat us [min],IO lat us [avg],IO lat us [max],version,command\n";

std::string row(const std::string& operation, const std::string& path_type, const std::string& random,
                const std::string& file_size, const std::string& figures) {
  return "2026-11-01T10:00:00,\"a, b\"," + path_type + ",1,2,8,1,4," + file_size + ",1048576,1," + random + ",,4,x," +
         operation + "," + figures + ",3.1-1,\"elbencho -r -t 8\"\n";
}

// First done after 8 s with 8,000 MiB, last after 10 s with 9,000: 1,000 then 900 requests/s of 1 MiB.
constexpr const char* kFigures = "8000,10000,10,9,1000,900,1000,900,8000,9000,1,2,3,100,64000,200000";

TEST_F(ElbenchoReader, TakesTheRateWhileAllThreadsWorked) {
  const Measurements measured =
      read_text(kHeader + row("WRITE", "file", "0", "1073741824", kFigures) +
                row("READ", "file", "1", "1073741824", kFigures) + row("RMFILES", "file", "", "", "1,2,,,,,,,,,,,,,,"));
  EXPECT_EQ(measured.tool, "elbencho");
  ASSERT_THAT(measured.reads, SizeIs(1));
  const ReadPoint& point = measured.reads[0];
  EXPECT_EQ(point.pattern, AccessPattern::kRandom);
  EXPECT_EQ(point.in_flight, 2 * 8 * 4.0);  // hosts, threads of each, depth
  EXPECT_EQ(point.request_bytes, 1048576.0);
  EXPECT_DOUBLE_EQ(point.requests_per_s(), 1000.0);
  EXPECT_EQ(point.seconds, 8.0);
  EXPECT_TRUE(point.direct);
  EXPECT_DOUBLE_EQ(point.latency.mean_s, 0.064);  // Little: 1000 /s * 64 ms = 64 in flight
  // Rates 1000 and 900: their deviation is 100 / sqrt 2, their mean 950.
  EXPECT_DOUBLE_EQ(point.relative_sd, 100 / std::sqrt(2.0) / 950);
  ASSERT_NE(observation(measured, "straggler_spread"), nullptr);
  EXPECT_DOUBLE_EQ(observation(measured, "straggler_spread")->value, 0.2);  // 2 of 10 s
}

TEST_F(ElbenchoReader, TakesTheEndWhenOneThreadWasDoneEarly) {
  const Measurements measured = read_text(
      kHeader + row("READ", "file", "0", "1073741824", "2000,10000,,,1000,900,1000,900,2000,9000,1,2,3,4,5,6"));
  EXPECT_EQ(measured.reads.at(0).seconds, 10.0);
  EXPECT_DOUBLE_EQ(measured.reads.at(0).requests_per_s(), 900.0);
  EXPECT_EQ(measured.reads.at(0).pattern, AccessPattern::kSequential);
}

TEST_F(ElbenchoReader, FilesOfOneBlockInAFolderAreReadWhole) {
  // Files of 100,000 bytes: 1,000 a second are 100 MB/s, 762.9 MiB in 8 s; a block is only their upper bound.
  const Measurements measured = read_text(
      kHeader + row("READ", "dir", "0", "100000", "8000,8000,1000,1000,1000,1000,95,95,763,763,10,500,900,4,5,6"));
  const ReadPoint& point = measured.reads.at(0);
  EXPECT_EQ(point.pattern, AccessPattern::kWholeFile);
  EXPECT_NEAR(point.request_bytes, 100000.0, 100.0);  // MiB are whole numbers
  EXPECT_DOUBLE_EQ(point.latency.mean_s, 500e-6);     // of an entry, open and close included
}

TEST_F(ElbenchoReader, NamesWhatIsMissingOrWrong) {
  std::string header = kHeader;
  header.replace(header.find("threads"), 7, "workers");
  EXPECT_THAT(message(header + row("READ", "file", "0", "1", kFigures)), HasSubstr("missing_column] at threads"));
  EXPECT_THAT(codes(kHeader + row("WRITE", "file", "0", "1", kFigures)), ElementsAre("error no_reads"));
  EXPECT_THAT(message(kHeader + row("READ", "file", "0", "1", "8000,ten,,,1,1,1,1,1,1,1,1,1,1,1,1")),
              HasSubstr("line 2, time ms [last]"));
  EXPECT_THAT(codes(kHeader + row("READ", "file", "0", "1", "8000,inf,,,1,1,1,1,1,1,1,1,1,1,1,1")),
              ::testing::Contains("error out_of_range"));
  EXPECT_THAT(codes(std::string(kHeader) + "2026,READ\n"), ElementsAre("error wrong_row"));
}

}  // namespace
}  // namespace stallcast
