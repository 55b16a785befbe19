// stallcast new, examples, explain-field, help: what somebody meets who comes for the first time.
#include <gmock/gmock.h>

#include <sstream>

#include "core/diagnostics/json_input.h"
#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class NewCommandLine : public Cli {
 protected:
  // The dialogue, with a person who types `lines`.
  static Outcome talk(std::vector<std::string> words, const std::string& lines) {
    words.insert(words.begin(), "stallcast");
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    std::ostringstream out, err;
    std::istringstream in(lines);
    const int code =
        run_cli(static_cast<int>(argv.size()), argv.data(), Environment{.out = out, .err = err, .in = &in});
    return {code, out.str(), err.str()};
  }
};

TEST_F(NewCommandLine, WritesTheFileSaysWhatItAssumedAndAnswers) {
  const Outcome outcome = run({"new", path("job.json"), "--gpus", "8xH100", "--model", "resnet50", "--samples", "100k",
                               "--sample-size", "150KB", "--storage", "S3", "--inputs", "point"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("Wrote " + path("job.json") + ". You did not say, so it assumes:"));
  EXPECT_THAT(outcome.err, HasSubstr("  cluster.instance p5.48xlarge: "));
  EXPECT_THAT(outcome.err, HasSubstr("  run.epochs 1: one pass over the dataset"));
  EXPECT_THAT(outcome.out, HasSubstr("Where GPU time goes"));
  // The same as simulate says of the file.
  EXPECT_EQ(run({"simulate", path("job.json"), "--inputs", "point", "--format", "csv"}).code, 0);
  EXPECT_THAT(content(path("job.json")), HasSubstr("\"sample_size\": \"150 kB\""));
}

TEST_F(NewCommandLine, ReplacesNoFileUnasked) {
  file("job.json", "mine");
  const std::vector<std::string> words = {"new",    path("job.json"), "--gpus", "8xH100",      "--model",
                                          "unet3d", "--storage",      "S3",     "--write-only"};
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("exists; choose another name, or add --force"));
  EXPECT_EQ(content(path("job.json")), "mine");
  std::vector<std::string> forced = words;
  forced.emplace_back("--force");
  EXPECT_EQ(run(forced).code, 0);
  EXPECT_THAT(content(path("job.json")), HasSubstr("\"unet3d\""));
}

TEST_F(NewCommandLine, WithoutATerminalItSaysWhatIsMissing) {
  const Outcome outcome = run({"new", path("job.json"), "--gpus", "8xH100"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("--model: error[missing_answer]:\n  got nothing; add --model, like resnet50"));
  EXPECT_THAT(outcome.err, HasSubstr("--storage: error[missing_answer]"));
  EXPECT_FALSE(std::filesystem::exists(path("job.json")));
}

// Enter takes the default; what cannot be read is asked again.
TEST_F(NewCommandLine, AsksSevenQuestionsOnATerminal) {
  const Outcome outcome =
      talk({"new", path("job.json"), "--write-only"}, "8xH1000\n8xH100\np5\nresnet50\n1.28M\n150 kilo\n150KB\n\n90\n");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("Which model do you train?"));
  EXPECT_THAT(outcome.err, HasSubstr("  got \"H1000\"; allowed gpu of the catalogue: "));
  EXPECT_THAT(outcome.err, HasSubstr("did you mean \"H100\"?"));
  EXPECT_THAT(outcome.err, HasSubstr("  got \"150 kilo\"; allowed a size in B, kB"));
  const auto json = parse_json_text(content(path("job.json")), "job.json");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json.value)["cluster"]["instance"], "p5.48xlarge");
  EXPECT_EQ((*json.value)["storage"]["tier"], "s3_standard");  // the first choice where the machine is Amazon's
  EXPECT_EQ((*json.value)["run"]["epochs"], 90);
}

TEST_F(NewCommandLine, WritesNothingWhenThePersonGoesAway) {
  const Outcome outcome = talk({"new", path("job.json")}, "8xH100\n");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no more answers; nothing is written"));
  EXPECT_FALSE(std::filesystem::exists(path("job.json")));
}

TEST_F(NewCommandLine, TakesWhatASlurmScriptSays) {
  const std::string script = file("train.sbatch",
                                  "#!/bin/bash\n#SBATCH -N 2\n#SBATCH --gres=gpu:8\n"
                                  "srun python train.py --batch-size 64 --epochs 3\n");
  const Outcome outcome = run({"new", path("job.json"), "--from", script, "--gpus", "A100", "--model", "resnet50",
                               "--storage", "nfs", "--write-only"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("batch-size 64, epochs 3, gpus 16."));
  const auto json = parse_json_text(content(path("job.json")), "job.json");
  EXPECT_EQ((*json.value)["cluster"]["nodes"], 2);
  EXPECT_EQ((*json.value)["run"]["epochs"], 3);
}

TEST_F(NewCommandLine, AloneItSaysWhereToStart) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("stallcast new job.json"));
  EXPECT_LE(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 12);
}

TEST_F(NewCommandLine, HelpOfACommandHasItsOwnExamples) {
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_EQ(run({"help", "size"}).out, run({"size", "--help"}).out);
  for (const char* command :
       {"new",         "examples", "explain-field", "simulate", "explain",   "size",     "compare",
        "sensitivity", "sweep",    "merge",         "report",   "emit",      "diagnose", "probe",
        "calibrate",   "backtest", "validate",      "import",   "catalogue", "schema",   "completions"}) {
    const std::string help = run({"help", command}).out;
    EXPECT_THAT(help, HasSubstr(std::string("\n  stallcast ") + command)) << command;
    // None of another command.
    for (std::size_t at = help.find("\n  stallcast "); at != std::string::npos;
         at = help.find("\n  stallcast ", at + 1))
      EXPECT_EQ(help.compare(at + 13, std::string(command).size(), command), 0) << command;
  }
}

TEST_F(NewCommandLine, ExamplesAreListedAndCopied) {
  const Outcome list = run({"examples"});
  EXPECT_THAT(list.out, HasSubstr("17_webdataset"));
  const Outcome copy = run({"examples", "17", "-o", path("job.json")});
  EXPECT_EQ(copy.code, 0) << copy.err;
  EXPECT_EQ(content(path("job.json")), content(STALLCAST_SOURCE_DIR "/scenarios/17_webdataset.json"));
  EXPECT_EQ(run({"examples", "17", "-o", path("job.json")}).code, 2);
  EXPECT_THAT(run({"examples", "webdatset"}).err, HasSubstr("did you mean"));
}

TEST_F(NewCommandLine, AFieldIsExplained) {
  const Outcome outcome = run({"explain-field", "dataset.layout"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("dataset.layout\n  How samples lie in files"));
  EXPECT_THAT(outcome.out, HasSubstr("tfrecord for shards"));
  EXPECT_THAT(run({"explain-field", "storage"}).out, HasSubstr("\n  capacity "));
  EXPECT_THAT(run({"explain-field", "num_workers"}).out, HasSubstr("loader.num_workers\n"));
  // What a newcomer looks for comes first.
  const std::string all = run({"explain-field"}).out;
  EXPECT_LT(all.find("  storage.tier "), all.find("Groups of fields"));
  EXPECT_THAT(outcome.out, HasSubstr("level    common"));
  const std::string loader = run({"explain-field", "loader"}).out;
  EXPECT_LT(loader.find("\n  prefetch_factor "), loader.find("\nseldom needed\n"));
  EXPECT_LT(loader.find("\nseldom needed\n"), loader.find("\n  pipe_time "));
  const Outcome unknown = run({"explain-field", "loader.num_worker"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean loader.num_workers?"));
}

// Of many names a message lists those that are near, and says where all are.
TEST_F(NewCommandLine, MessagesListFewNames) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"catalogue", "show", "zzz"},
                                             {"simulate", job(), "--set", "storage.tier=zzz"},
                                             {"explain-field", "zzz"},
                                             {"simulate", job(), "--set", "storage.zzz=1"},
                                             {"zzz"},
                                             {"examples", "zzz"}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_LE(std::count(outcome.err.begin(), outcome.err.end(), ','), 10) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("one of ")) << outcome.err;
  }
  EXPECT_EQ(run({"catalogue", "show", "h100"}).code, 0);
  EXPECT_THAT(run({"catalogue", "show", "h100"}).out, HasSubstr("gpu/h100-80gb-sxm"));
}

}  // namespace
}  // namespace stallcast
