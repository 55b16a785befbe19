// The command backtest: what it refuses, what it leaves behind, and the shape of its JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/probe/result/probe_json.h"
#include "tests/cli/cli_fixture.h"
#include "tests/cli/made_up_probe.h"

namespace stallcast {
namespace {

using testing::HasSubstr;

class BacktestCommandTest : public Cli {
 protected:
  // 12 files of 200 kB each.
  std::string data() const {
    for (int i = 0; i < 12; ++i) file("data/" + std::to_string(i), std::string(200000, 'x'));
    return path("data");
  }
  std::vector<std::string> short_run(const std::string& output) const {
    return {"backtest", data(),      "--time", "5s",       "--bytes", "64MiB", "--workers",
            "0,1",      "--repeats", "1",      "--format", "json",    "-o",    output};
  }
};

TEST_F(BacktestCommandTest, RefusesDirectoriesWithNothingToRead) {
  std::filesystem::create_directories(path("empty"));
  const Outcome empty = run({"backtest", path("empty")});
  EXPECT_EQ(empty.code, 3);
  EXPECT_THAT(empty.err, HasSubstr("no file to read"));
  const Outcome missing = run({"backtest", path("none")});
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.err, HasSubstr("No such file or directory"));
}

TEST_F(BacktestCommandTest, SaysAllThatIsWrongWithItsOptionsAtOnce) {
  const Outcome outcome =
      run({"backtest", data(), "--time", "fast", "--bytes", "1 B", "--step-time", "-3 ms", "--decode-time", "2"});
  EXPECT_EQ(outcome.code, 2);
  for (const char* option : {"--time", "--bytes", "--step-time", "--decode-time"})
    EXPECT_THAT(outcome.err, HasSubstr(std::string(option) + ": error["));
  EXPECT_EQ(outcome.out, "");
}

TEST_F(BacktestCommandTest, LeavesNothingWhenInterruptedBeforeTheFirstRun) {
  std::stop_source source;
  source.request_stop();
  const Outcome outcome = run(short_run(path("out.json")), source.get_token());
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted before anything was measured"));
  EXPECT_FALSE(std::filesystem::exists(path("out.json")));
}

// 4 workloads with 0 and 1 workers, one run each, a batch of 64 files of 200 kB (49 pages): 8 x 64 x 200704 B = 103 MB.
TEST_F(BacktestCommandTest, RefusesToReadMoreThanAllowed) {
  std::vector<std::string> words = short_run(path("out.json"));
  words.insert(words.end(), {"--probe", file("probe.json", probe_to_json(made_up_probe(), "test").dump())});
  words.insert(words.end(), {"--batch-size", "64"});
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--bytes: error[too_few_bytes]"));
  EXPECT_FALSE(std::filesystem::exists(path("out.json")));
}

TEST_F(BacktestCommandTest, RefusesAProbeThatRefusesItself) {
  ProbeResult probe = made_up_probe();
  probe.flaws.push_back({"page_cache", ProbeFlaw::Weight::kRefuse, 1.0, "The page cache answered."});
  const Outcome outcome = run({"backtest", data(), "--probe", file("probe.json", probe_to_json(probe, "test").dump())});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("says nothing about the storage"));
  EXPECT_THAT(outcome.err, HasSubstr("The page cache answered."));
}

// Nothing but the result goes to standard output, and with -o not even that.
TEST_F(BacktestCommandTest, WritesPredictionsRunsAndErrorsAsJson) {
  std::vector<std::string> words = short_run(path("out.json"));
  words.insert(words.end(), {"--probe", file("probe.json", probe_to_json(made_up_probe(), "test").dump())});
  const Outcome outcome = run(words);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  std::ifstream in(path("out.json"));
  const auto document = nlohmann::json::parse(in);
  EXPECT_EQ(document["format_version"], 1);
  EXPECT_LE(document["predicted_at"], document["started_at"]);
  for (const auto& setting : document["settings"])
    for (const auto& one : setting["runs"]) EXPECT_LE(document["predicted_at"], one["started"]);
  ASSERT_EQ(document["settings"].size(), 4U * 2U);
  double errors = 0.0;
  for (const auto& setting : document["settings"]) {
    ASSERT_EQ(setting["runs"].size(), 1U);
    const auto& one = setting["runs"][0];
    const double measured = one["samples"].get<double>() / one["wall_s"].get<double>();
    EXPECT_NEAR(setting["measured"]["samples_per_s"].get<double>(), measured, 1e-9 * measured);
    EXPECT_NEAR(one["utilization"].get<double>(), one["steps_s"].get<double>() / one["wall_s"].get<double>(), 1e-12);
    const auto& predicted = setting["predicted"]["samples_per_s"];
    EXPECT_LE(predicted["ci95_low"], predicted["mean"]);
    EXPECT_LE(predicted["mean"], predicted["ci95_high"]);
    // The run is judged by what was foreseen of it from the brackets before it.
    const double foreseen = setting["foreseen"]["samples_per_s"].get<double>();
    EXPECT_EQ(one["predicted_samples_per_s"]["mean"], foreseen);
    const double error = foreseen / measured - 1.0;
    EXPECT_NEAR(setting["relative_error"].get<double>(), error, 1e-9);
    errors += std::abs(error);
  }
  EXPECT_NEAR(document["score"]["mape"].get<double>(), errors / 8, 1e-9);
  EXPECT_EQ(document["machine"]["brackets"].size(), 3U + 8U);
  EXPECT_EQ(document["verdict"]["quiet"], document["verdict"]["unrest"].empty());
  EXPECT_EQ(document["verdict"]["holds"].is_null(), !document["verdict"]["quiet"].get<bool>());
}

// The name of a directory may be any bytes; JSON is UTF-8.
TEST_F(BacktestCommandTest, ADirectoryWhoseNameIsNoUtf8) {
  std::vector<std::string> words = short_run(path("out.json"));
  const std::string odd = path("data\xff");
  std::filesystem::rename(words[1], odd);
  words[1] = odd;
  words.insert(words.end(), {"--probe", file("probe.json", probe_to_json(made_up_probe(), "test").dump())});
  const Outcome outcome = run(words);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(content(path("out.json")))["target"], path("data\uFFFD"));
}

}  // namespace
}  // namespace stallcast
