// stallcast probe: what it prints, what it writes, how it is stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class CliProbe : public Cli {
 protected:
  // 4 MiB, the smallest limits.
  std::vector<std::string> probe(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"probe", file("data", std::string(4 << 20, 'x')), "--time", "500 ms", "--bytes",
                                      "2 MiB"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(CliProbe, PrintsWhatAPersonReads) {
  const Outcome outcome = run(probe());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith(path("data")));
  EXPECT_THAT(outcome.out, HasSubstr("of 2 MiB and 500 ms allowed"));
  EXPECT_THAT(outcome.out, HasSubstr("Latency alone"));
  EXPECT_THAT(outcome.out, HasSubstr("Bandwidth"));
  EXPECT_THAT(outcome.out, HasSubstr("Grade"));
  EXPECT_EQ(outcome.err, "");
}

TEST_F(CliProbe, WritesAFileForCalibrate) {
  const Outcome outcome = run(probe({"-o", path("probe.json"), "--seed", "3"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Grade"));  // the table is still shown
  const auto document = nlohmann::json::parse(content(path("probe.json")));
  EXPECT_EQ(document["format"], "stallcast probe");
  EXPECT_EQ(document["allowed_bytes"], 2097152);
  EXPECT_LE(document["read_bytes"].get<double>(), 2097152);
  EXPECT_FALSE(document["points"].empty());
}

TEST_F(CliProbe, PrintsJson) {
  const Outcome outcome = run(probe({"--format", "json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["format_version"], 1);
}

TEST_F(CliProbe, EveryWrongLimitIsSaidAtOnce) {
  const Outcome outcome = run({"probe", path("data"), "--time", "30", "--bytes", "2 KiB"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--time: error[missing_unit]"));
  EXPECT_THAT(outcome.err, HasSubstr("--bytes: error[out_of_range]"));
  EXPECT_THAT(outcome.err, HasSubstr("1 MiB to 1 PiB"));
}

TEST_F(CliProbe, ATargetThatIsNotThereIsTroubleOfTheWorld) {
  const Outcome outcome = run({"probe", path("missing")});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("missing: No such file or directory"));
}

TEST_F(CliProbe, StoppedBeforeAnythingWasMeasuredThereIsNoFile) {
  std::stop_source source;
  source.request_stop();
  const Outcome outcome = run(probe({"-o", path("probe.json")}), source.get_token());
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted before anything was measured"));
  EXPECT_FALSE(std::filesystem::exists(path("probe.json")));
}

// Said before it writes; the table, the document and what calibrate makes of it; nothing left in the directory.
TEST_F(CliProbe, WritesOnlyWhereItIsAskedTo) {
  const std::string data = file("target/mine", "of the user");
  const std::string target = std::filesystem::path(data).parent_path().string();
  const Outcome outcome =
      run({"probe", "--write", target, "--time", "3 s", "--bytes", "64 MiB", "-o", path("writes.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("writing at most 64 MiB in at most 3 s into " + target + "/stallcast-probe-"));
  EXPECT_THAT(outcome.out, HasSubstr("One stream"));
  EXPECT_THAT(outcome.out, HasSubstr("New files"));
  EXPECT_THAT(outcome.out, HasSubstr("Grade"));
  const auto document = nlohmann::json::parse(content(path("writes.json")));
  EXPECT_EQ(document["format"], "stallcast write probe");
  EXPECT_LE(document["bytes"].get<double>(), 64.0 * 1048576.0);
  EXPECT_GT(document["rates"]["write_bytes_per_s"].get<double>(), 0.0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(target), std::filesystem::directory_iterator()), 1);
  EXPECT_EQ(content(data), "of the user");
}

TEST_F(CliProbe, ABucketIsNotWrittenTo) {
  const Outcome outcome = run({"probe", "--write", "s3://bucket/prefix"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("a bucket is only read"));
}

}  // namespace
}  // namespace stallcast
