// Results of fio: the 46 real ones beside the figures noted when they were made, small ones in each shape, a run of fio
// itself where it is installed, and what is wrong with bad ones.
#include <fstream>
#include <map>
#include <sstream>

#include "tests/core/calibrate/reader_fixture.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

namespace fs = std::filesystem;

class FioReader : public ReaderTest {
 protected:
  // One job's entry: 10,000 reads of 4 KiB in 2 s, each taking 100 us of which 10 us to submit.
  static std::string job(const std::string& name, int group, const std::string& options,
                         const std::string& latency = R"("slat_ns": {"mean": 10000, "N": 10000},
      "clat_ns": {"min": 50000, "max": 900000, "mean": 90000, "N": 10000,
                  "percentile": {"50.000000": 80000, "99.000000": 300000}},
      "lat_ns": {"min": 60000, "max": 910000, "mean": 100000, "N": 10000})",
                         const std::string& more = "") {
    return R"({"jobname": ")" + name + R"(", "groupid": )" + std::to_string(group) + R"(, "error": 0,
      "job options": {)" +
           options + R"(}, "job_runtime": 2000, )" + more + R"(
      "read": {"io_bytes": 40960000, "bw_bytes": 20480000, "bw": 20000, "iops": 5000, "runtime": 2000,
      "total_ios": 10000, "bw_mean": 20000, "bw_dev": 1000, "bw_samples": 4, )" +
           latency + R"(},
      "write": {"io_bytes": 0}})";
  }
  static std::string document(const std::string& jobs, const std::string& version = "fio-3.33",
                              const std::string& global = R"("direct": "1")") {
    return "{\n\"fio version\": \"" + version + "\", \"global options\": {" + global + "}, \"jobs\": [" + jobs +
           "]\n}\n";
  }
};

double bytes_of(const std::string& size) { return std::stod(size) * (size.back() == 'k' ? 1024.0 : 1048576.0); }

TEST_F(FioReader, ReadsEveryRealRunAsItsTableSays) {
  const fs::path folder = fs::path(STALLCAST_SOURCE_DIR) / "tests/validation/fio";
  std::ifstream table(folder / "jobs.csv");
  std::string line;
  std::getline(table, line);
  ASSERT_EQ(line, "name,ioengine,rw,bs,iodepth,numjobs,buffers,bw_bytes_per_s,iops,clat_mean_us\r");
  int runs = 0;
  while (std::getline(table, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    SCOPED_TRACE(cells.at(0));
    const Measurements measured = read((folder / (cells[0] + ".json")).string());
    ASSERT_THAT(measured.reads, SizeIs(1));
    const ReadPoint& point = measured.reads[0];
    EXPECT_EQ(point.engine, "fio " + cells[1]);
    EXPECT_EQ(point.pattern, cells[2] == "randread" ? AccessPattern::kRandom : AccessPattern::kSequential);
    // Each number to the digits of the table: whole bytes/s, IOPS to 0.1, us to 0.01.
    EXPECT_EQ(point.request_bytes, bytes_of(cells[3]));
    EXPECT_EQ(point.in_flight, std::stod(cells[4]) * std::stod(cells[5]));
    EXPECT_NEAR(point.bytes_per_s(), std::stod(cells[7]), 1.0);
    EXPECT_NEAR(point.requests_per_s(), std::stod(cells[8]), 0.06);
    // clat starts where slat ends: the whole latency is more, by what io_uring takes to submit.
    const double completion = std::stod(cells[9]) * 1e-6;
    EXPECT_GE(point.latency.mean_s, completion - 1e-8);
    EXPECT_LT(point.latency.mean_s, completion + 1e-3);
    EXPECT_TRUE(point.direct);
    EXPECT_THAT(point.latency.quantiles, SizeIs(17));
    // Little's law: what is in flight is the rate times the latency. fio's own work between two requests is missing
    // in it, which at 4 KiB is a good part of 20 us.
    const double by_little = point.requests_per_s() * point.latency.mean_s;
    EXPECT_LT(by_little, 1.02 * point.in_flight);
    EXPECT_GT(by_little, 0.6 * point.in_flight);
    ++runs;
  }
  EXPECT_EQ(runs, 46);
}

TEST_F(FioReader, TakesLatencyFromCompletionAndSubmissionWhereThePercentilesAreThere) {
  const Measurements measured = read_text(document(job("a", 0, R"("rw": "randread", "bs": "4k", "ioengine": "libaio",
      "iodepth": "4")")));
  ASSERT_THAT(measured.reads, SizeIs(1));
  const ReadPoint& point = measured.reads[0];
  EXPECT_EQ(measured.tool, "fio");
  EXPECT_EQ(point.in_flight, 4.0);
  EXPECT_EQ(point.request_bytes, 4096.0);
  EXPECT_EQ(point.seconds, 2.0);
  EXPECT_DOUBLE_EQ(point.latency.mean_s, 100e-6);
  EXPECT_DOUBLE_EQ(point.latency.quantile(0.5), 90e-6);  // 80 us to complete + 10 us to submit
  EXPECT_DOUBLE_EQ(point.latency.quantile(0.99), 310e-6);
  EXPECT_DOUBLE_EQ(point.relative_sd, 0.05);
}

TEST_F(FioReader, PrefersPercentilesOfTheWholeLatency) {
  const std::string latency = R"("slat_ns": {"mean": 10000, "N": 10000}, "clat_ns": {"mean": 90000, "N": 10000},
      "lat_ns": {"mean": 100000, "N": 10000, "percentile": {"50.000000": 95000}})";
  const Measurements measured = read_text(document(job("a", 0, R"("rw": "read")", latency)));
  EXPECT_DOUBLE_EQ(measured.reads.at(0).latency.quantile(0.5), 95e-6);
}

// fio issue 1478: without samples there is "N": 0 and nothing else worth reading.
TEST_F(FioReader, DoesWithoutLatencies) {
  const std::string latency = R"("slat_ns": {"mean": 0, "N": 0}, "clat_ns": {"mean": 0, "N": 0},
      "lat_ns": {"min": 0, "max": 0, "mean": 0, "N": 0})";
  const Measurements measured = read_text(document(job("a", 0, R"("rw": "read")", latency)));
  EXPECT_EQ(measured.reads.at(0).latency.mean_s, 0.0);
  EXPECT_THAT(measured.reads.at(0).latency.quantiles, SizeIs(0));
}

TEST_F(FioReader, SkipsWarningsBeforeTheJsonAndTextAfterIt) {
  const Measurements measured = read_text("fio: some {warning}\nnote: both iodepth >= 1 and synchronous engine\n" +
                                          document(job("a", 0, R"("rw": "read")")) + "3;fio-3.33;a;0;0;1;2;3\n");
  EXPECT_THAT(measured.reads, SizeIs(1));
}

TEST_F(FioReader, AddsUpThreadsOfAGroupAndKeepsGroupsApart) {
  const std::string options = R"("rw": "randread", "bs": "4k", "numjobs": "2")";
  const Measurements measured = read_text(
      document(job("a", 0, options) + "," + job("a", 0, options) + "," + job("b", 1, R"("rw": "read", "bs": "4k")")));
  ASSERT_THAT(measured.reads, SizeIs(2));
  // Two threads of 10,000 reads in the same 2 s.
  EXPECT_EQ(measured.reads[0].in_flight, 2.0);
  EXPECT_EQ(measured.reads[0].requests, 20000.0);
  EXPECT_EQ(measured.reads[0].seconds, 2.0);
  EXPECT_EQ(measured.reads[0].bytes_per_s(), 2 * 20480000.0);
  EXPECT_DOUBLE_EQ(measured.reads[0].latency.mean_s, 100e-6);
  EXPECT_EQ(measured.reads[1].in_flight, 1.0);
  EXPECT_EQ(measured.reads[1].pattern, AccessPattern::kSequential);
}

TEST_F(FioReader, DepthMeansNothingToAnEngineThatWaits) {
  const Measurements measured =
      read_text(document(job("a", 0, R"("rw": "read", "ioengine": "psync", "iodepth": "32")")));
  EXPECT_EQ(measured.reads.at(0).in_flight, 1.0);
}

TEST_F(FioReader, TakesTheSizeThatWasReadWhereItIsNotTheOneAskedFor) {
  const std::string other = document(job("a", 0, R"("rw": "read", "bs": "8k")"));
  EXPECT_THAT(codes(other), ElementsAre("warning other_request_size"));
  EXPECT_EQ(read_text(other).reads.at(0).request_bytes, 4096.0);
}

TEST_F(FioReader, OptionsOfTheJobComeBeforeThoseOfAll) {
  const Measurements measured = read_text(document(job("a", 0, R"("ioengine": "libaio", "iodepth": "8")"), "fio-3.33",
                                                   R"("rw": "randread", "iodepth": "2", "direct": "0")"));
  EXPECT_EQ(measured.reads.at(0).in_flight, 8.0);
  EXPECT_EQ(measured.reads.at(0).pattern, AccessPattern::kRandom);
  EXPECT_FALSE(measured.reads.at(0).direct);
}

TEST_F(FioReader, LeavesOutWhatIsNoOperatingPoint) {
  const auto left_out = ElementsAre("warning not_one_point", "error no_reads");
  EXPECT_THAT(codes(document(job("a", 0, R"("rw": "randrw", "rwmixread": "70")"))), left_out);
  EXPECT_THAT(codes(document(job("a", 0, R"("rw": "read", "rate_iops": "100")"))), left_out);
  EXPECT_THAT(codes(document(job("a", 0, R"("rw": "read", "bssplit": "4k/50:64k/50")"))), left_out);
  EXPECT_THAT(codes(document(job("a", 0, R"("rw": "randread:8")"))), left_out);
  EXPECT_THAT(
      codes(document(job("a", 0, R"("rw": "read", "bs": "4k")") + "," + job("b", 0, R"("rw": "read", "bs": "64k")"))),
      left_out);
}

TEST_F(FioReader, LeavesOutGroupsThatRanAtTheSameTime) {
  // Each runs for 2 s: from 1 s and from 2 s on together, from 5 s on alone.
  const auto started = [](const std::string& name, int group, const std::string& start) {
    std::string text = job(name, group, R"("rw": "read")");
    return text.replace(text.find("\"error\""), 7, "\"job_start\": " + start + ", \"error\"");
  };
  const std::string text =
      document(started("a", 0, "1000") + "," + started("b", 1, "2000") + "," + started("c", 2, "5000"));
  EXPECT_THAT(codes(text), ElementsAre("warning not_one_point", "warning not_one_point"));
  EXPECT_THAT(read_text(text).reads.at(0).from, HasSubstr("job c"));
}

TEST_F(FioReader, AsksWhenAnEntryHidesOtherJobs) {
  // 8 s of job time in 2 s: four threads, of which the options of the first section know one.
  std::string grouped = job("a", 0, R"("rw": "read")");
  grouped.replace(grouped.find("\"job_runtime\": 2000"), 19, "\"job_runtime\": 8000");
  EXPECT_THAT(codes(document(grouped)), ElementsAre("error ambiguous_jobs"));
}

TEST_F(FioReader, NamesWhatIsMissingOrWrong) {
  std::string no_ios = job("a", 0, R"("rw": "read")");
  no_ios.replace(no_ios.find("\"total_ios\""), 11, "\"totalios__\"");
  EXPECT_THAT(message(document(no_ios)), HasSubstr("/jobs/0/read/total_ios"));
  std::string no_options = job("a", 0, R"("rw": "read")");
  no_options.replace(no_options.find("job options"), 11, "x");
  EXPECT_THAT(message(document(no_options)), HasSubstr("/jobs/0/job options"));
  std::string negative = job("a", 0, R"("rw": "read")");
  negative.replace(negative.find("40960000"), 8, "-4096000");
  EXPECT_THAT(codes(document(negative)), ElementsAre("error out_of_range"));
  EXPECT_THAT(codes(document(job("a", 0, R"("iodepth": "many")"))), ElementsAre("error not_a_number"));
  EXPECT_THAT(codes(document(job("a", 0, ""), "fio-2.21")), ElementsAre("error unsupported_version"));
  EXPECT_THAT(codes("{\n\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\""), ElementsAre("error invalid_json"));
  EXPECT_THAT(codes("{\n\"fio version\": \"fio-3.33\", \"jobs\": 5\n}"), ElementsAre("error missing_key"));
  std::string text = job("a", 0, R"("rw": "read")");
  text.replace(text.find("\"error\": 0"), 10, "\"error\": []");  // helpful figures of another type are passed over
  EXPECT_THAT(codes(document(text)), SizeIs(0));
}

// Made by hand after fio's documentation: 2,560,000 KiB in 2,000 ms = 1,280,000 KiB/s, with 128 KiB 10,000 IOPS.
std::string terse(const std::string& name, const std::string& iops = "10000") {
  std::string line = "3;fio-3.33;" + name + ";0;0;2560000;1280000;" + iops + ";2000;1;9;2.5;0.1;50;900;97.5;5";
  for (const char* percentile : {"50.000000%=90", "99.000000%=300"}) line += ";" + std::string(percentile);
  for (int i = 0; i < 18; ++i) line += ";0%=0";
  line += ";51;910;100.0;6;1000;2000;100%;1280000;5";  // whole latency, bandwidth
  for (int i = 0; i < 41; ++i) line += ";0";           // no writes
  return line + ";5%;6%\n";
}

TEST_F(FioReader, ReadsTerseLinesWhoseNamesSayTheRest) {
  const Measurements measured = read_text("a warning\n" + terse("randread_bs128k_qd8_nj2_direct"));
  ASSERT_THAT(measured.reads, SizeIs(1));
  const ReadPoint& point = measured.reads[0];
  EXPECT_EQ(point.pattern, AccessPattern::kRandom);
  EXPECT_EQ(point.in_flight, 16.0);
  EXPECT_TRUE(point.direct);
  EXPECT_EQ(point.bytes_per_s(), 1280000 * 1024.0);
  EXPECT_EQ(point.requests_per_s(), 10000.0);
  EXPECT_DOUBLE_EQ(point.latency.mean_s, 100e-6);
  EXPECT_DOUBLE_EQ(point.latency.min_s, 51e-6);
  EXPECT_DOUBLE_EQ(point.latency.quantile(0.99), 302.5e-6);  // 300 us + 2.5 us to submit
}

TEST_F(FioReader, RefusesTerseLinesThatDoNotSayIt) {
  EXPECT_THAT(message(terse("job1")), HasSubstr("pattern, block size, queue depth, number of jobs"));
  EXPECT_THAT(message(terse("read_bs128k_qd8")), HasSubstr("does not say its number of jobs"));
  EXPECT_THAT(codes(terse("read_bs128k_nj2_qd" + std::string(300000, '8'))), ElementsAre("error missing_value"));
  EXPECT_THAT(codes(terse("read_bs64k_qd8_nj2")), ElementsAre("error contradiction"));  // would be 20,000 IOPS
  EXPECT_THAT(codes(terse("read_bs128k_qd8_nj2", "nan")), ElementsAre("error out_of_range"));
  EXPECT_THAT(codes(terse("read_bs128k_qd8_nj2", "1e999")), ElementsAre("error out_of_range"));
  EXPECT_THAT(codes("3;fio-3.33;read_bs128k_qd8_nj2;0;0;256\n"), ElementsAre("error wrong_row"));
  EXPECT_THAT(codes("5;fio-3.33;read_bs128k_qd8_nj2;0;0;256\n"), ElementsAre("error unsupported_version"));
}

TEST_F(FioReader, ReadsWhatFioWritesToday) {
  if (std::system("command -v fio > /dev/null 2>&1") != 0) GTEST_SKIP() << "fio is not installed";
  const std::string common = "cd " + directory().string() +
                             " && fio --name=randread_bs16k_qd1_nj2 --filename=data --size=2m --rw=randread --bs=16k "
                             "--ioengine=psync --numjobs=2 --group_reporting --loops=4 ";
  ASSERT_EQ(std::system((common + "--output-format=json --output=json > /dev/null 2>&1").c_str()), 0);
  ASSERT_EQ(std::system((common + "--output-format=json+ --output=plus > /dev/null 2>&1").c_str()), 0);
  ASSERT_EQ(std::system((common + "--output-format=terse --output=terse > /dev/null 2>&1").c_str()), 0);
  for (const char* name : {"json", "plus", "terse"}) {
    SCOPED_TRACE(name);
    // A run of milliseconds may be too short for the IOPS of a terse line to say anything; then it must say so.
    const auto loaded = read_measurements(file(name));
    if (std::string(name) == "terse" && !loaded.ok()) {
      EXPECT_THAT(rendered(loaded.findings), HasSubstr("contradiction"));
      continue;
    }
    ASSERT_TRUE(loaded.ok()) << rendered(loaded.findings);
    ASSERT_THAT(loaded.value->reads, SizeIs(1));
    const ReadPoint& point = loaded.value->reads[0];
    // Two jobs read 2 MiB four times, 128 requests of 16 KiB each time.
    EXPECT_EQ(point.bytes, 2 * 4 * 2097152.0);
    EXPECT_EQ(point.requests, 2 * 4 * 128.0);
    EXPECT_EQ(point.in_flight, 2.0);
    EXPECT_GT(point.latency.mean_s, 0.0);
    EXPECT_GT(point.latency.quantile(0.99), 0.0);
  }
}

}  // namespace
}  // namespace stallcast
