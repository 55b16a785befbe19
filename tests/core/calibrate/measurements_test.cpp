// Files are told by what they hold, and what none of the readers knows is refused with one finding.
#include "core/calibrate/read/measurements.h"

#include <sys/stat.h>

#include "tests/core/calibrate/reader_fixture.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using MeasurementsTest = ReaderTest;

TEST_F(MeasurementsTest, RefusesWhatNoReaderKnowsAndListsWhatItReads) {
  EXPECT_THAT(message("a text of no kind\n"), HasSubstr("unknown_format"));
  EXPECT_THAT(message("a text of no kind\n"), HasSubstr("fio JSON or terse, elbencho CSV, gdsio text"));
  EXPECT_THAT(codes("{\"a\": 1}"), ElementsAre("error unknown_format"));
  EXPECT_THAT(codes("a,b\n1,2\n"), ElementsAre("error unknown_format"));
  EXPECT_THAT(codes(""), ElementsAre("error empty_file"));
  EXPECT_THAT(codes(" \n\n"), ElementsAre("error empty_file"));
  EXPECT_THAT(codes(std::string("\x7F"
                                "ELF\0\0\0",
                                7)),
              ElementsAre("error binary_file"));
  EXPECT_THAT(codes("{\"metric\": \"\xC3\x28\"}"), ElementsAre("error not_utf8"));
  EXPECT_THAT(codes("{\"metric\": "), ElementsAre("error invalid_json"));
  EXPECT_THAT(codes(std::string(200, '[')), ElementsAre("error unknown_format"));
  EXPECT_THAT(codes("{\"a\":" + std::string(200, '[')), ElementsAre("error too_deep"));
}

TEST_F(MeasurementsTest, AsksForSmallFilesUnpacked) {
  write_gzip("metrics.gz", "DCGM_FI_PROF_SM_ACTIVE 0.4\n");
  EXPECT_THAT(codes_of(file("metrics.gz")), ElementsAre("error compressed_file"));
}

TEST_F(MeasurementsTest, RefusesTextsOverItsLimit) {
  write("large", "DCGM_FI_PROF_SM_ACTIVE 0.4\n" + std::string((std::size_t{64} << 20), '\n'));
  EXPECT_THAT(codes_of(file("large")), ElementsAre("error too_large"));
}

TEST_F(MeasurementsTest, OpensNoPipesAndSaysWhatIsNotThere) {
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  EXPECT_THAT(codes_of(file("pipe")), ElementsAre("error not_a_file"));
  std::filesystem::create_directories(file("folder/inner"));
  ASSERT_EQ(::mkfifo(file("folder/pipe").c_str(), 0600), 0);
  EXPECT_THAT(codes_of(file("folder")), ElementsAre("error unknown_format"));
  EXPECT_THROW(read_measurements(file("nowhere")), WorldError);
  std::filesystem::create_symlink("loop", file("loop"));
  EXPECT_THROW(read_measurements(file("loop")), WorldError);
}

// Whatever becomes of a file on its way, it is read or refused with findings: nothing else is thrown, nothing hangs.
TEST_F(MeasurementsTest, ReadsOrRefusesAnyCutOrChangedFile) {
  const std::vector<std::string> samples = {
      R"({
"fio version": "fio-3.33", "jobs": [{"jobname": "a", "groupid": 0, "error": 0, "job options": {"rw": "read"},
  "read": {"io_bytes": 4096000, "runtime": 10, "total_ios": 1000, "clat_ns": {"mean": 5, "N": 3,
  "percentile": {"50.0": 7}}, "lat_ns": {"mean": 5, "N": 3}}, "write": {"io_bytes": 0}}]
})",
      "operation,hosts,threads,block size,direct IO,random,IO depth,time ms [first],time ms [last],IOPS [first],"
      "IOPS [last],MiB [first],MiB [last]\nREAD,1,2,4096,1,1,1,900,1000,100,99,1,1\n",
      "IoType: READ XferType: GPUD Threads: 4 DataSetSize: 4096/8192(KiB) IOSize: 1024(KiB) Throughput: 0.003906 "
      "GiB/sec, Avg_Latency: 1000 usecs ops: 4 total_time 1.0 secs\n",
      R"({"num_accelerators": 2, "num_hosts": 1, "num_files_train": 5, "num_samples_per_file": 2,
  "metric": {"train_au_percentage": [90, 91], "train_io_mean_MB_per_second": 5}})",
      R"({"1": {"start": "x", "duration": "9.00", "ckpt1": {"start": "x", "duration": "1"}}})",
      R"([{"name": "ProfilerStep#1", "ph": "X", "ts": 153, "dur": 14303},
  {"name": "enumerate(DataLoader)#a", "ph": "X", "ts": 160.5, "dur": 7}])",
      "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\",a=\"\\\"\"} 0.5 17\nDCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 50\n"};
  std::uint64_t state = 11;
  const auto draw = [&state](std::size_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state >> 33) % below;
  };
  std::size_t refused = 0, tried = 0;
  const auto try_one = [&](const std::string& text) {
    write("input", text);
    const auto loaded = read_measurements(file("input"));
    EXPECT_EQ(loaded.value.has_value(), !loaded.findings.has_errors()) << text;
    ++tried;
    if (!loaded.ok()) ++refused;
  };
  for (const std::string& sample : samples) {
    try_one(sample);
    EXPECT_EQ(refused, 0U) << message(sample);
    refused = 0;
    for (std::size_t cut = 0; cut < sample.size(); cut += 5) try_one(sample.substr(0, cut));
    for (int i = 0; i < 100; ++i) {
      std::string changed = sample;
      for (std::size_t n = 1 + draw(3); n > 0; --n) changed[draw(changed.size())] = static_cast<char>(draw(256));
      try_one(changed);
    }
    EXPECT_GT(refused, 0U);
    refused = 0;
  }
  EXPECT_GT(tried, samples.size() * 101);
}

}  // namespace
}  // namespace stallcast
