// Measured values go into a scenario file: which fields, with which interval, and what is said about the rest.
#include "core/calibrate/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/core/rendered.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

const char* const kOnNfs = R"({"cluster": {"instance": "a2-highgpu-8g"}, "workload": {"name": "resnet50"},
  "storage": {"tier": "nfs", "read_bandwidth": "9 GB/s"}, "run": {"uncertain": ["workload.step_time 0.9..1.1"]}})";
const char* const kOnNvme = R"({"cluster": {"instance": "a3-highgpu-8g"}, "workload": {"name": "resnet50"},
  "storage": {"tier": "local_nvme"}})";

ResolvedScenario resolved(const Json& document) {
  const Loaded<ScenarioFile> file = parse_scenario(document, "s.json");
  const Loaded<ResolvedScenario> out = resolve(*file.value, shipped_catalogue());
  EXPECT_TRUE(out.ok()) << rendered(file.findings) << rendered(out.findings);
  return *out.value;
}

Loaded<Calibration> calibrated(const char* scenario, const CalibrationInput& input) {
  const Json document = Json::parse(scenario);
  return calibrate(document, resolved(document), input);
}

// Points of a device with latency 1 ms and 1 GB/s, one request at a time at a time or many: X = n / (1 ms + n b / 1
// GB/s), the law with all of the latency held. Measured 1 % low, as it is, and 1 % high in turn.
ProbeResult probe_of_a_gigabyte_per_second() {
  ProbeResult probe;
  for (const double size : {4096.0, 65536.0, 1048576.0, 8388608.0})
    for (const double n : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
      ReadPoint point;
      point.request_bytes = size;
      point.in_flight = n;
      point.engine = "pread";
      point.direct = true;
      point.seconds = 1.0;
      const double error = 0.01 * (static_cast<double>(probe.points.size() % 3) - 1.0);
      point.requests = (1.0 + error) * n / (1e-3 + n * size / 1e9);
      point.bytes = point.requests * size;
      point.relative_sd = 0.01;
      point.latency.mean_s = n / point.requests;
      point.latency.quantiles = {{0.5, 0.99 * point.latency.mean_s}, {0.99, 1.3 * point.latency.mean_s}};
      probe.points.push_back(point);
    }
  return probe;
}

CalibrationInput with_probe(ProbeResult probe) {
  CalibrationInput input;
  input.probes.push_back({"probe.json", std::move(probe)});
  return input;
}

FieldMeasurement step_time(double mean_s, double low, double high, const char* source) {
  return {"/workload/step_time", Distribution::constant(mean_s), low, high, source};
}

const ValueChange* change_of(const Calibration& calibration, const std::string& pointer) {
  for (const ValueChange& change : calibration.changes)
    if (change.pointer == pointer) return &change;
  return nullptr;
}

TEST(Calibration, ADeviceOfTheNodeGetsTheWholeLaw) {
  const auto result = calibrated(kOnNvme, with_probe(probe_of_a_gigabyte_per_second()));
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  const Scenario after = resolved(result.value->document).scenario;
  EXPECT_NEAR(after.storage.read_bandwidth.base(), 1e9, 0.05e9);
  EXPECT_NEAR(mean_of(after.storage.latency), 1e-3, 0.1e-3);
  EXPECT_GT(after.storage.latency_held_fraction, 0.9);
  EXPECT_THAT(after.run.uncertain, Contains(HasSubstr("storage.read_bandwidth")));
  const ValueChange* bandwidth = change_of(*result.value, "/storage/read_bandwidth");
  ASSERT_NE(bandwidth, nullptr);
  EXPECT_THAT(bandwidth->before_origin, HasSubstr("instance/a3-highgpu-8g"));
  EXPECT_THAT(bandwidth->source, HasSubstr("fit of 24 points of probe.json"));
  EXPECT_LE(bandwidth->low_factor, 1.0);
  EXPECT_GE(bandwidth->high_factor, 1.0);
}

// The same device, and one reader through the page cache that gets 600 MB/s: r / (1 ms + r / 1 GB/s) = 600 MB/s for
// r = 1.5 MB.
ProbeResult probe_with_a_stream() {
  ProbeResult probe = probe_of_a_gigabyte_per_second();
  ReadPoint stream;
  stream.pattern = AccessPattern::kStream;
  stream.request_bytes = 131072.0;
  stream.in_flight = 1.0;
  stream.engine = "pread";
  stream.seconds = 1.0;
  stream.bytes = 600e6;
  stream.requests = stream.bytes / stream.request_bytes;
  probe.points.push_back(stream);
  return probe;
}

double mean_latency(const Loaded<Calibration>& result) {
  return mean_of(resolved(result.value->document).scenario.storage.latency);
}

TEST(Calibration, AJobThatGoesThroughItsFilesGetsWhatReadAheadIsWorth) {
  const char* const shards = R"({"cluster": {"instance": "a3-highgpu-8g"}, "storage": {"tier": "local_nvme"},
    "workload": {"step_time": "0.1 s", "batch_size": 32}, "loader": {"style": "iterable"},
    "dataset": {"layout": "shards", "samples": 100000, "samples_per_shard": 1000, "sample_size": "200 kB"}})";
  const auto result = calibrated(shards, with_probe(probe_with_a_stream()));
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  const Scenario after = resolved(result.value->document).scenario;
  const double request = after.dataset.request_size.base();
  EXPECT_NEAR(request / (mean_latency(result) + request / after.storage.read_bandwidth.base()), 600e6, 20e6);
  EXPECT_EQ(after.storage.stream_bandwidth.base(), 0.0);
  EXPECT_THAT(change_of(*result.value, "/dataset/request_size")->source, HasSubstr("through the page cache"));
  Json direct = Json::parse(shards);
  direct["loader"]["gpudirect"] = true;
  direct["storage"]["gpudirect"] = true;
  const auto past_the_cache = calibrated(direct.dump().c_str(), with_probe(probe_with_a_stream()));
  ASSERT_TRUE(past_the_cache.ok()) << rendered(past_the_cache.findings);
  EXPECT_EQ(change_of(*past_the_cache.value, "/dataset/request_size"), nullptr);
}

// A file of 30 MB takes 30 MB / 600 MB/s = 50 ms as a stream: the first latency and its bytes at 30 MB / (50 - 1) ms.
// One of 100 kB is read at once.
TEST(Calibration, LongFilesAreReadAtTheRateOfAStream) {
  Json scenario = Json::parse(kOnNvme);
  scenario["dataset"] = {{"layout", "file_per_sample"}, {"sample_size", "30 MB"}};
  const auto result = calibrated(scenario.dump().c_str(), with_probe(probe_with_a_stream()));
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  const Scenario after = resolved(result.value->document).scenario;
  ASSERT_EQ(after.dataset.layout, DatasetLayout::kFilePerSample);
  EXPECT_NEAR(mean_latency(result) + 30e6 / after.storage.stream_bandwidth.base(), 50e-3, 1e-3);
  scenario["dataset"]["sample_size"] = "100 kB";
  const auto small = calibrated(scenario.dump().c_str(), with_probe(probe_with_a_stream()));
  EXPECT_EQ(change_of(*small.value, "/storage/stream_bandwidth"), nullptr);
}

TEST(Calibration, OneClientOfASharedStorageSaysNothingOfTheWhole) {
  const auto result = calibrated(kOnNfs, with_probe(probe_of_a_gigabyte_per_second()));
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  const Scenario after = resolved(result.value->document).scenario;
  EXPECT_DOUBLE_EQ(after.storage.read_bandwidth.base(), 9e9);  // as the file has it
  EXPECT_NEAR(after.storage.client_read_bandwidth.base(), 1e9, 0.05e9);
  EXPECT_EQ(after.storage.latency_held_fraction, 0.0);
  EXPECT_EQ(change_of(*result.value, "/storage/request_time"), nullptr);
}

TEST(Calibration, ARefusedProbeChangesNothingAndSaysWhy) {
  ProbeResult probe = probe_of_a_gigabyte_per_second();
  probe.flaws = {{"page_cache", ProbeFlaw::Weight::kRefuse, 1.0, "98 % of the reads came from memory"}};
  const auto result = calibrated(kOnNvme, with_probe(probe));
  EXPECT_FALSE(result.value.has_value());
  EXPECT_EQ(rendered(result.findings),
            "probe.json: error[probe_refused] at /flaws:\n"
            "  got 98 % of the reads came from memory; allowed a probe without such flaws; probe again once that is "
            "changed\n");
}

TEST(Calibration, AFlawWidensEveryInterval) {
  ProbeResult probe = probe_of_a_gigabyte_per_second();
  const auto clean = calibrated(kOnNvme, with_probe(probe));
  probe.flaws = {{"noisy", ProbeFlaw::Weight::kWiden, 3.0, "passes differ by 20 %"}};
  const auto noisy = calibrated(kOnNvme, with_probe(probe));
  ASSERT_TRUE(clean.ok() && noisy.ok());
  const auto width = [](const Calibration& c) {
    const ValueChange* change = change_of(c, "/storage/read_bandwidth");
    return std::log(change->high_factor / change->low_factor);
  };
  EXPECT_NEAR(width(*noisy.value) / width(*clean.value), 3.0, 0.3);
}

TEST(Calibration, AStepTimeIsUsedAsATimeAndReplacesTheIntervalThatWasThere) {
  CalibrationInput input;
  input.measurements.push_back({"trace.json", "kineto", {}, {step_time(0.2, 0.98, 1.03, "trace.json: 50 steps")}, {}});
  const auto result = calibrated(kOnNfs, input);
  ASSERT_TRUE(result.ok()) << rendered(result.findings);
  EXPECT_EQ(result.value->document["workload"]["step_time"], "200 ms");
  EXPECT_EQ(result.value->document["workload"]["step_time_form"], "time");
  EXPECT_THAT(resolved(result.value->document).scenario.run.uncertain, ElementsAre("workload.step_time 0.98..1.03"));
  EXPECT_THAT(change_of(*result.value, "/workload/step_time")->before_origin, HasSubstr("workload/resnet50"));
}

TEST(Calibration, OfTwoMeasurementsTheLastNamedCounts) {
  CalibrationInput input;
  input.measurements.push_back({"a.json", "kineto", {}, {step_time(0.2, 1, 1, "a.json")}, {}});
  input.measurements.push_back({"b.json", "kineto", {}, {step_time(0.3, 1, 1, "b.json")}, {}});
  const auto result = calibrated(kOnNfs, input);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value->document["workload"]["step_time"], "300 ms");
  EXPECT_THAT(rendered(result.findings), HasSubstr("warning[measured_twice] at /workload/step_time:\n"
                                                   "  got 200 ms (a.json) and 300 ms (b.json)"));
}

TEST(Calibration, NothingMeasuredIsAnError) {
  EXPECT_THAT(rendered(calibrated(kOnNfs, {}).findings), HasSubstr("error[nothing_measured]"));
}

// NFS in the catalogue answers in a millisecond or so; 300 ms are a bucket's on a bad day.
TEST(Calibration, AnotherStorageThanTheOneNamedIsPointedOut) {
  CalibrationInput input;
  input.measurements.push_back(
      {"m.json", "fio", {}, {{"/storage/latency", Distribution::constant(0.3), 1.0, 1.0, "m.json"}}, {}});
  EXPECT_THAT(rendered(calibrated(kOnNfs, input).findings), HasSubstr("warning[another_storage] at /storage/latency"));
}

TEST(Calibration, NamesWhatStayedAssumedAndWhatWouldMeasureIt) {
  CalibrationInput input;
  input.measurements.push_back({"trace.json", "kineto", {}, {step_time(0.2, 1, 1, "trace.json")}, {}});
  const auto result = calibrated(kOnNfs, input);
  ASSERT_TRUE(result.ok());
  std::vector<std::string> open;
  for (const OpenValue& value : result.value->still_assumed) open.push_back(value.pointer + " by " + value.measured_by);
  EXPECT_THAT(open, Contains("/storage/latency by stallcast probe"));
  EXPECT_THAT(open, Not(Contains(HasSubstr("/workload/step_time"))));      // measured now
  EXPECT_THAT(open, Not(Contains(HasSubstr("/storage/read_bandwidth"))));  // the user's own
}

// Decoding that was recorded beside other workers is that of a core alone in the scenario, which slows it again.
TEST(Calibration, DecodingRecordedBesideWorkersIsThatOfACoreAlone) {
  const auto decode_s = [](std::int64_t workers, const char* tool) {
    CalibrationInput input;
    input.measurements.push_back({"run.jsonl",
                                  tool,
                                  {},
                                  {{"/dataset/decode_time", Distribution::constant(10e-3), 1.0, 1.0, "run.jsonl"},
                                   {"/loader/num_workers", workers, 1.0, 1.0, "run.jsonl", true},
                                   {"/cluster/gpus_per_node", std::int64_t{8}, 1.0, 1.0, "run.jsonl", true}},
                                  {}});
    const Loaded<Calibration> out = calibrated(kOnNvme, input);
    EXPECT_TRUE(out.ok()) << rendered(out.findings);
    return mean_of(resolved(out.value->document).scenario.dataset.decode_time);
  };
  const ClusterSpec cluster = resolved(Json::parse(kOnNvme)).scenario.cluster;
  ASSERT_LT(cluster.all_core_clock, 0.9);
  EXPECT_NEAR(decode_s(16, kRecorderTool), 10e-3 * cluster.all_core_clock, 1e-6);  // more processes than cores
  EXPECT_NEAR(decode_s(4, kRecorderTool), 10e-3 * cluster.clock_of(32.0), 1e-6);
  EXPECT_NEAR(decode_s(16, "kineto"), 10e-3, 1e-9);
}

}  // namespace
}  // namespace stallcast
