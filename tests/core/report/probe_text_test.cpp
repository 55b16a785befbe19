// A probe as a person reads it.
#include "core/report/measured/probe_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/report/text_width.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;

ReadPoint point(AccessPattern pattern, double request_bytes, double in_flight, double requests_per_s) {
  ReadPoint made;
  made.pattern = pattern;
  made.request_bytes = request_bytes;
  made.in_flight = in_flight;
  made.engine = "io_uring";
  made.direct = true;
  made.seconds = 1.0;
  made.requests = requests_per_s;
  made.bytes = requests_per_s * request_bytes;
  made.latency.mean_s = in_flight / requests_per_s;
  made.latency.quantiles = {{0.5, made.latency.mean_s}, {0.99, 2.0 * made.latency.mean_s}};
  return made;
}

ProbeResult probe() {
  ProbeResult result;
  result.target_kind = ProbeTarget::kDirectory;
  result.target = "/data";
  result.file_system = "ext4";
  result.files_seen = 1000;
  result.files_bytes = 1073741824.0;
  result.bytes = 536870912.0;
  result.seconds = 12.0;
  result.allowed_bytes = 2147483648.0;
  result.allowed_seconds = 30.0;
  // 1 MiB: 1000/s alone, 2600/s with 4, 2650/s with 8: 4 in flight give 98.1 % of it and 2 give 70 %.
  result.points = {point(AccessPattern::kRandom, 4096, 1, 20000),       point(AccessPattern::kRandom, 4096, 32, 75000),
                   point(AccessPattern::kRandom, 1048576, 1, 1000),     point(AccessPattern::kRandom, 1048576, 2, 1855),
                   point(AccessPattern::kRandom, 1048576, 4, 2600),     point(AccessPattern::kRandom, 1048576, 8, 2650),
                   point(AccessPattern::kSequential, 1048576, 1, 1500), point(AccessPattern::kStat, 0, 1, 500000)};
  return result;
}

TEST(ProbeText, SaysTheFiguresThatAreAskedForFirst) {
  const std::string text = render_text(probe(), kAscii);
  EXPECT_THAT(text, HasSubstr("/data (ext4), 1000 files of 1 GiB\n512 MiB read in 12 s of 2 GiB and 30 s allowed"));
  EXPECT_THAT(text, HasSubstr("Latency alone    50 us median, 100 us at 99 % (random reads of 4 KiB)\n"));
  EXPECT_THAT(text, HasSubstr("One stream       1.57 GB/s"));  // 1500 * 1.048576 MB
  EXPECT_THAT(text, HasSubstr("Bandwidth        2.78 GB/s with 8 in flight (random reads of 1 MiB)\n"));
  EXPECT_THAT(text, HasSubstr("Knee             4 in flight give 98.1 % of it\n"));
  EXPECT_THAT(text, HasSubstr("75000 IOPS with 32 in flight"));
  EXPECT_THAT(text, HasSubstr("stat 2 us"));
  EXPECT_THAT(text, HasSubstr("Grade            good: fit for calibration\n"));
}

TEST(ProbeText, SaysWhyAProbeIsNotGood) {
  ProbeResult result = probe();
  result.flaws = {{"noisy", ProbeFlaw::Weight::kWiden, 1.5, "visits differ"}};
  EXPECT_THAT(render_text(result, kAscii),
              HasSubstr("usable with intervals 1.5 times as wide\n  noisy: visits differ\n"));
  result.flaws.push_back({"page_cache", ProbeFlaw::Weight::kRefuse, 2.0, "cached\033[2J"});
  result.interrupted = true;
  const std::string text = render_text(result, kAscii);
  EXPECT_THAT(text, HasSubstr("refused: says too little"));
  EXPECT_THAT(text, HasSubstr("interrupted"));
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST(ProbeText, AProbeWithoutPointsIsStillText) { EXPECT_THAT(render_text(ProbeResult{}, kAscii), HasSubstr("Grade")); }

}  // namespace
}  // namespace stallcast
