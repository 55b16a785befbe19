// stallcast size, as a person or a script runs it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using SizeCommand = Cli;

// Utilization n / 4 with n workers, 8 / n dollars for 200 steps (tests/core/plan/size_test.cpp).
const char* const kJob = R"({
  "name": "latency bound",
  "cluster": {"cores_per_node": 16},
  "workload": {"batch_size": 4, "step_time": "10 ms"},
  "dataset": {"layout": "records", "samples": 800, "sample_size": "100 kB"},
  "loader": {"num_workers": 1, "persistent_workers": true},
  "storage": {"latency": "10 ms"},
  "cost": {"node_price": "$3600/h", "storage_discount": 1},
  "run": {"whole_run": true}
})";

TEST_F(SizeCommand, TellsWhatToSetInEightyColumns) {
  const Outcome r = run({"size", file("job.json", kJob), "--vary", "loader.num_workers=1,2,3", "--min-utilization",
                         "0.6", "--exhaustive"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("--set loader.num_workers=3\n"));
  EXPECT_THAT(r.out, HasSubstr("Exhaustive       agrees"));
  std::istringstream lines(r.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST_F(SizeCommand, ExitsWith4AndSaysWhatToRelax) {
  const Outcome r =
      run({"size", file("job.json", kJob), "--vary", "loader.num_workers=1,2", "--min-utilization", "90 %"});
  EXPECT_EQ(r.code, 4) << r.err;
  EXPECT_THAT(r.out, HasSubstr("lower --min-utilization to"));
}

TEST_F(SizeCommand, VariesWhatIsUsualWhereNobodySays) {
  const Outcome r = run({"size", file("job.json", kJob), "--format", "json"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr("--vary loader.num_workers=1,2,3,4,6,8,10,12,16 --vary loader.prefetch_factor=1,2,4,8"));
  const auto json = nlohmann::json::parse(r.out);
  EXPECT_EQ(json["search"]["points"], 36);
  EXPECT_EQ(json["objective"], "total_usd");
  EXPECT_TRUE(json["complete"]);
}

// The scenario holds the question: two workers suffice for half, 1 / 4 each. An option on the command line wins.
TEST_F(SizeCommand, TakesTheQuestionFromTheScenario) {
  const std::string job = file("asked.json", std::string(kJob).replace(std::string(kJob).rfind('}'), 1, R"(,
    "plan": {"vary": ["loader.num_workers=1,2,3"], "min_utilization": 0.49}})"));
  const Outcome r = run({"size", job, "--format", "json", "--objective", "gpu-hour"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  const auto json = nlohmann::json::parse(r.out);
  EXPECT_EQ(json["search"]["points"], 3);
  EXPECT_EQ(json["targets"][0]["limit"], 0.49);
  EXPECT_EQ(nlohmann::json::parse(
                run({"size", job, "--format", "json", "--min-utilization", "0.7"}).out)["targets"][0]["limit"],
            0.7);
}

TEST_F(SizeCommand, AWrongQuestionIsSaidWhereItStands) {
  const std::string job =
      file("wrong.json", R"({"plan": {"vary": ["loader.num_workers=1,2", "loader.num_worker=3"]}})");
  const Outcome r = run({"size", job});
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("wrong.json: error[unknown_key] at /plan/vary/1"));
}

TEST_F(SizeCommand, CsvHasARowForEachConfigurationOfTheAnswer) {
  const Outcome r =
      run({"size", file("job.json", kJob), "--vary", "loader.num_workers=1,2,3", "--top", "2", "--format", "csv"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("role,/loader/num_workers,total_usd,"));
  EXPECT_THAT(r.out, HasSubstr("\nbest,3,"));
  EXPECT_THAT(r.out, HasSubstr("\nbest,2,"));
}

TEST_F(SizeCommand, WhatNothingCanKeepIsBadInput) {
  const std::string job = file("job.json", kJob);
  const Outcome r = run({"size", job, "--min-utilization", "1.2", "--budget", "-5", "--quota", "gpu=4", "--deadline",
                         "3", "--confidence", "2"});
  EXPECT_EQ(r.code, 2);
  for (const char* option : {"--min-utilization", "--budget", "--quota", "--deadline", "--confidence"})
    EXPECT_THAT(r.err, HasSubstr(std::string(option) + ": error["));
  EXPECT_THAT(r.err, HasSubstr("did you mean gpus=4?"));
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(run({"size", job, "--vary", "loader.num_workers=5..3"}).code, 2);
}

TEST_F(SizeCommand, MoreThanAMillionConfigurationsAreSaidFirst) {
  std::vector<std::string> words = {"size",   file("job.json", kJob),          "--vary", "loader.num_workers=1..101",
                                    "--vary", "loader.prefetch_factor=1..100", "--vary", "workload.batch_size=1..100"};
  const Outcome r = run(words);
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err,
              HasSubstr("--vary: error[too_much]:\n  got 1010000 configurations; allowed up to 1000000 without"));
  words.insert(words.end(), {"--time-limit", "0.1 s"});
  EXPECT_THAT(run(words).out, HasSubstr("1010000 configurations"));
}

// Three workers: a utilization of 3 / 4 and 8 / 3 dollars, collating and starting aside.
TEST_F(SizeCommand, ConditionsAreOnTheChosenConfiguration) {
  const auto sized = [&](const char* condition) {
    return run({"size", file("job.json", kJob), "--vary", "loader.num_workers=1,2,3", "--fail-if", condition});
  };
  EXPECT_EQ(sized("gpu_utilization<0.6").code, 0);
  EXPECT_EQ(sized("cost.total_usd>$4").code, 0);
  const Outcome busy = sized("gpu_utilization<0.8");
  EXPECT_EQ(busy.code, 4);
  EXPECT_THAT(busy.out, HasSubstr("--set loader.num_workers=3"));
  EXPECT_THAT(busy.err, HasSubstr("--fail-if 'gpu_utilization<0.8': gpu_utilization of the chosen configuration is 7"));
  EXPECT_EQ(sized("run_timeline.ettr<0.9").code, 4);  // nothing interrupts it: not known
  const Outcome wrong = sized("gpu_utilisation<0.8");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.out, "");
}

// Two nodes take half the time for about the same cost, since each computes half of the steps.
TEST_F(SizeCommand, TheFrontIsSaidToBeCompleteOrNot) {
  const auto json = [&](const char* front) {
    const Outcome r = run({"size", file("job.json", kJob), "--vary", "loader.num_workers=1,2,3", "--vary",
                           "cluster.nodes=1,2", "--front", front, "--format", "json"});
    EXPECT_EQ(r.code, 0) << r.err;
    return nlohmann::json::parse(r.out);
  };
  const auto full = json("full");
  EXPECT_EQ(full["front"]["scope"], "full");
  EXPECT_EQ(full["front"]["complete"], true);
  EXPECT_EQ(full["front"]["undecided"], 0);
  bool has_faster = false;
  for (const auto& point : full["trade_offs"]) has_faster = has_faster || point["settings"]["/cluster/nodes"] == "2";
  EXPECT_TRUE(has_faster) << full["trade_offs"];
  EXPECT_EQ(json("limited")["front"]["complete"], true);
  EXPECT_EQ(json("simulated")["front"]["complete"], false);
  EXPECT_TRUE(json("none")["trade_offs"].empty());
  EXPECT_THAT(run({"size", file("job.json", kJob), "--vary", "loader.num_workers=1,2,3"}).out,
              HasSubstr("Trade-offs       none: "));
  EXPECT_EQ(run({"size", file("job.json", kJob), "--front", "all"}).code, 2);
}

TEST_F(SizeCommand, StoppedItGivesWhatItHas) {
  std::stop_source source;
  source.request_stop();
  const Outcome r = run({"size", file("job.json", kJob), "--vary", "loader.num_workers=1,2"}, source.get_token());
  EXPECT_EQ(r.code, 0);
  EXPECT_THAT(r.out, HasSubstr("Incomplete"));
}

}  // namespace
}  // namespace stallcast
