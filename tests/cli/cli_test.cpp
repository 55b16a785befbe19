#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_cli.h"
#include "cli/shell/progress_line.h"
#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// --- what works -----------------------------------------------------------------------------------------------------

TEST_F(Cli, SimulatePrintsATable) {
  const Outcome outcome = run({"simulate", job()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("small job\n1 node x 1 GPU, batch 4, 2 workers per GPU, prefetch 2"));
  EXPECT_THAT(outcome.out, HasSubstr("GPU utilization"));
  EXPECT_THAT(outcome.out, HasSubstr("Where GPU time goes"));
}

TEST_F(Cli, SimulatePrintsOneJsonObject) {
  const Outcome outcome = run({"simulate", job(), "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["format_version"], 2);
  EXPECT_EQ(document["scenario"]["loader"]["num_workers"], 2);
  EXPECT_EQ(document["provenance"]["/loader/num_workers"]["origin"], "file");
  EXPECT_EQ(document["converged"], true);
  EXPECT_TRUE(document["cost"]["total_usd"].is_null());  // nothing in it has a price
  EXPECT_THAT(document["cost"]["unknown"].dump(), HasSubstr("UNKNOWN price of the machines"));
  EXPECT_TRUE(document["catalogue"]["overlays"].empty());
  EXPECT_EQ(document["catalogue"]["hash"].get<std::string>().size(), 36u);
  double lost = 0.0;
  for (const auto& [cause, fraction] : document["lost_time_fraction"].items()) lost += fraction.get<double>();
  EXPECT_NEAR(lost, 1.0 - document["gpu_utilization"]["mean"].get<double>(), 1e-6);
}

TEST_F(Cli, SameSeedSameBytesButForWallTime) {
  const std::string scenario = job();
  auto first = nlohmann::ordered_json::parse(run({"simulate", scenario, "--seed", "7", "--format", "json"}).out);
  auto second = nlohmann::ordered_json::parse(run({"simulate", scenario, "--seed", "7", "--format", "json"}).out);
  EXPECT_EQ(first["seed"], 7);
  first.erase("wall_s");
  second.erase("wall_s");
  EXPECT_EQ(first.dump(), second.dump());
}

// 80 samples in 20 steps of about 12 ms on a machine at $36,000 an hour, storage at no charge.
TEST_F(Cli, SimulatePricesTheRunAndWritesItAsFocus) {
  const Outcome outcome =
      run({"simulate", job(), "--format=json", "--set=cost.node_price=$36000/h", "--set=cost.storage_discount=1",
           "--focus", path("focus.csv"), "--focus-start", "2026-12-01"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  const double total = document["cost"]["total_usd"];
  EXPECT_NEAR(total, 10.0 * document["time_to_train_s"].get<double>(), 1e-6);
  const double useful_hours =
      document["time_to_train_s"].get<double>() * document["gpu_utilization"]["mean"].get<double>() / 3600.0;
  EXPECT_NEAR(document["effective_usd_per_useful_gpu_hour"].get<double>(), total / useful_hours, 1e-3);
  EXPECT_NEAR(document["cost"]["per_million_samples_usd"].get<double>(), total / 80e-6, 1e-3);
  const std::string focus = content(path("focus.csv"));
  EXPECT_EQ(std::count(focus.begin(), focus.end(), '\n'), 2);
  EXPECT_THAT(focus, HasSubstr("2026-12-01T00:00:00Z"));
}

TEST_F(Cli, AForecastNeedsALengthAndADate) {
  const std::string endless = file("endless.json", R"({"workload": {"step_time": "10 ms"}})");
  const Outcome unsized = run({"simulate", endless, "--focus", path("focus.csv")});
  EXPECT_EQ(unsized.code, 2);
  EXPECT_THAT(unsized.err, HasSubstr("the length of the run is not given"));
  EXPECT_FALSE(std::filesystem::exists(path("focus.csv")));
  EXPECT_EQ(run({"simulate", job(), "--focus", path("focus.csv"), "--focus-start", "2026-02-30"}).code, 2);
  EXPECT_EQ(run({"simulate", job(), "--focus-start", "2026-02-28"}).code, 2);
  EXPECT_EQ(run({"simulate", job(), "--focus", "-"}).code, 2);
}

TEST_F(Cli, SetChangesOneFieldAndIsRepeatable) {
  const Outcome outcome =
      run({"simulate", "--set", "loader.num_workers=3", "--set", "/loader/prefetch_factor=5", job(), "--format=json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["scenario"]["loader"]["num_workers"], 3);
  EXPECT_EQ(document["scenario"]["loader"]["prefetch_factor"], 5);
  EXPECT_EQ(document["provenance"]["/loader/prefetch_factor"]["origin"], "override");
}

TEST_F(Cli, CsvIsAHeaderAndARow) {
  const Outcome outcome = run({"simulate", job(), "--format", "csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 2);
}

TEST_F(Cli, OutputAndTraceGoToFilesAndNothingToStandardOutput) {
  const Outcome outcome =
      run({"simulate", job(), "--format", "json", "-o", path("result.json"), "--trace", path("trace.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_TRUE(nlohmann::json::parse(content(path("result.json"))).contains("gpu_utilization"));
  EXPECT_GT(nlohmann::json::parse(content(path("trace.json")))["traceEvents"].size(), 20u);
}

TEST_F(Cli, ExplainSaysWhatToChange) {
  const Outcome outcome = run({"explain", job()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Change first"));
  EXPECT_THAT(outcome.out, HasSubstr("Effect of each change on its own"));
  EXPECT_THAT(outcome.out, HasSubstr("if storage answered at once"));
}

TEST_F(Cli, ExplainAsJsonHasTheCounterfactuals) {
  const auto document = nlohmann::json::parse(run({"explain", job(), "--format", "json"}).out);
  EXPECT_GT(document["explanation"]["counterfactuals"].size(), 3u);
}

TEST_F(Cli, AStopGivesWhatIsDoneAndSaysSo) {
  std::stop_source source;
  source.request_stop();
  const Outcome outcome =
      run({"simulate", job(), "--set", "dataset.samples=80000", "--format", "json"}, source.get_token());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["converged"], false);
}

TEST_F(Cli, SchemaIsJson) {
  const Outcome outcome = run({"schema"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(nlohmann::json::parse(outcome.out).contains("$schema"));
}

TEST_F(Cli, HelpAndVersionAreResults) {
  EXPECT_EQ(run({"--help"}).code, 0);
  EXPECT_THAT(run({"--help"}).out, HasSubstr("simulate"));
  EXPECT_THAT(run({"simulate", "--help"}).out, HasSubstr("--set"));
  EXPECT_THAT(run({"--version"}).out, StartsWith("stallcast "));
  EXPECT_THAT(run({"--version"}).err, IsEmpty());
}

// --- a journal of simulated runs
// -----------------------------------------------------------------------------------------

TEST_F(Cli, AJournalNeedsRunsToKeep) {
  const Outcome outcome = run({"simulate", job(), "--journal", path("run.journal")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("--journal: error[nothing_to_keep]:"));
  EXPECT_THAT(outcome.err, HasSubstr("set failures.mtti"));
  EXPECT_FALSE(std::filesystem::exists(path("run.journal")));
}

TEST_F(Cli, AJournalOfSomethingElseIsRefused) {
  const std::string other = file("notes.txt", "do not lose this\n");
  for (const char* command : {"simulate", "explain"}) {
    const Outcome outcome = run({command, job(), "--set", "failures.mtti=1 h", "--journal", other});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr("error[not_a_journal]"));
    EXPECT_EQ(content(other), "do not lose this\n");
  }
  EXPECT_EQ(run({"simulate", job(), "--set", "failures.mtti=1 h", "--journal", path("missing/run.journal")}).code, 3);
}

TEST_F(Cli, AJournalIsOfOneScenarioAndSeed) {
  const std::vector<std::string> words = {"simulate",          job(),       "--set",
                                          "failures.mtti=1 h", "--journal", path("a.journal")};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return run(more);
  };
  ASSERT_EQ(with({}).code, 0);
  EXPECT_THAT(content(path("a.journal")), StartsWith("{\"stallcast_journal\":1,"));
  EXPECT_EQ(with({"--replications", "3"}).code, 0);
  const Outcome seed = with({"--seed", "9"});
  EXPECT_EQ(seed.code, 2);
  EXPECT_THAT(seed.err, HasSubstr("error[other_run] at /seed:\n  got 1; allowed 9, which is this run's;"));
  EXPECT_THAT(with({"--set", "loader.num_workers=3"}).err, HasSubstr("error[other_run] at /scenario_hash"));
}

// Killed while the 13th run of 20 was written: the rest is simulated, and the result is that of a run that was not.
TEST_F(Cli, AKilledRunGoesOnWhereItWas) {
  const auto result = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"simulate",       job(), "--set",    "failures.mtti=1 s",
                                      "--replications", "20",  "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    auto document = nlohmann::json::parse(outcome.out);
    document.erase("wall_s");
    return document;
  };
  const std::string journal = path("a.journal");
  const auto undisturbed = result({});
  EXPECT_EQ(undisturbed["run_timeline"]["replications"], 20);
  EXPECT_EQ(result({"--journal", journal}), undisturbed);
  const std::string whole = content(journal);
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 21);
  std::size_t end = 0;
  for (int line = 0; line < 13; ++line) end = whole.find('\n', end) + 1;
  file("a.journal", whole.substr(0, end + 100));
  EXPECT_EQ(result({"--journal", journal}), undisturbed);
  EXPECT_EQ(content(journal).substr(0, end), whole.substr(0, end));
  EXPECT_EQ(content(journal).size(), whole.size());
}

TEST_F(Cli, HelpSaysWhatReplicationsAre) {
  for (const char* command : {"simulate", "explain"}) {
    const std::string help = run({command, "--help"}).out;
    EXPECT_THAT(help, HasSubstr("the number of whole runs to simulate"));
    EXPECT_THAT(help, HasSubstr("--journal FILE"));
  }
}

TEST(ProgressText, CountsRunsOnceTheyAreSimulated) {
  Progress progress;
  progress.simulated_s = 24.0;
  progress.steps = 120;
  progress.gpu_utilization = {0.841, 0.834, 0.848};
  EXPECT_EQ(progress_text(progress), "120 steps, 24 s simulated, GPU utilization 84.1 % +- 0.7");
  progress.runs_wanted = 100;
  progress.runs = 37;
  EXPECT_EQ(progress_text(progress), "37 of 100 runs simulated");
  progress.draws = 12;
  progress.draws_wanted = 39;
  EXPECT_EQ(progress_text(progress), "GPU utilization 84.1 %; uncertain inputs: sample 12 of 39");
}

// --- what is wrong with the command line ----------------------------------------------------------------------------

TEST_F(Cli, AMisspeltCommandNamesTheNearest) {
  const Outcome outcome = run({"simulte", job()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_EQ(
      outcome.err,
      "stallcast: unknown command 'simulte'; did you mean 'simulate'?\nRun 'stallcast --help' for what it takes.\n");
}

TEST_F(Cli, AStrangeCommandListsThemAll) {
  EXPECT_THAT(run({"quux"}).err, HasSubstr("unknown command 'quux'; commands are "));
}

TEST_F(Cli, AMisspeltInnerCommandNamesTheNearest) {
  const Outcome outcome = run({"catalogue", "shwo"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("stallcast catalogue: unknown command 'shwo'; did you mean 'show'?"));
}

TEST_F(Cli, AMisspeltOptionNamesTheNearest) {
  const Outcome outcome = run({"simulate", job(), "--sede", "5"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("stallcast simulate: unknown option '--sede'; did you mean '--seed'?"));
}

TEST_F(Cli, WrongOptionValuesAreRefused) {
  EXPECT_EQ(run({"simulate", job(), "--format", "xml"}).code, 2);
  EXPECT_EQ(run({"simulate", job(), "--replications", "0"}).code, 2);
  EXPECT_EQ(run({"simulate", job(), "--journal", "-"}).code, 2);
  EXPECT_EQ(run({"simulate", job(), "--seed", "many"}).code, 2);
  EXPECT_EQ(run({"simulate", job(), "--precision", "-1"}).code, 2);
  EXPECT_EQ(run({"simulate"}).code, 2);
  EXPECT_EQ(run({"completions", "tcsh"}).code, 2);
  EXPECT_EQ(run({"catalogue", "list", "teir"}).code, 2);
}

// --- what is wrong with the scenario --------------------------------------------------------------------------------

// A misspelt key does not hide that the tier is misspelt too: both are said in one go.
TEST_F(Cli, AMisspeltKeyAndAMisspeltRecordAreSaidTogether) {
  const std::string scenario =
      file("both.json", R"({"loader": {"num_worker": 4}, "storage": {"tier": "parallelstor"}})");
  const Outcome outcome = run({"simulate", scenario});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("error[unknown_key] at /loader/num_worker:"));
  EXPECT_THAT(outcome.err, HasSubstr("error[unknown_record] at /storage/tier:"));
}

TEST_F(Cli, AMisspeltKeyNamesTheNearest) {
  const std::string scenario = file("a.json", R"({"loader": {"num_worker": 4}})");
  const Outcome outcome = run({"simulate", scenario});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, StartsWith(scenario + ": error[unknown_key] at /loader/num_worker:\n"));
  EXPECT_THAT(outcome.err, HasSubstr("num_workers"));
}

TEST_F(Cli, AWrongUnitIsExplained) {
  const Outcome outcome = run({"simulate", file("a.json", R"({"storage": {"read_bandwidth": "5 GB"}})")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("error[wrong_unit] at /storage/read_bandwidth"));
}

TEST_F(Cli, ANegativeNumberIsOutOfRange) {
  const Outcome outcome = run({"simulate", job(), "--set", "workload.batch_size=-4"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, StartsWith("--set: error[out_of_range] at /workload/batch_size:"));
}

TEST_F(Cli, PrefetchWithoutWorkersIsTold) {
  const Outcome outcome = run({"simulate", file("a.json", R"({"loader": {"num_workers": 0, "prefetch_factor": 4}})")});
  EXPECT_THAT(outcome.err, HasSubstr("/loader/prefetch_factor"));
}

TEST_F(Cli, EveryFindingIsPrintedAtOnce) {
  const Outcome outcome =
      run({"simulate", file("a.json", R"({"loader": {"num_worker": 4}, "runn": {}})"), "--set", "nonsense"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/loader/num_worker"));
  EXPECT_THAT(outcome.err, HasSubstr("/runn"));
  EXPECT_THAT(outcome.err, HasSubstr("--set: error"));
}

TEST_F(Cli, TruncatedJsonSaysWhere) {
  const Outcome outcome = run({"simulate", file("a.json", R"({"loader": {"num_workers": 4)")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("error[invalid_json]"));
}

TEST_F(Cli, AnUnknownTierNamesTheNearest) {
  const Outcome outcome = run({"simulate", job(), "--set", "storage.tier=no_such_tier"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("unknown_record"));
  EXPECT_THAT(outcome.err, HasSubstr("/storage/tier"));
}

// --- what is wrong with the world -----------------------------------------------------------------------------------

TEST_F(Cli, AMissingFileIsTroubleWithTheWorld) {
  const Outcome outcome = run({"simulate", path("nowhere.json")});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr(path("nowhere.json")));
  EXPECT_THAT(outcome.err, HasSubstr("No such file"));
}

TEST_F(Cli, ADirectoryIsNotAScenario) {
  const Outcome outcome = run({"simulate", folder_.string()});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr(folder_.string()));
}

TEST_F(Cli, AnOutputWithoutADirectoryIsToldBeforeTheRun) {
  const Outcome outcome = run({"simulate", job(), "-o", path("missing/result.json")});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("there is no directory"));
  EXPECT_EQ(run({"simulate", job(), "-o", folder_.string()}).code, 3);
  EXPECT_EQ(run({"simulate", job(), "--trace", path("missing/trace.json")}).code, 3);
}

TEST_F(Cli, AFailedRunLeavesNoFile) {
  const Outcome outcome = run({"simulate", job(), "--set", "loader.num_workers=many", "-o", path("result.json")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_FALSE(std::filesystem::exists(path("result.json")));
}

TEST_F(Cli, ABrokenStreamIsTroubleWithTheWorld) {
  std::ostringstream err;
  std::ostream broken(nullptr);
  const char* argv[] = {"stallcast", "schema"};
  EXPECT_EQ(run_cli(2, argv, broken, err), 3);
  EXPECT_THAT(err.str(), HasSubstr("standard output: cannot be written"));
}

// --- import ---------------------------------------------------------------------------------------------------------

constexpr const char* kWorkload = R"(model: {name: unet3d}
framework: pytorch
workflow: {generate_data: False, train: True, checkpoint: False}
dataset: {data_folder: data/unet3d/, format: npz, num_files_train: 168, num_samples_per_file: 1, record_length_bytes: 146600628}
reader: {data_loader: pytorch, batch_size: 7, read_threads: 4, file_shuffle: seed, sample_shuffle: seed}
train: {epochs: 5, computation_time: 0.323}
)";

TEST_F(Cli, ImportedWorkloadsCanBeSimulated) {
  const Outcome import = run({"import", "dlio", file("w.yaml", kWorkload), "-o", path("job.json")});
  ASSERT_EQ(import.code, 0) << import.err;
  EXPECT_THAT(import.out, IsEmpty());
  const Outcome simulate = run({"simulate", path("job.json"), "--format", "json"});
  EXPECT_EQ(simulate.code, 0) << simulate.err;
}

TEST_F(Cli, ImportSaysWhatItCannotRead) {
  EXPECT_EQ(run({"import", "dlio", path("nowhere.yaml")}).code, 3);
  EXPECT_EQ(run({"import", "dlio", file("w.yaml", "a: [1, 2\nb: }")}).code, 2);
}

// What nobody gave is listed, and with --inputs ranges drawn.
TEST_F(Cli, AssumedInputsHaveRanges) {
  const std::string images = file("images.json", R"({
    "cluster": {"instance": "p5.48xlarge"}, "workload": {"batch_size": 8, "step_time": "50 ms"},
    "dataset": {"samples": 6400, "sample_size": "150 kB"}, "storage": {"tier": "s3_standard"}, "run": {"epochs": 1}})");
  const auto point = nlohmann::json::parse(run({"simulate", images, "--format", "json", "--inputs", "point"}).out);
  EXPECT_TRUE(point["ranges"]["gpu_utilization"].is_null());
  EXPECT_GT(point["assumptions"].size(), 5U);
  EXPECT_TRUE(point["assumptions"][0]["effect_points"].is_null());
  const auto drawn = nlohmann::json::parse(run({"simulate", images, "--format", "json"}).out);
  EXPECT_EQ(drawn["gpu_utilization"], point["gpu_utilization"]);
  EXPECT_LT(drawn["ranges"]["gpu_utilization"]["low"], point["gpu_utilization"]["mean"]);
  EXPECT_GT(drawn["ranges"]["gpu_utilization"]["high"], point["gpu_utilization"]["mean"]);
  EXPECT_EQ(drawn["assumptions"][0]["path"], "storage.latency");
  EXPECT_GT(drawn["assumptions"][0]["effect_points"], 5.0);
  EXPECT_THAT(run({"simulate", images}).out, HasSubstr("Assumed"));
  EXPECT_THAT(run({"simulate", images, "--inputs", "point"}).out, HasSubstr("--inputs ranges"));
  EXPECT_EQ(run({"simulate", images, "--inputs", "some"}).code, 2);
}

}  // namespace
}  // namespace stallcast
