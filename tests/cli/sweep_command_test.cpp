#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A variable of the environment for the time of one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

class SweepCommand : public Cli {
 protected:
  // 3 x 2 points of the small job.
  std::vector<std::string> words(const std::string& directory, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {
        "sweep", job(),          "--vary", "loader.num_workers=1,2,4", "--vary", "loader.prefetch_factor=2,4",
        "-o",    path(directory)};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string results(const std::string& directory) const {
    return content(path(directory) + "/results.jsonl") + content(path(directory) + "/results.csv");
  }
};

TEST_F(SweepCommand, WritesResultsAndSaysHowManyPoints) {
  const Outcome outcome = run(words("out"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("stallcast: 6 of 6 points; 6 computed now in "), HasSubstr(" points/s\n"),
                                 HasSubstr("results.jsonl and results.csv in " + path("out"))));
  EXPECT_THAT(results("out"), HasSubstr("\"index\":5,\"/loader/num_workers\":4,\"/loader/prefetch_factor\":4,"));
}

// Conditions are on every point, whether it was computed now, before, or in another shard.
TEST_F(SweepCommand, ConditionsNameThePointsThatFail) {
  EXPECT_EQ(run(words("out", {"--fail-if", "gpu_utilization<0.001"})).code, 0);
  const Outcome all = run(words("out", {"--fail-if", "gpu_utilization<=1", "--fail-if", "step_time_s.p99<0"}));
  EXPECT_EQ(all.code, 4);
  EXPECT_THAT(all.err, AllOf(HasSubstr("--fail-if 'gpu_utilization<=1': true of 6 of 6 points\n  point 0 "
                                       "(/loader/num_workers=1 /loader/prefetch_factor=2): "),
                             Not(HasSubstr("step_time_s"))));
  EXPECT_EQ(run(words("out", {"--fail-if", "cost.total_usd<$5"})).code, 4);  // has no price
  EXPECT_EQ(run(words("shards", {"--shard", "1/2", "--fail-if", "gpu_utilization<=1"})).code, 4);
  EXPECT_EQ(run(words("shards", {"--shard", "2/2", "--fail-if", "gpu_utilization>1"})).code, 0);
  EXPECT_EQ(run({"merge", path("shards"), "--fail-if", "gpu_utilization>1"}).code, 0);
  const Outcome merged = run({"merge", path("shards"), "--fail-if", "gpu_utilization<=1"});
  EXPECT_EQ(merged.code, 4);
  EXPECT_THAT(merged.err, HasSubstr("true of 6 of 6 points"));
  EXPECT_EQ(results("shards"), results("out"));
}

TEST_F(SweepCommand, WrongConditionsAreSaidBeforeAnyPoint) {
  const Outcome wrong = run(words("out", {"--fail-if", "gpu_utilisation<0.9"}));
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean gpu_utilization?"));
  EXPECT_FALSE(fs::exists(path("out")));
  EXPECT_EQ(run(words("out", {"--fail-if", "gpu_utilization<0.9", "--emit", "slurm"})).code, 2);
}

// A configuration that cannot be has no figures to judge: without workers no batches are ahead.
TEST_F(SweepCommand, ConditionsPassOverWhatCannotBe) {
  const Outcome outcome = run({"sweep", job(), "--vary", "loader.num_workers=0,1,2", "--set",
                               "loader.prefetch_factor=2", "-o", path("out"), "--fail-if", "gpu_utilization<=1"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("true of 2 of 2 points"));
}

TEST_F(SweepCommand, TheSameCommandAgainComputesNothing) {
  run(words("out"));
  const std::string before = results("out");
  const Outcome outcome = run(words("out", {"--threads", "1"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("6 of 6 points; none was left to compute"));
  EXPECT_EQ(results("out"), before);
}

TEST_F(SweepCommand, AnotherSweepInTheDirectoryIsRefused) {
  run(words("out"));
  const std::string before = results("out");
  const Outcome outcome = run(words("out", {"--seed", "7", "--set", "storage.latency=3 ms"}));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("other_sweep] at /scenario_hash"), HasSubstr("other_sweep] at /seed"),
                                 Not(HasSubstr("at /catalogue_hash"))));
  EXPECT_EQ(results("out"), before);
  EXPECT_EQ(run(words("out", {"--vary", "loader.pin_memory=true,false"})).code, 2);
}

TEST_F(SweepCommand, ShardsMergeToTheSameBytes) {
  run(words("whole"));
  for (const char* shard : {"3/4", "1/4", "4/4"}) {
    const Outcome outcome = run(words("shards", {"--shard", shard}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("stallcast merge " + path("shards")));
  }
  const Outcome early = run({"merge", path("shards")});
  EXPECT_EQ(early.code, 2);
  EXPECT_THAT(early.err, AllOf(HasSubstr("shard 2/4 missing"), HasSubstr("--shard 2/4 -o " + path("shards"))));
  EXPECT_FALSE(fs::exists(path("shards") + "/results.csv"));
  EXPECT_EQ(run(words("shard2", {"--shard", "2/4"})).code, 0);
  EXPECT_EQ(run({"merge", path("shards"), path("shard2")}).code, 2);  // where to?
  const Outcome merged = run({"merge", path("shards"), path("shard2"), "-o", path("merged")});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_THAT(merged.err, HasSubstr("6 points of 4 files"));
  EXPECT_EQ(results("merged"), results("whole"));
}

// The command that merge prints for a missing shard makes it.
TEST_F(SweepCommand, TheCommandOfAMissingShardMakesIt) {
  run(words("whole", {"--precision", "2%", "--design", "sobol", "--points", "5"}));
  run(words("shards", {"--precision", "2%", "--design", "sobol", "--points", "5", "--shard", "1/2"}));
  const std::string err = run({"merge", path("shards")}).err;
  const std::size_t from = err.find("run stallcast ") + std::string("run stallcast ").size();
  std::istringstream command(err.substr(from, err.find(" (", from) - from));
  std::vector<std::string> printed;
  for (std::string word; command >> word;) printed.push_back(word);
  const Outcome outcome = run(printed);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(run({"merge", path("shards")}).code, 0);
  EXPECT_EQ(results("shards"), results("whole"));
}

TEST_F(SweepCommand, AShardIsFoundInTheEnvironmentAndSaid) {
  {
    const Variable id("SLURM_ARRAY_TASK_ID", "2"), count("SLURM_ARRAY_TASK_COUNT", "2");
    EXPECT_THAT(run(words("out")).err, HasSubstr("shard 2/2, since SLURM_ARRAY_TASK_ID=2 is set"));
  }
  {
    const Variable index("JOB_COMPLETION_INDEX", "0"), count("STALLCAST_SHARDS", "2");
    EXPECT_THAT(run(words("out")).err, HasSubstr("shard 1/2, since JOB_COMPLETION_INDEX=0 is set"));
    EXPECT_THAT(run(words("whole", {"--shard", "1/1"})).err, Not(HasSubstr("since")));
  }
  EXPECT_EQ(run({"merge", path("out")}).code, 0);
  EXPECT_EQ(results("out"), results("whole"));
  const Variable index("JOB_COMPLETION_INDEX", "0");
  EXPECT_EQ(run(words("none")).code, 2);
}

// 10^9 points are asked about from the time of a few, before anything is written.
TEST_F(SweepCommand, ABillionPointsAreAskedAboutFirst) {
  const std::vector<std::string> billion = {"sweep",  job(),
                                            "--vary", "loader.num_workers=1..1000",
                                            "--vary", "loader.prefetch_factor=1..1000",
                                            "--vary", "cost.runs_per_month=1..1000:1",
                                            "-o",     path("out")};
  const Outcome outcome = run(billion);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("error[too_much]:\n  got 1000000000 points, about "),
                                 HasSubstr("--design sobol"), HasSubstr("or give --yes")));
  EXPECT_FALSE(fs::exists(path("out")));
  std::vector<std::string> job_of_them = billion;
  for (const char* word : {"--emit", "slurm", "--shards", "100"}) job_of_them.emplace_back(word);
  EXPECT_THAT(run(job_of_them).err, HasSubstr("got 10000000 points"));
}

TEST_F(SweepCommand, WhatMakesNoSweepIsRefused) {
  const auto refused = [this](const std::vector<std::string>& more) {
    const Outcome outcome = run(words("out", more));
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_FALSE(fs::exists(path("out")));
    return outcome.err;
  };
  EXPECT_THAT(refused({"--vary", "loader.prefetch=1,2"}), HasSubstr("prefetch_factor"));
  EXPECT_THAT(refused({"--shard", "5/4"}), HasSubstr("bad_shard"));
  EXPECT_THAT(refused({"--design", "sobol"}), HasSubstr("with --points N"));
  EXPECT_THAT(refused({"--points", "5"}), HasSubstr("with --design latin or sobol"));
  EXPECT_THAT(refused({"--design", "grid"}), HasSubstr("grid"));
  EXPECT_THAT(refused({"--shards", "5"}), HasSubstr("--emit"));
  EXPECT_THAT(refused({"--set", "job=serving"}), HasSubstr("one training job"));
  EXPECT_EQ(run({"sweep", job(), "--vary", "loader.num_workers=1,2"}).code, 2);
  EXPECT_EQ(run({"sweep", job(), "-o", path("out")}).code, 2);
  EXPECT_EQ(run({"merge", path("nowhere")}).code, 2);
}

TEST_F(SweepCommand, ADirectoryThatCannotBeMadeIsTrouble) {
  file("file", "");
  const Outcome outcome = run({"sweep", job(), "--vary", "loader.num_workers=1,2", "-o", path("file/out")});
  EXPECT_EQ(outcome.code, 3);
}

TEST_F(SweepCommand, EmitsASlurmScript) {
  const Outcome outcome = run(words("out", {"--emit", "slurm", "--shards", "12", "--cpus", "4", "--seed", "5", "--set",
                                            "name=a b", "--program", "/opt/stallcast", "--job-name", "my-sweep"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(fs::exists(path("out")));
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("#SBATCH --array=1-12\n"), HasSubstr("#SBATCH --job-name=my-sweep\n"),
            HasSubstr("exec /opt/stallcast sweep " + path("job.json") + " \\\n"), HasSubstr("  --set 'name=a b' \\\n"),
            HasSubstr("  --seed 5 \\\n"), HasSubstr("  --vary loader.num_workers=1,2,4 \\\n"),
            HasSubstr("  --shard \"$SLURM_ARRAY_TASK_ID/12\" \\\n"), HasSubstr("  -o " + path("out") + "\n")));
}

TEST_F(SweepCommand, EmitsAKubernetesJob) {
  const Outcome outcome = run(words("out", {"--emit", "kubernetes", "--image", "registry/stallcast:9", "--claim",
                                            "data", "--job-file", path("job.yaml")}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  const std::string yaml = content(path("job.yaml"));
  EXPECT_THAT(yaml, AllOf(HasSubstr("image: \"registry/stallcast:9\""), HasSubstr("claimName: data"),
                          HasSubstr("completionMode: Indexed"), HasSubstr("/scenario/scenario.json"),
                          HasSubstr("/results/out"), HasSubstr("\"name\": \"small job\"")));
  EXPECT_EQ(run(words("out", {"--emit", "kubernetes", "--job-name", "My Sweep"})).code, 2);
}

TEST_F(SweepCommand, StoppedItSaysHowToGoOn) {
  std::stop_source stop;
  stop.request_stop();
  const Outcome outcome = run(words("out", {"--yes"}), stop.get_token());
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("0 of 6 points"), HasSubstr("the same command again goes on")));
  EXPECT_EQ(run(words("out")).code, 0);
}

}  // namespace
}  // namespace stallcast
