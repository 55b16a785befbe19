#include "core/calibrate/read/read_record.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/validate/validation.h"

namespace stallcast {
namespace {

using Json = nlohmann::json;

// A record as the recorder writes it, with round numbers.
Json record() {
  return Json::parse(R"({"schema": 1, "id": "w3", "mechanism": "recorded", "repeat": 0,
    "config": {"step_s": 0.02, "step_sigma": 0.0, "style": "map", "batch_size": 8, "num_workers": 3,
      "prefetch_factor": 4, "persistent_workers": true, "in_order": true, "pin_memory": false, "mp_context": "fork",
      "epochs": 1, "steps_per_epoch": 100, "payload_bytes": 4096, "read": {"mode": "recorded", "latency": {}},
      "decode": {"kind": "recorded"}, "shards": {"count": 0, "samples": 0, "open_s": 0.0}, "ranks": 1, "nodes": 1,
      "checkpoint": {"mode": "none", "every": 0, "bytes": 0, "Bps": 0.0, "shared_device": false, "snapshot_s": 0.0,
        "who": "rank0"}},
    "inputs": {"cores": 4, "step": {"mean_s": 0.021, "cpu_s": 0.001, "overshoot_s": 0.0}, "copy": null,
      "read": {"mean_s": 0.002, "sd_s": 0.0005, "quantiles_s": [0.001, 0.003], "bytes_mean": null},
      "decode": {"alone_cpu_s": 0.004, "sd_s": 0.0, "before_after": [], "quantiles_s": []},
      "overhead_per_batch": {"collate_nw0_s": 1e-5, "pipe_1w_s": 1e-3, "main_cpu_s": 4e-4, "worker_cpu_s": 7e-4,
        "next_ready_s": 1e-3, "next_ready_by_gap_s": {"0.01": 1e-3, "0.0025": 6e-4}},
      "worker_start": {"iter_s": {"base_s": 0, "per_worker_s": 0.01}, "ready_max_s": {"base_s": 0, "per_worker_s": 0.01},
        "first_s": {"base_s": 0, "per_worker_s": 0.01}, "shutdown_s": {"base_s": 0, "per_worker_s": 0.01},
        "reset_s": {"base_s": 0, "per_worker_s": 0.001}},
      "barrier_s": 0.0},
    "outputs": {"au": 0.8, "au_steady": 0.9, "samples_per_s": 320.0}})");
}

class ReadRecord : public testing::Test {
 protected:
  ReadRecord() { std::filesystem::create_directories(folder_); }
  ~ReadRecord() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::vector<Json>& records) {
    const auto path = folder_ / "record.jsonl";
    std::ofstream out(path);
    for (const Json& r : records) out << r.dump() << "\n";
    return path;
  }
  Loaded<Measurements> read(const std::vector<Json>& records, const Catalogue* catalogue = nullptr) {
    return read_record(write(records), catalogue);
  }

 private:
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / fmt::format("read_record_{}", ::getpid());
};

const FieldMeasurement* field(const Measurements& m, const std::string& pointer) {
  for (const FieldMeasurement& f : m.fields)
    if (f.pointer == pointer) return &f;
  return nullptr;
}

TEST_F(ReadRecord, GivesTheFieldsThatARecordStates) {
  const Loaded<Measurements> read = this->read({record()});
  ASSERT_TRUE(read.ok());
  const Measurements& m = *read.value;
  EXPECT_EQ(m.tool, "stallcast recorder");
  EXPECT_EQ(std::get<std::int64_t>(field(m, "/loader/num_workers")->value), 3);
  EXPECT_EQ(std::get<double>(field(m, "/cluster/cores_per_node")->value), 4.0);
  EXPECT_EQ(std::get<Distribution>(field(m, "/workload/step_time")->value), Distribution::constant(0.02));
  EXPECT_EQ(std::get<double>(field(m, "/workload/step_return_cpu")->value), 0.001);  // what of a step takes a core
  EXPECT_EQ(std::get<Distribution>(field(m, "/dataset/decode_time")->value), Distribution::constant(0.004));
  EXPECT_EQ(mean_of(std::get<Distribution>(field(m, "/storage/latency")->value)), 0.002);  // of the quantiles 1, 3 ms
  const auto curve = std::get<std::vector<CurvePoint>>(field(m, "/loader/next_ready")->value);
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_EQ(curve[0], (CurvePoint{seconds(0.0025), seconds(6e-4)}));  // in the order of gaps
  for (const FieldMeasurement& f : m.fields) {
    EXPECT_NE(find_field(f.pointer), nullptr) << f.pointer;
    EXPECT_EQ(f.low_factor, 1.0) << f.pointer;  // one record: no interval
    EXPECT_THAT(f.source, testing::HasSubstr("record.jsonl: 1 recorded run \"w3\""));
  }
}

// Sizes on storage and bandwidths were not recorded; a value of 0 would say they are.
TEST_F(ReadRecord, LeavesOutWhatARecordDoesNotKnow) {
  const Measurements m = *read({record()}).value;
  for (const char* pointer : {"/dataset/sample_size", "/storage/read_bandwidth", "/cluster/host_to_device_bandwidth",
                              "/dataset/samples_per_shard", "/checkpoint/size", "/loader/pin_bandwidth"})
    EXPECT_EQ(field(m, pointer), nullptr) << pointer;
  Json known = record();
  known["inputs"]["read"]["bytes_mean"] = 5e5;
  known["inputs"]["copy"] = {{"mean_s", 0.001}, {"bytes", 1e7}};
  const Measurements more = *read({known}).value;
  EXPECT_EQ(std::get<Distribution>(field(more, "/dataset/sample_size")->value), Distribution::constant(5e5));
  EXPECT_EQ(std::get<double>(field(more, "/cluster/host_to_device_bandwidth")->value), 1e10);
}

// Prefetching belongs to workers: resolve() refuses it without them.
TEST_F(ReadRecord, WithoutWorkersNothingIsPrefetched) {
  Json inline_loading = record();
  inline_loading["config"]["num_workers"] = 0;
  inline_loading["config"]["persistent_workers"] = false;
  inline_loading["inputs"]["overhead_per_batch"] = nullptr;
  const Catalogue catalogue = *load_catalogue(find_models_directory()).value;
  const Loaded<Measurements> read = this->read({inline_loading}, &catalogue);
  for (const Finding& f : read.findings.list()) EXPECT_EQ(f.severity, Severity::kWarning) << render_finding(f);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(field(*read.value, "/loader/prefetch_factor"), nullptr);
}

TEST_F(ReadRecord, GivesOutcomesAsObservations) {
  Json second = record();
  second["outputs"] = {{"au", 0.7}, {"au_steady", nullptr}, {"samples_per_s", 280.0}};
  const Measurements m = *read({record(), second}).value;
  ASSERT_EQ(m.observations.size(), 3u);
  EXPECT_EQ(m.observations[0].quantity, "au");
  EXPECT_NEAR(m.observations[0].value, 0.75, 1e-12);
  EXPECT_EQ(m.observations[1].value, 0.9);  // the one that is known
  EXPECT_EQ(m.observations[2].value, 300.0);
  EXPECT_NEAR(m.observations[2].spread, std::sqrt(2.0 * 20.0 * 20.0), 1e-9);  // 280 and 320 about 300, n - 1 = 1
}

// Decode times of 3, 4 and 5 ms: mean 4, sd 1; t(0.95, 2) = 2.92, so 4 -+ 2.92 * 1 / sqrt(3) = 4 * (1 -+ 0.4215).
TEST_F(ReadRecord, RepeatsGiveAnInterval) {
  std::vector<Json> repeats;
  for (double decode : {0.003, 0.004, 0.005}) {
    repeats.push_back(record());
    repeats.back()["inputs"]["decode"]["alone_cpu_s"] = decode;
  }
  const Measurements m = *read(repeats).value;
  const FieldMeasurement* decode = field(m, "/dataset/decode_time");
  EXPECT_NEAR(mean_of(std::get<Distribution>(decode->value)), 0.004, 1e-15);
  EXPECT_NEAR(decode->low_factor, 1.0 - 0.42146, 1e-4);
  EXPECT_NEAR(decode->high_factor, 1.0 + 0.42146, 1e-4);
  EXPECT_EQ(field(m, "/workload/step_time")->high_factor, 1.0);  // the same in all
}

TEST_F(ReadRecord, SeveralSettingsAreAFinding) {
  Json other = record();
  other["config"]["num_workers"] = 6;
  other["id"] = "w6";
  const Loaded<Measurements> read = this->read({record(), other});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.findings.list().front().code, "several_settings");
  EXPECT_EQ(read.findings.list().front().pointer, "/loader/num_workers");
}

TEST_F(ReadRecord, WithoutTheLoadersCostTheCatalogueStandsInAndIsNoMeasurement) {
  Json bare = record();
  bare["inputs"]["overhead_per_batch"] = nullptr;
  bare["inputs"]["worker_start"] = nullptr;
  const Loaded<Measurements> alone = read({bare});
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.findings.list().front().code, "no_record");
  EXPECT_THAT(alone.findings.list().front().why, testing::HasSubstr("inputs.overhead_per_batch"));

  const Catalogue catalogue = *load_catalogue(find_models_directory()).value;
  const Loaded<Measurements> with = read({bare}, &catalogue);
  ASSERT_TRUE(with.ok());
  EXPECT_EQ(with.findings.list().front().code, "assumed_value");
  EXPECT_EQ(field(*with.value, "/loader/worker_batch_cpu"), nullptr);
  EXPECT_EQ(field(*with.value, "/loader/start_call"), nullptr);
  EXPECT_NE(field(*with.value, "/loader/num_workers"), nullptr);
  // The prediction has it all the same: 0.68 ms and 8 * 3.2 us and 8 * 4096 B at 1.35 GB/s per batch.
  const MeasuredRuns runs = *load_measured_runs(write({bare}), &catalogue).value;
  EXPECT_NEAR(runs.runs.at(0).scenario.loader.worker_batch_cpu.base(), 0.68e-3 + 25.6e-6 + 24.3e-6, 1e-7);
}

// Three workers with 8 * 6 ms and 0.7 ms per batch deliver one every 16.2 ms: the steps of 21 ms are never kept waiting
// but for next() itself.
TEST_F(ReadRecord, ARecordIsPredictedAsItIs) {
  const Validation validation = validate_runs(*load_measured_runs(write({record()})).value, {});
  ASSERT_EQ(validation.cases.size(), 1u);
  EXPECT_GT(validation.cases[0].predicted.au_steady, 21.0 / 22.5);
  EXPECT_LT(validation.cases[0].predicted.au_steady, 21.0 / 21.3);
}

TEST_F(ReadRecord, ACheckpointWithoutItsSizeIsUnknown) {
  Json odd = record();
  odd["config"]["checkpoint"]["mode"] = "sync";
  const Loaded<Measurements> read = this->read({odd});
  EXPECT_THAT(read.findings.list().front().why, testing::HasSubstr("a checkpoint without its size"));
}

}  // namespace
}  // namespace stallcast
