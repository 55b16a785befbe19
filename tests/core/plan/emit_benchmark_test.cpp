#include "core/plan/emit/emit_benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <filesystem>

#include "core/import/dlio.h"
#include "core/plan/emit/claims.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/resolve/resolve.h"
#include "core/units/distribution.h"
#include "tests/core/plan/base_file.h"
#include "tests/core/plan/run_tool.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ResolvedScenario resolved_file(const std::filesystem::path& path) {
  return *resolve(*load_scenario(path).value, shipped_catalogue()).value;
}

std::filesystem::path scenarios() { return std::filesystem::path(STALLCAST_SOURCE_DIR) / "scenarios"; }

RunResult result_of(double utilization) {
  RunResult r;
  r.gpu_utilization = {utilization, utilization - 0.02, utilization + 0.01};
  r.samples_per_s = 1000.0;
  r.au_mlperf = utilization;
  r.step_time_s.mean = 0.5;
  r.simulated_s = 10.0;
  r.read_bytes = 400e9;
  return r;
}

ResolvedScenario imported(const std::string& yaml, const Scenario& original) {
  const DlioOptions options{
      original.cluster.nodes, original.cluster.gpus_per_node, original.cluster.instance, original.storage.tier, {}};
  const auto json = import_dlio_text(yaml, "dlio.yaml", options, shipped_catalogue());
  for (const Finding& finding : json.findings.list())
    EXPECT_NE(finding.severity, Severity::kError) << render_finding(finding) << yaml;
  for (const Finding& finding : json.findings.list()) EXPECT_NE(finding.code, "unknown_key") << render_finding(finding);
  ScenarioFile file = *parse_scenario(*json.value, "back.json").value;
  file.scenario.storage.capacity = original.storage.capacity;
  file.given.insert("/storage/capacity");
  return *resolve(file, shipped_catalogue()).value;
}

void expect_same_job(const Scenario& a, const Scenario& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.workload.batch_size, b.workload.batch_size);
  EXPECT_DOUBLE_EQ(mean_of(a.workload.step_time), mean_of(b.workload.step_time));
  EXPECT_EQ(a.dataset.layout, b.dataset.layout);
  EXPECT_NEAR(mean_of(a.dataset.sample_size), mean_of(b.dataset.sample_size), 0.51);
  EXPECT_NEAR(standard_deviation_of(a.dataset.sample_size), standard_deviation_of(b.dataset.sample_size),
              1e-5 * mean_of(a.dataset.sample_size));
  EXPECT_EQ(a.dataset.shuffle, b.dataset.shuffle);
  EXPECT_NEAR(a.dataset.tensor_size.base(), b.dataset.tensor_size.base(), 0.51);
  // Where nothing is decoded, DLIO decodes the files that it writes: that comes back as their format.
  if (b.dataset.format.empty())
    EXPECT_DOUBLE_EQ(mean_of(a.dataset.decode_time), mean_of(b.dataset.decode_time));
  else
    EXPECT_EQ(mean_of(a.dataset.decode_time), 0.0);
  EXPECT_EQ(a.loader.style, b.loader.style);
  EXPECT_EQ(a.loader.num_workers, b.loader.num_workers);
  EXPECT_EQ(a.loader.prefetch_factor, b.loader.prefetch_factor);
  EXPECT_EQ(a.run.epochs, b.run.epochs);
  EXPECT_EQ(a.run.seed, b.run.seed);
  EXPECT_EQ(a.checkpoint.mode, b.checkpoint.mode);
  if (a.checkpoint.mode == CheckpointMode::kNone) return;
  EXPECT_EQ(a.checkpoint.interval_steps, b.checkpoint.interval_steps);
  EXPECT_DOUBLE_EQ(checkpoint_shape(a).total, checkpoint_shape(b).total);
}

// The headline: one file per sample, sizes with a spread, PyTorch.
TEST(EmitDlio, ComesBackAsTheSameJob) {
  const Scenario a = resolved_file(scenarios() / "01_headline_parallelstore.json").scenario;
  const Scenario b = imported(dlio_file(a, nullptr).text, a).scenario;
  expect_same_job(a, b);
}

// The same job is simulated to the same utilization, within what the asked precision leaves open on both sides.
TEST(EmitDlio, ComesBackWithTheSameUtilization) {
  ResolvedScenario a = with_inputs_as_given(resolved_file(scenarios() / "01_headline_parallelstore.json"));
  ResolvedScenario b = with_inputs_as_given(imported(dlio_file(a.scenario, nullptr).text, a.scenario));
  a.scenario.run.precision = b.scenario.run.precision = 0.01;
  // The benchmark has an end, and with it a start; the job has none.
  EXPECT_NEAR(evaluate(a, RunOptions()).result.gpu_utilization_steady.mean,
              evaluate(b, RunOptions()).result.gpu_utilization_steady.mean, 0.02);
}

// Synchronous checkpoints by rank 0, shards, a pool of threads: DLIO's TensorFlow reader.
TEST(EmitDlio, ComesBackWithItsCheckpoints) {
  Scenario a = resolved_file(scenarios() / "08_checkpoint_sync.json").scenario;
  EXPECT_THAT(dlio_file(a, nullptr).text, HasSubstr("threads that share every batch"));  // its workers do not
  a.loader.style = LoaderStyle::kThreads;
  EXPECT_THAT(dlio_file(a, nullptr).text, Not(HasSubstr("threads that share every batch")));
  const Scenario b = imported(dlio_file(a, nullptr).text, a).scenario;
  expect_same_job(a, b);
  // 1281024 samples / (32 ranks * 400) = 100 whole steps.
  EXPECT_EQ(b.run.steps_per_epoch, 1281024 / (32 * a.workload.batch_size));
}

// Its own export is what it reads best: emitting again changes nothing.
TEST(EmitDlio, ASecondRoundChangesNothing) {
  int scenarios_read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scenarios())) {
    if (entry.path().extension() != ".json") continue;
    const Scenario a = resolved_file(entry.path()).scenario;
    const std::string once = dlio_file(a, nullptr).text;
    const Scenario b = imported(once, a).scenario;
    const Scenario c = imported(dlio_file(b, nullptr).text, b).scenario;
    SCOPED_TRACE(entry.path().string());
    expect_same_job(b, c);
    EXPECT_DOUBLE_EQ(mean_of(a.workload.step_time) > 0.0 ? mean_of(b.workload.step_time) : 0.0,
                     mean_of(a.workload.step_time));
    ++scenarios_read;
  }
  EXPECT_GT(scenarios_read, 20);
}

TEST(EmitDlio, HostileNamesStayText) {
  Scenario s;
  s.name = "x: [\"]\n- '#{$(id)}\xC2\x85 \xE2\x80\xA8key: 1";
  s.dataset.sample_size = Distribution::constant(1000.0);
  s.workload.step_time = Distribution::constant(0.1);
  const YAML::Node node = YAML::Load(dlio_file(s, nullptr).text);
  EXPECT_EQ(node["model"]["name"].as<std::string>(), s.name);
  EXPECT_FALSE(node["key"]);
  for (const char* const plain : {"yes", "null", "1e3", "~", "on"}) {
    s.name = plain;
    EXPECT_EQ(YAML::Load(dlio_file(s, nullptr).text)["model"]["name"].as<std::string>(), plain);
  }
}

// 0.86 - 0.02: the lower end of the interval is the mark that DLIO is to pass.
TEST(EmitDlio, PassesFromTheLowerEndOfThePrediction) {
  Scenario s;
  s.dataset.sample_size = Distribution::constant(1000.0);
  const RunResult result = result_of(0.86);
  EXPECT_NEAR(YAML::Load(dlio_file(s, &result).text)["metric"]["au"].as<double>(), 0.84, 1e-4);
}

// 400 GB in 10 s on 4 nodes: 10 GB/s each. Assumed: 8 readers of 1 MB in 10 ms each: 0.8 GB/s.
TEST(EmitFio, RatesOfANode) {
  Scenario s;
  s.cluster.nodes = 4;
  s.cluster.gpus_per_node = 2;
  s.loader.num_workers = 4;
  s.dataset.sample_size = Distribution::constant(5e6);
  s.dataset.request_size = bytes(1e6);
  s.storage.latency = Distribution::constant(0.005);
  s.storage.stream_bandwidth = bytes_per_second(2e8);
  NodeReads reads = node_reads(s, result_of(0.9));
  EXPECT_DOUBLE_EQ(reads.needed, 10e9);
  EXPECT_DOUBLE_EQ(reads.disproved_below, 10e9 * 0.88 / 0.9);
  EXPECT_EQ(reads.readers, 8);
  EXPECT_DOUBLE_EQ(reads.assumed, 0.8e9);
  s.storage.read_bandwidth = bytes_per_second(2e9);  // 0.5 GB/s for each of four nodes
  EXPECT_DOUBLE_EQ(node_reads(s, result_of(0.9)).assumed, 0.5e9);
  s.storage.scope = TierScope::kPerNode;
  EXPECT_DOUBLE_EQ(node_reads(s, result_of(0.9)).assumed, 0.8e9);
}

TEST(EmitFio, IsWhatFioReads) {
  if (!tool_exists("fio")) GTEST_SKIP() << "fio is not installed";
  for (const auto& entry : std::filesystem::directory_iterator(scenarios())) {
    if (entry.path().extension() != ".json") continue;
    Scenario s = resolved_file(entry.path()).scenario;
    s.name += "\n[global]\nfilename=/etc/passwd";
    const std::string text = fio_read_file(s, result_of(0.9)).text;
    const ToolResult read = run_tool("DATASET_DIR=/tmp fio --parse-only", text);
    EXPECT_TRUE(read.accepted) << read.output << text;
    EXPECT_THAT(text, Not(HasSubstr("\nfilename=")));
    if (const auto checkpoint = fio_checkpoint_file(s)) {
      const ToolResult written = run_tool("CHECKPOINT_DIR=/tmp fio --parse-only", checkpoint->text);
      EXPECT_TRUE(written.accepted) << written.output << checkpoint->text;
    }
  }
}

// Every scenario with checkpoints, those of weeks too.
TEST(EmitCheckpoint, IsPython) {
  if (!tool_exists("python3")) GTEST_SKIP() << "python3 is not installed";
  std::string all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scenarios())) {
    if (entry.path().extension() != ".json") continue;
    Scenario s = resolved_file(entry.path()).scenario;
    s.name += "\nimport os";
    for (const CheckpointCadence cadence :
         {CheckpointCadence::kSteps, CheckpointCadence::kTime, CheckpointCadence::kEpochs, CheckpointCadence::kOptimal})
      for (const WhenBusy busy : {WhenBusy::kWait, WhenBusy::kSkip}) {
        s.checkpoint.cadence = cadence;
        s.checkpoint.when_busy = busy;
        if (const auto file = checkpoint_file(s, nullptr)) all += file->text;
      }
  }
  EXPECT_THAT(all, HasSubstr("dcp.async_save"));
  EXPECT_THAT(all, HasSubstr("dcp.save"));
  EXPECT_THAT(all, Not(HasSubstr("\nimport os")));
  const ToolResult read =
      run_tool("python3 -c 'import ast, sys; ast.parse(open(sys.argv[1], encoding=\"utf-8\").read())'", all);
  EXPECT_TRUE(read.accepted) << read.output;
}

// Every 200 steps of 0.5 s: 100 s.
TEST(EmitCheckpoint, SaysStepsAndTime) {
  Scenario s;
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.interval_steps = 200;
  s.checkpoint.size = bytes(30e9);
  const RunResult result = result_of(0.9);
  const std::string text = checkpoint_file(s, &result)->text;
  EXPECT_THAT(text, HasSubstr("every 100 s of training, 200 steps"));
  EXPECT_THAT(text, HasSubstr("every_n_train_steps=200"));
  s.checkpoint.cadence = CheckpointCadence::kTime;
  s.checkpoint.interval = seconds(600.0);
  EXPECT_THAT(checkpoint_file(s, &result)->text, HasSubstr("train_time_interval=datetime.timedelta(seconds=600)"));
  EXPECT_THAT(checkpoint_file(s, &result)->text, HasSubstr("SAVE_EVERY_STEPS = 1200\n"));
}

// A run simulated whole has no interval of its own: half a point on each side is what was asked for.
TEST(EmitClaims, NoneIsFinerThanTheAskedPrecision) {
  ResolvedScenario resolved;
  RunResult result = result_of(0.9);
  result.gpu_utilization = {0.9, 0.9, 0.9};
  EXPECT_DOUBLE_EQ(claimed_utilization(resolved.scenario, result).ci95_low, 0.895);
  EXPECT_DOUBLE_EQ(claimed_utilization(resolved.scenario, result).ci95_high, 0.905);
  result.gpu_utilization = {0.999, 0.999, 0.999};
  result.checkpoint_stop_s = 77.0;
  const std::string text = claims_file(resolved, result, "job.json").text;
  EXPECT_THAT(text, HasSubstr("| 99.9 % | steps after the start-up: compute time / wall time, mean over ranks | below "
                              "99.4 % |"));
  EXPECT_THAT(text, HasSubstr("| 77 s | mean over the checkpoints of a run | by no measurement alone"));
}

TEST(EmitClaims, EachHasWhatWouldDisproveIt) {
  ResolvedScenario resolved;
  resolved.scenario.name = "a | b\n<script>";
  resolved.scenario.cluster.nodes = 4;
  const std::string text = claims_file(resolved, result_of(0.9), "my job.json").text;
  EXPECT_THAT(text, HasSubstr("| GPU utilization | 90.0 % |"));
  EXPECT_THAT(text, HasSubstr("| below 88.0 % or above 91.0 % |"));
  EXPECT_THAT(text, HasSubstr("| 10 GB/s |"));
  EXPECT_THAT(text, HasSubstr("| below 9.78 GB/s |"));  // 10 * 0.88 / 0.9
  EXPECT_THAT(text, HasSubstr("'my job.json'"));
  EXPECT_THAT(text, Not(HasSubstr("<script>")));
  EXPECT_THAT(text, Not(HasSubstr("a | b")));
}

}  // namespace
}  // namespace stallcast
