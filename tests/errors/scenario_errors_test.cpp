// One bad scenario each, and the whole of what a person gets to read. A new kind of error belongs here first.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/diagnostics/finding.h"
#include "core/scenario/check/check.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

class ScenarioErrors : public ::testing::Test {
 protected:
  ScenarioErrors() {
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  ~ScenarioErrors() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  // What a person reads about a file a.json with this content: all findings, or the one error about the world.
  static std::string about(const std::string& content) {
    std::ofstream("a.json", std::ios::binary) << content;
    return about_file("a.json");
  }

  static std::string about_file(const fs::path& path) {
    try {
      const auto loaded = load_scenario(path);
      std::string out;
      Findings findings = loaded.findings;
      if (loaded.ok())
        findings.append(check_scenario(loaded.value->scenario, loaded.value->given_anywhere(), loaded.value->file));
      for (const Finding& finding : findings.list()) {
        if (finding.severity == Severity::kError) out += render_finding(finding) + "\n";
      }
      return out;
    } catch (const WorldError& error) {
      return std::string("world: ") + error.what();
    }
  }

  fs::path before_ = fs::current_path();
  fs::path folder_ = fs::temp_directory_path() / ("stallcast_errors_" + std::to_string(::getpid()));
};

TEST_F(ScenarioErrors, MissingFile) {
  EXPECT_EQ(about_file("none.json"), "world: none.json: cannot be read: No such file or directory");
}

TEST_F(ScenarioErrors, Directory) {
  fs::create_directory("d");
  EXPECT_EQ(about_file("d"), "world: d: cannot be read: it is a directory, not a file");
}

TEST_F(ScenarioErrors, Unreadable) {
  std::ofstream("a.json") << "{}";
  fs::permissions("a.json", fs::perms::none);
  if (::access("a.json", R_OK) == 0) GTEST_SKIP() << "this user may read everything";
  EXPECT_EQ(about_file("a.json"), "world: a.json: cannot be read: Permission denied");
}

TEST_F(ScenarioErrors, HugeFileIsRefusedUnread) {
  std::ofstream("a.json") << "{}";
  fs::resize_file("a.json", std::uintmax_t{1} << 30);  // sparse: takes no space
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(about_file("a.json"),
            "a.json: error[too_large]:\n  got 1024 MiB; allowed at most 16 MiB (it was not read)\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(200));
}

TEST_F(ScenarioErrors, Empty) {
  EXPECT_EQ(about(""), "a.json: error[empty_file]:\n  got nothing; allowed one JSON value\n");
}

TEST_F(ScenarioErrors, NotUtf8) {
  EXPECT_EQ(about("{\"name\": \"M\xFCller\"}"),
            "a.json: error[not_utf8]:\n"
            "  got byte 0xFC at offset 11 (line 1, column 12); allowed UTF-8 text; save the file as UTF-8\n");
}

TEST_F(ScenarioErrors, Utf16) {
  EXPECT_EQ(about(std::string("\xFF\xFE{\0}\0", 6)),
            "a.json: error[not_utf8]:\n"
            "  got byte 0xFF at offset 0 (line 1, column 1); allowed UTF-8 text; save the file as UTF-8\n");
}

TEST_F(ScenarioErrors, Truncated) {
  EXPECT_EQ(about("{\n  \"loader\": {\n    \"num_workers\": 8,\n"),
            "a.json: error[invalid_json] at /loader/num_workers:\n"
            "  got unexpected end of input at line 4, column 1; allowed string literal (the file ends inside 2 open "
            "brackets)\n");
}

TEST_F(ScenarioErrors, CommaTooMany) {
  EXPECT_EQ(about("{\n  \"loader\": {\"num_workers\": 8,}\n}"),
            "a.json: error[invalid_json] at /loader/num_workers:\n"
            "  got unexpected '}' at line 2, column 31; allowed string literal; remove the comma before }\n");
}

TEST_F(ScenarioErrors, TooDeep) {
  EXPECT_EQ(
      about("{\"loader\": " + std::string(1000000, '[')),
      "a.json: error[too_deep]:\n  got more than 100 arrays and objects inside each other; allowed at most 100\n");
}

TEST_F(ScenarioErrors, NotAnObject) {
  EXPECT_EQ(
      about("[1, 2]"),
      "a.json: error[wrong_type]:\n  got [1,2]; allowed an object like {\"cluster\": {...}, \"workload\": {...}}\n");
}

TEST_F(ScenarioErrors, DuplicateKeyAndEverythingElse) {
  EXPECT_EQ(about("{\"loader\": {\"num_workers\": 8, \"num_workers\": 9}, \"lodaer\": {}}"),
            "a.json: error[duplicate_key] at /loader/num_workers:\n  got the key twice; remove one of them\n"
            "a.json: error[unknown_key] at /lodaer:\n  got \"lodaer\"; did you mean \"loader\"?\n");
}

TEST_F(ScenarioErrors, UnknownKey) {
  EXPECT_EQ(about("{\"loader\": {\"workers\": 8}}"),
            "a.json: error[unknown_key] at /loader/workers:\n  got \"workers\"; did you mean \"num_workers\"?\n");
  EXPECT_EQ(about("{\"dataset\": {\"size\": \"1 MB\"}, \"loader\": {\"mode\": \"sync\"}}"),
            "a.json: error[unknown_key] at /dataset/size:\n  got \"size\"; did you mean \"sample_size\"?\n"
            "a.json: error[unknown_key] at /loader/mode:\n  got \"mode\"; did you mean /checkpoint/mode?\n");
}

TEST_F(ScenarioErrors, NewerFormat) {
  EXPECT_EQ(about("{\"format_version\": 3}"),
            "a.json: error[out_of_range] at /format_version:\n  got 3; allowed 1 to 2\n");
}

TEST_F(ScenarioErrors, UnitMissing) {
  EXPECT_EQ(
      about("{\"cluster\": {\"nic_bandwidth\": 12.5}}"),
      "a.json: error[missing_unit] at /cluster/nic_bandwidth:\n"
      "  got 12.5; allowed a rate in B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, or Mbps, Gbps (bits); "
      "did you mean \"12.5 GB/s\"? (a number here needs its unit)\n");
}

TEST_F(ScenarioErrors, UnitInTheWrongCase) {
  EXPECT_EQ(about("{\"storage\": {\"capacity\": \"100 tib\"}}"),
            "a.json: error[wrong_case] at /storage/capacity:\n"
            "  got \"100 tib\"; allowed a size in B, kB, MB, GB, TB, PB or KiB, MiB, GiB, TiB, PiB; did you mean \"100 "
            "TiB\"? "
            "(case matters: B is bytes, b is bits, k is 1000, Ki is 1024)\n");
}

TEST_F(ScenarioErrors, UnitOfSomethingElse) {
  EXPECT_EQ(about("{\"workload\": {\"step_time\": \"12.5 GB/s\"}}"),
            "a.json: error[wrong_unit] at /workload/step_time:\n"
            "  got \"12.5 GB/s\"; allowed a time in ns, us, ms, s, min, h or d (GB/s is a byte rate)\n");
}

TEST_F(ScenarioErrors, UnitUnknown) {
  EXPECT_EQ(about("{\"workload\": {\"barrier_time\": \"3 fortnights\"}}"),
            "a.json: error[unknown_unit] at /workload/barrier_time:\n"
            "  got \"3 fortnights\"; allowed a time in ns, us, ms, s, min, h or d\n");
}

TEST_F(ScenarioErrors, NotAQuantity) {
  EXPECT_EQ(about("{\"workload\": {\"barrier_time\": \"short\"}}"),
            "a.json: error[not_a_quantity] at /workload/barrier_time:\n"
            "  got \"short\"; allowed a time in ns, us, ms, s, min, h or d; write it like \"2.5 ms\"\n");
}

TEST_F(ScenarioErrors, OutOfRange) {
  EXPECT_EQ(
      about("{\"cluster\": {\"nodes\": 0}, \"workload\": {\"barrier_time\": \"-1 s\", \"mfu\": 40}, \"run\": "
            "{\"epochs\": 1.5}}"),
      "a.json: error[out_of_range] at /cluster/nodes:\n  got 0; allowed 1 to 100000\n"
      "a.json: error[out_of_range] at /workload/barrier_time:\n  got \"-1 s\"; allowed 0 s to 3650 d\n"
      "a.json: error[out_of_range] at /workload/mfu:\n  got 40; allowed more than 0, up to 1; did you mean 0.4?\n"
      "a.json: error[out_of_range] at /run/epochs:\n  got 1.5; allowed a whole number, 1 to 1e9; did you mean 2?\n");
}

TEST_F(ScenarioErrors, WrongTypes) {
  EXPECT_EQ(
      about("{\"name\": 5, \"cluster\": {\"nodes\": [8]}, \"loader\": {\"pin_memory\": \"yes\", \"style\": 1, "
            "\"pipe_time\": null}}"),
      "a.json: error[wrong_type] at /name:\n  got 5; allowed a string; did you mean \"5\"?\n"
      "a.json: error[wrong_type] at /cluster/nodes:\n  got [8]; allowed a whole number\n"
      "a.json: error[wrong_type] at /loader/pin_memory:\n  got \"yes\"; allowed true or false; did you mean true?\n"
      "a.json: error[wrong_type] at /loader/style:\n  got 1; allowed map, iterable, threads\n"
      "a.json: error[wrong_type] at /loader/pipe_time:\n  got null; allowed a time in ns, us, ms, s, min, h or d\n");
}

TEST_F(ScenarioErrors, UnknownWord) {
  EXPECT_EQ(about("{\"dataset\": {\"layout\": \"shard\"}}"),
            "a.json: error[unknown_word] at /dataset/layout:\n"
            "  got \"shard\"; allowed file_per_sample, shards, records, columnar; did you mean \"shards\"?\n");
}

TEST_F(ScenarioErrors, Distributions) {
  EXPECT_EQ(
      about(R"({"workload": {"step_time": {"kind": "log-normal", "mean": "1 s"}},
                      "dataset": {"decode_time": {"kind": "lognormal", "mean": "5 ms", "sigmaa": 0.3},
                                  "sample_size": {"mean": "5 kB"}},
                      "storage": {"latency": {"kind": "empirical", "quantiles": ["2 ms", "1 ms", 3]},
                                  "open_latency": {"kind": "uniform", "low": "2 ms", "high": "1 ms"}}})"),
      "a.json: error[unknown_word] at /workload/step_time/kind:\n"
      "  got \"log-normal\"; allowed constant, uniform, normal, lognormal, exponential, gamma, bimodal, empirical; "
      "did you mean \"lognormal\"?\n"
      "a.json: error[unknown_key] at /dataset/decode_time/sigmaa:\n"
      "  got \"sigmaa\"; allowed kind, mean, sigma; did you mean \"sigma\"?\n"
      "a.json: error[missing_member] at /dataset/decode_time:\n"
      "  got {\"kind\":\"lognormal\",\"mean\":\"5 ms\",\"sigmaa\":0.3}; add \"sigma\"\n"
      "a.json: error[missing_member] at /dataset/sample_size:\n"
      "  got {\"mean\":\"5 kB\"}; add \"kind\" (kinds are constant, uniform, normal, lognormal, exponential, gamma, "
      "bimodal, "
      "empirical)\n"
      "a.json: error[not_ascending] at /storage/latency/quantiles/1:\n"
      "  got \"1 ms\"; allowed at least the value before it\n"
      "a.json: error[missing_unit] at /storage/latency/quantiles/2:\n"
      "  got 3; allowed a time in ns, us, ms, s, min, h or d; did you mean \"3 s\"? (a number here needs its unit)\n"
      "a.json: error[not_ascending] at /storage/open_latency:\n"
      "  got {\"kind\":\"uniform\",\"low\":\"2 ms\",\"high\":\"1 ms\"}; allowed low <= high; swap low and high\n");
}

// As a person might write them: the answer is the object that is wanted.
TEST_F(ScenarioErrors, DistributionsAsText) {
  EXPECT_EQ(
      about(R"text({"workload": {"step_time": "Normal(100 ms, 5 ms)"},
                      "dataset": {"decode_time": "exponential", "sample_size": "empirical [1 kB, 2 kB]"},
                      "storage": {"latency": "lognormal(20 ms, 0.8)", "open_latency": "constant 2 ms"}})text"),
      "a.json: error[wrong_type] at /workload/step_time:\n"
      "  got \"Normal(100 ms, 5 ms)\"; allowed a value with its unit, or an object with \"kind\"; write it like "
      "{\"kind\": \"normal\", \"mean\": \"2.5 ms\", \"sd\": \"2.5 ms\"}\n"
      "a.json: error[wrong_type] at /dataset/decode_time:\n"
      "  got \"exponential\"; allowed a value with its unit, or an object with \"kind\"; write it like "
      "{\"kind\": \"exponential\", \"mean\": \"2.5 ms\"}\n"
      "a.json: error[wrong_type] at /dataset/sample_size:\n"
      "  got \"empirical [1 kB, 2 kB]\"; allowed a value with its unit, or an object with \"kind\"; write it like "
      "{\"kind\": \"empirical\", \"quantiles\": [\"100 TiB\", ...]}\n"
      "a.json: error[wrong_type] at /storage/latency:\n"
      "  got \"lognormal(20 ms, 0.8)\"; allowed a value with its unit, or an object with \"kind\"; write it like "
      "{\"kind\": \"lognormal\", \"mean\": \"2.5 ms\", \"sigma\": 0.5}\n"
      "a.json: error[wrong_type] at /storage/open_latency:\n"
      "  got \"constant 2 ms\"; allowed a value with its unit, or an object with \"kind\"; write it like "
      "\"2.5 ms\"\n");
}

TEST_F(ScenarioErrors, CurvesAndLinearCosts) {
  EXPECT_EQ(
      about(R"({"loader": {"next_ready": [["2 ms", "1 ms"], ["1 ms", "1 ms"], ["3 ms"]],
                                 "start_call": "5 ms", "reset": {"per_wroker": "1 ms", "base": 3}}})"),
      "a.json: error[not_ascending] at /loader/next_ready/1/0:\n"
      "  got \"1 ms\"; allowed more than the gap before it\n"
      "a.json: error[wrong_type] at /loader/next_ready/2:\n"
      "  got [\"3 ms\"]; allowed a pair like [\"2.5 ms\", \"0.6 ms\"]\n"
      "a.json: error[wrong_type] at /loader/start_call:\n"
      "  got \"5 ms\"; allowed an object with \"base\" and \"per_worker\"; did you mean {\"base\": \"5 ms\"}?\n"
      "a.json: error[unknown_key] at /loader/reset/per_wroker:\n"
      "  got \"per_wroker\"; allowed base, per_worker; did you mean \"per_worker\"?\n"
      "a.json: error[missing_unit] at /loader/reset/base:\n"
      "  got 3; allowed a time in ns, us, ms, s, min, h or d; did you mean \"3 s\"? (a number here needs its unit)\n");
}

TEST_F(ScenarioErrors, UncertainInputs) {
  EXPECT_EQ(
      about(R"({"storage": {"read_bandwidth": "1 GB/s"}, "run": {"uncertain": [
                "storage.read_bandwith 0.9..1.1", "read_iops 0.9..1.1", "loader.style 0.9..1.1", "run.seed 0.5..2",
                "storage.read_bandwidth", "storage.read_bandwidth 0.9-1.1", "storage.write_bandwidth ten..1.1",
                "workload.step_time 1.1..1.3", "storage.latency 1.1..0.9", "storage.open_latency 0..1.1",
                "dataset.sample_size 0.9..inf", "storage.stream_bandwidth 0.9..1.1",
                "/storage/stream_bandwidth 0.8..1.2", "nonsense"]}})"),
      "a.json: error[unknown_field] at /run/uncertain/0:\n"
      "  got \"storage.read_bandwith 0.9..1.1\"; did you mean storage.read_bandwidth? "
      "(storage.read_bandwith is no field of a scenario)\n"
      "a.json: error[unknown_field] at /run/uncertain/1:\n"
      "  got \"read_iops 0.9..1.1\"; did you mean storage.read_iops? (read_iops is no field of a scenario)\n"
      "a.json: error[not_an_input] at /run/uncertain/2:\n"
      "  got \"loader.style 0.9..1.1\"; allowed a quantity, number, distribution, curve or linear cost; remove it "
      "(loader.style is nothing that a factor could change)\n"
      "a.json: error[not_an_input] at /run/uncertain/3:\n"
      "  got \"run.seed 0.5..2\"; allowed a quantity, number, distribution, curve or linear cost; remove it "
      "(run.seed is about how to simulate)\n"
      "a.json: error[missing_factors] at /run/uncertain/4:\n"
      "  got \"storage.read_bandwidth\"; allowed a field and two factors, LOW..HIGH; write it like "
      "\"storage.read_bandwidth 0.94..1.06\"\n"
      "a.json: error[duplicate] at /run/uncertain/5:\n"
      "  got \"storage.read_bandwidth 0.9-1.1\"; remove one of them (storage.read_bandwidth has an interval already)\n"
      "a.json: error[not_an_interval] at /run/uncertain/5:\n"
      "  got \"storage.read_bandwidth 0.9-1.1\"; allowed two factors of the value, LOW..HIGH; write it like "
      "\"storage.read_bandwidth 0.94..1.06\"\n"
      "a.json: error[not_an_interval] at /run/uncertain/6:\n"
      "  got \"storage.write_bandwidth ten..1.1\"; allowed two factors of the value, LOW..HIGH; write it like "
      "\"storage.read_bandwidth 0.94..1.06\"\n"
      "a.json: error[out_of_range] at /run/uncertain/7:\n"
      "  got \"workload.step_time 1.1..1.3\"; allowed LOW from 0.001 to 1, HIGH from 1 to 1000 "
      "(they are factors of the value given, which lies between them)\n"
      "a.json: error[out_of_range] at /run/uncertain/8:\n"
      "  got \"storage.latency 1.1..0.9\"; allowed LOW from 0.001 to 1, HIGH from 1 to 1000; did you mean 0.9..1.1? "
      "(they are factors of the value given, which lies between them)\n"
      "a.json: error[out_of_range] at /run/uncertain/9:\n"
      "  got \"storage.open_latency 0..1.1\"; allowed LOW from 0.001 to 1, HIGH from 1 to 1000 "
      "(they are factors of the value given, which lies between them)\n"
      "a.json: error[out_of_range] at /run/uncertain/10:\n"
      "  got \"dataset.sample_size 0.9..inf\"; allowed LOW from 0.001 to 1, HIGH from 1 to 1000 "
      "(they are factors of the value given, which lies between them)\n"
      "a.json: error[duplicate] at /run/uncertain/12:\n"
      "  got \"/storage/stream_bandwidth 0.8..1.2\"; remove one of them (storage.stream_bandwidth has an interval "
      "already)\n"
      "a.json: error[unknown_field] at /run/uncertain/13:\n"
      "  got \"nonsense\"; write it like \"storage.read_bandwidth 0.94..1.06\" (nonsense is no field of a scenario)\n"
      "a.json: error[missing_factors] at /run/uncertain/13:\n"
      "  got \"nonsense\"; allowed a field and two factors, LOW..HIGH; write it like \"storage.read_bandwidth "
      "0.94..1.06\"\n");
}

// 1000 samples, of which a batch of 900 leaves no room for 1.2 times as many.
TEST_F(ScenarioErrors, UncertainInputsThatAreNoJobAtTheirEnds) {
  EXPECT_EQ(about(R"({"workload": {"batch_size": 900}, "dataset": {"samples": 1000},
                      "run": {"uncertain": ["workload.batch_size 0.9..1.2"]}})"),
            "a.json: error[contradiction] at /run/uncertain/0:\n"
            "  got \"workload.batch_size 0.9..1.2\"; allowed an interval within which the job can be; give a narrower "
            "one (at 1.2 times its value, /workload/batch_size would be 1080 and 1080 samples per step on 1 rank, but "
            "the dataset has 1000)\n");
}

TEST_F(ScenarioErrors, ContradictingSettings) {
  EXPECT_EQ(about(R"({"loader": {"num_workers": 0, "prefetch_factor": 4},
                      "workload": {"batch_size": 512}, "dataset": {"samples": 1000}, "cluster": {"gpus_per_node": 8}})"),
            "a.json: error[batch_exceeds_dataset] at /workload/batch_size:\n"
            "  got 512; allowed up to 125; give a smaller batch or more samples "
            "(4096 samples per step on 8 ranks, but the dataset has 1000)\n"
            "a.json: error[contradiction] at /loader/prefetch_factor:\n"
            "  got 4; allowed only when num_workers is more than 0; remove it, or give workers "
            "(without workers nothing is prefetched, and PyTorch refuses it)\n");
}

TEST_F(ScenarioErrors, CountsThatAreTooManyTogether) {
  EXPECT_EQ(about(R"({"run": {"steps_per_epoch": 1000000000000}, "workload": {"batch_size": 5000}})"),
            "a.json: error[out_of_range] at /run/steps_per_epoch:\n"
            "  got 1000000000000; allowed up to 200000000000; give less, or smaller ones "
            "(5e+15 samples of a rank in an epoch, of 1e15 at most)\n");
}

TEST_F(ScenarioErrors, ValuesThatTheStepTimeNeeds) {
  EXPECT_EQ(about(R"({"workload": {"step_time_form": "flops"}})"),
            "a.json: error[missing_value] at /cluster/gpu_peak:\n"
            "  got \"0 FLOP/s\"; allowed more than 0; give the GPU's peak, like \"989 TFLOP/s\", or an instance "
            "(step_time_form is flops)\n"
            "a.json: error[missing_value] at /workload/flops_per_sample:\n"
            "  got \"0 FLOP\"; allowed more than 0; give the operations of one sample, like \"8.2 GFLOP\" "
            "(step_time_form is flops)\n");
}

TEST_F(ScenarioErrors, AModelThatCannotBeCutLikeThis) {
  EXPECT_EQ(about(R"({"cluster": {"nodes": 3, "gpus_per_node": 8, "cores_per_node": 8},
                      "workload": {"step_time": "1 s"}, "dataset": {"sample_size": "1 kB"},
                      "model": {"parameters": 7e9, "tensor_parallel": 8, "pipeline_parallel": 2},
                      "checkpoint": {"mode": "sync", "interval_steps": 1000, "writers": "all"}})"),
            "a.json: error[contradiction] at /model/tensor_parallel:\n"
            "  got 8; allowed tensor_parallel * pipeline_parallel that divides 24 ranks; change one of them, or the "
            "machines (8 * 2 = 16 ranks hold one replica)\n");
}

TEST_F(ScenarioErrors, MachinesThatFailWithoutPause) {
  EXPECT_EQ(about(R"({"failures": {"mtti": "0 s"}})"),
            "a.json: error[out_of_range] at /failures/mtti:\n"
            "  got \"0 s\"; allowed more than 0 s; leave it out when nothing fails, or when per_1000_node_days says "
            "how often (no time between failures is no run at all)\n");
}

TEST_F(ScenarioErrors, APeerWithoutRoomForACopy) {
  EXPECT_EQ(about(R"({"cluster": {"nodes": 2, "gpus_per_node": 8, "cores_per_node": 64, "memory_per_node": "1 TB"},
                      "model": {"parameters": 70e9, "zero_stage": 3},
                      "checkpoint": {"mode": "sync", "interval_steps": 1000, "writers": "all",
                                     "first_level": "peer_memory"}})"),
            // 70e9 * 14 B = 980 GB, 490 GB for each of two machines
            "");
  EXPECT_EQ(about(R"({"cluster": {"nodes": 2, "gpus_per_node": 8, "cores_per_node": 64, "memory_per_node": "900 GB"},
                      "model": {"parameters": 70e9, "zero_stage": 3},
                      "checkpoint": {"mode": "sync", "interval_steps": 1000, "writers": "all",
                                     "first_level": "peer_memory"}})"),
            "a.json: error[does_not_fit] at /checkpoint/first_level:\n"
            "  got \"peer_memory\"; allowed up to 900 GB of memory; write to local_nvme or storage, or use more "
            "machines (980 GB of a machine and of its peer wait in its memory)\n");
}

// 4 shards of 3 samples over 4 workers: 3 samples each. A batch of 8 takes 3 shards of one worker: of one that has all
// 4, or of the first of four that deal out 9; or one shard of 8 samples.
TEST_F(ScenarioErrors, WorkersWithoutAFullBatch) {
  EXPECT_EQ(about(R"({"workload": {"step_time": "1 s", "batch_size": 8}, "cluster": {"cores_per_node": 8},
                      "dataset": {"sample_size": "1 kB", "layout": "shards", "samples_per_shard": 3,
                                  "shards_per_rank": 4},
                      "loader": {"style": "iterable", "num_workers": 4}})"),
            "a.json: error[no_full_batch] at /workload/batch_size:\n"
            "  got 8; allowed up to 3; give less, or /loader/num_workers up to 1, /dataset/shards_per_rank 9 or more, "
            "or /dataset/samples_per_shard 8 or more (a worker has 1 shard of 3 samples in an epoch, which fill no "
            "batch, and drops them)\n");
}

// A hundred of a million unknown keys are named, the rest counted.
TEST_F(ScenarioErrors, MoreUnknownKeysThanAnybodyReads) {
  std::string keys;
  for (int i = 0; i < 150; ++i) keys += fmt::format("{}\"{}\": 0", keys.empty() ? "" : ", ", i);
  const std::string text = about("{\"run\": {" + keys + "}}");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 * 101);
  EXPECT_TRUE(text.ends_with("a.json: error[unknown_key] at /run:\n  got 50 more of them\n")) << text;
}

// Told before it is tried. A step of 4 samples of 1 GB in turns of 50 MB/s * 1 ns: 2e10 moves each.
TEST_F(ScenarioErrors, TurnsThatNobodyCouldWaitFor) {
  EXPECT_EQ(about(R"({"workload": {"batch_size": 4, "step_time": "10 ms"}, "dataset": {"sample_size": "1 GB"},
    "storage": {"read_bandwidth": "50 MB/s", "service_quantum": "1 ns"}})"),
            "a.json: error[too_fine] at /storage/service_quantum:\n"
            "  got \"1 ns\"; allowed up to 1e+09 events in a step; give a longer quantum, or 0 for a fluid "
            "(a step reads 4 samples in 2e+10 turns each)\n");
}

// Every step of a whole run is kept: 2.5e8 of them.
TEST_F(ScenarioErrors, AWholeRunThatNoMemoryHolds) {
  EXPECT_EQ(about(R"({"workload": {"batch_size": 4, "step_time": "10 ms"}, "dataset": {"sample_size": "1 kB",
    "samples": 1000000000}, "run": {"whole_run": true}})"),
            "a.json: error[too_long] at /run/whole_run:\n"
            "  got true; allowed a whole run of up to 1e+07 steps; set it to false: what is simulated is then "
            "extrapolated to the run's length (it has 2.5e+08 steps, which would all be simulated and kept)\n");
}

// 8 nodes stand for all: 8 * 64 ranks, 1024 workers each, 10000 batches ahead.
TEST_F(ScenarioErrors, MoreBatchesAheadThanMemoryHolds) {
  EXPECT_EQ(about(R"({"workload": {"batch_size": 4, "step_time": "10 ms"}, "dataset": {"sample_size": "1 kB"},
    "cluster": {"nodes": 1000, "gpus_per_node": 64}, "loader": {"num_workers": 1024, "prefetch_factor": 10000}})"),
            "a.json: error[too_many_batches] at /loader/prefetch_factor:\n"
            "  got 10000; allowed up to 2e+07 batches of 512 ranks; load fewer batches ahead, or with fewer workers "
            "(5.24e+09 batches would be loaded ahead)\n");
}

// 1e9 epochs of 20 steps of 10 ms are 2e8 s, with a failure every 0.1 s of them.
TEST_F(ScenarioErrors, ACourseWithMoreFailuresThanCanBeCounted) {
  EXPECT_EQ(about(R"({"workload": {"batch_size": 4, "step_time": "10 ms"}, "dataset": {"sample_size": "1 kB",
    "samples": 80}, "run": {"epochs": 1000000000}, "failures": {"mtti": "100 ms"}})"),
            "a.json: error[too_long] at /failures/mtti:\n"
            "  got \"100 ms\"; allowed up to 1e+09 interruptions and checkpoints in a run; simulate a part of the run: "
            "fewer epochs (it has 2e+09 interruptions and 0 checkpoints)\n");
}

}  // namespace
}  // namespace stallcast
