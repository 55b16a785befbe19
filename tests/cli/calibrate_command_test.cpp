// stallcast calibrate: from files of measurements to a scenario that simulates with their intervals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <stop_token>
#include <string>

#include "core/probe/result/probe_json.h"
#include "core/result/program_version.h"
#include "tests/cli/cli_fixture.h"

namespace stallcast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

// Reads hold it back: 4 samples of 2 ms for a step of 1 ms, by two workers.
constexpr const char* kReadBound = R"({
  "name": "read bound",
  "workload": {"batch_size": 4, "step_time": "1 ms"},
  "dataset": {"sample_size": "100 kB", "samples": 800},
  "loader": {"num_workers": 2},
  "storage": {"latency": "2 ms"},
  "run": {"whole_run": true}
})";

// Points of a storage with 1 ms of latency and 1 GB/s: X = n / (1 ms + n b / 1 GB/s), measured 3 % low, as it
// is, and 3 % high in turn.
ProbeResult probe_of_a_gigabyte_per_second() {
  ProbeResult probe;
  probe.target = "/data";
  probe.started = "2026-11-21T20:13:24Z";
  for (const double size : {4096.0, 65536.0, 1048576.0, 8388608.0}) {
    for (const double n : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
      ReadPoint point;
      point.request_bytes = size;
      point.in_flight = n;
      point.engine = "pread";
      point.direct = true;
      point.seconds = 1.0;
      const double error = 0.03 * (static_cast<double>(probe.points.size() % 3) - 1.0);
      point.requests = (1.0 + error) * n / (1e-3 + n * size / 1e9);
      point.bytes = point.requests * size;
      point.relative_sd = 0.03;
      point.latency.mean_s = n / point.requests;
      probe.points.push_back(point);
    }
  }
  return probe;
}

class CalibrateCommand : public Cli {
 protected:
  std::string scenario() const { return file("job.json", kReadBound); }
  std::string probe(const ProbeResult& result = probe_of_a_gigabyte_per_second()) const {
    return file("probe.json", probe_to_json(result, program_version()).dump(2));
  }
  std::string refused_probe() const {
    ProbeResult result = probe_of_a_gigabyte_per_second();
    result.flaws = {{"page_cache", ProbeFlaw::Weight::kRefuse, 1.0, "98 % of the reads came from memory"}};
    return probe(result);
  }
  bool is_there(const std::string& name) const { return std::filesystem::exists(path(name)); }

  // The whole result of simulating a scenario file.
  static Json simulated(const std::string& scenario, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"simulate", scenario, "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.code == 0 ? Json::parse(outcome.out) : Json();
  }
  static double width(const Json& result) {
    return result["gpu_utilization"]["ci95_high"].get<double>() - result["gpu_utilization"]["ci95_low"].get<double>();
  }
};

TEST_F(CalibrateCommand, TheScenarioItWritesSimulatesWithTheIntervalsOfTheProbe) {
  const Outcome outcome = run({"calibrate", scenario(), "--probe", probe(), "-o", path("measured.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("storage.latency"), HasSubstr("was 2 ms (the file)"), HasSubstr("fit of 24 points of")));
  const Json before = simulated(path("job.json")), after = simulated(path("measured.json"));
  EXPECT_GT(width(after), width(before));
  // Half the latency: 4 * 1.1 ms instead of 4 * 2 ms for a batch of a worker.
  EXPECT_GT(after["gpu_utilization"]["mean"], before["gpu_utilization"]["mean"]);
}

// A record of the catalogue in the place of the values themselves.
TEST_F(CalibrateCommand, TheTierItWritesPredictsWhatTheScenarioDoes) {
  std::filesystem::create_directories(path("mine"));
  const Outcome outcome = run(
      {"calibrate", scenario(), "--probe", probe(), "-o", path("measured.json"), "--tier", path("mine/scratch.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::string on_tier = kReadBound;
  const std::string latency = R"("latency": "2 ms")";
  on_tier.replace(on_tier.find(latency), latency.size(), R"("tier": "scratch")");
  const Json values = simulated(path("measured.json"));
  const Json record = simulated(file("on_tier.json", on_tier), {"--catalogue", path("mine")});
  for (const char* key : {"latency", "client_read_bandwidth", "stream_bandwidth", "read_bandwidth"})
    EXPECT_EQ(record["scenario"]["storage"][key], values["scenario"]["storage"][key]) << key;
  const auto fields = [](const Json& result) {
    std::set<std::string> names;
    for (const Json& entry : result["scenario"]["run"]["uncertain"])
      names.insert(entry.get<std::string>().substr(0, entry.get<std::string>().find(' ')));
    return names;
  };
  EXPECT_FALSE(fields(record).empty());
  EXPECT_EQ(fields(record), fields(values));
  EXPECT_DOUBLE_EQ(record["samples_per_s"].get<double>(), values["samples_per_s"].get<double>());
  // The ends of the same intervals, written with four digits in one and three in the other.
  EXPECT_NEAR(width(record), width(values), 0.2 * width(values));
}

TEST_F(CalibrateCommand, ReadsResultsOfFio) {
  const std::string fio = STALLCAST_SOURCE_DIR "/tests/validation/fio/";
  const Outcome outcome = run({"calibrate", scenario(), "--fio", fio + "io_uring_randread_bs128k_qd1_nj1.json", "--fio",
                               fio + "io_uring_randread_bs128k_qd2_nj1.json", "-o", path("measured.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("fit of 2 points of"));
  EXPECT_NE(Json::parse(content(path("measured.json")))["storage"]["latency"], "2 ms");
}

TEST_F(CalibrateCommand, WithoutAPlaceTheScenarioIsTheResultAndTheReportAMessage) {
  const Outcome outcome = run({"calibrate", scenario(), "--probe", probe()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json document = Json::parse(outcome.out);
  EXPECT_EQ(document["name"], "read bound");
  EXPECT_TRUE(document["storage"].contains("client_read_bandwidth"));
  EXPECT_THAT(outcome.err, HasSubstr("Measured\n"));
}

TEST_F(CalibrateCommand, TheReportAsJsonHoldsWhatChangedAndBothPredictions) {
  const Outcome outcome =
      run({"calibrate", scenario(), "--probe", probe(), "-o", path("measured.json"), "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json report = Json::parse(outcome.out);
  ASSERT_FALSE(report["changes"].empty());
  for (const Json& change : report["changes"]) EXPECT_FALSE(change["is_setting"]) << change;
  EXPECT_EQ(report["before"]["gpu_utilization"]["mean"], simulated(path("job.json"))["gpu_utilization"]["mean"]);
  EXPECT_EQ(report["after"]["gpu_utilization"]["mean"], simulated(path("measured.json"))["gpu_utilization"]["mean"]);
}

// --- recorded training ----------------------------------------------------------------------------------------------

class CalibrateByARecord : public CalibrateCommand {
 protected:
  // One worker, batches of 8, steps of 20 ms, samples of 1 MB from 200 MB/s: GPUs busy for 0.433 of the time.
  std::string record() const {
    std::ifstream lines(STALLCAST_SOURCE_DIR "/tests/validation/dataloader/measured_public.jsonl");
    std::string line;
    std::getline(lines, line);
    return file("record.jsonl", line + "\n");
  }
  // The report; the scenario is in measured.json.
  Json calibrated(const std::string& scenario) const {
    const Outcome outcome = run({"calibrate", file("job.json", scenario), "--record", record(), "-o",
                                 path("measured.json"), "--format", "json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.code == 0 ? Json::parse(outcome.out) : Json();
  }
  static const Json* named(const Json& list, const char* key, const std::string& name) {
    for (const Json& one : list)
      if (one[key] == name) return &one;
    return nullptr;
  }
};

TEST_F(CalibrateByARecord, ItsSettingsAndCostsPredictWhatWasObserved) {
  const Json report = calibrated(R"({"workload": {"step_time": "5 ms"}, "dataset": {"sample_size": "100 kB"}})");
  const Json document = Json::parse(content(path("measured.json")));
  EXPECT_EQ(document["workload"]["batch_size"], 8);
  EXPECT_EQ(document["loader"]["num_workers"], 1);
  const Json* workers = named(report["changes"], "pointer", "/loader/num_workers");
  ASSERT_NE(workers, nullptr);
  EXPECT_EQ((*workers)["is_setting"], true);
  const Json* au = named(report["observations"], "quantity", "au");
  ASSERT_NE(au, nullptr);
  const double measured = (*au)["measured"];
  EXPECT_NEAR(measured, 0.4334, 1e-4);  // outputs.au of the line
  EXPECT_LT(std::abs((*au)["predicted_after"].get<double>() - measured),
            std::abs((*au)["predicted_before"].get<double>() - measured));
}

TEST_F(CalibrateByARecord, SettingsThatTheFileGivesStay) {
  const std::string what_if = R"({"workload": {"step_time": "5 ms"}, "dataset": {"sample_size": "100 kB"},
                                  "loader": {"num_workers": 4}})";
  const Outcome outcome =
      run({"calibrate", file("job.json", what_if), "--record", record(), "-o", path("measured.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json document = Json::parse(content(path("measured.json")));
  EXPECT_EQ(document["loader"]["num_workers"], 4);
  EXPECT_EQ(document["workload"]["batch_size"], 8);      // left open
  EXPECT_NE(document["workload"]["step_time"], "5 ms");  // a cost
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("warning[another_setting] at /loader/num_workers"),
                                 HasSubstr("got 4 (the file), 1 (record.jsonl")));
  EXPECT_THAT(outcome.err, Not(HasSubstr("/workload/batch_size")));
}

// --- what is wrong --------------------------------------------------------------------------------------------------

TEST_F(CalibrateCommand, NeedsAMeasurement) {
  const Outcome outcome = run({"calibrate", scenario(), "-o", path("measured.json")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("error[nothing_measured]"), HasSubstr("--probe")));
  EXPECT_FALSE(is_there("measured.json"));
}

// One request of 64 KiB at a time and 32 of 4 MiB: what the second takes may be bandwidth, requests or latency.
TEST_F(CalibrateCommand, PointsThatDetermineNothingAreRefused) {
  const std::string fio = STALLCAST_SOURCE_DIR "/tests/validation/fio/";
  const Outcome outcome = run({"calibrate", scenario(), "--fio", fio + "io_uring_randread_bs64k_qd1_nj1.json", "--fio",
                               fio + "io_uring_randread_bs4m_qd32_nj1.json", "-o", path("measured.json")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("got 2 operating points, which determine no value"));
  EXPECT_FALSE(is_there("measured.json"));
}

TEST_F(CalibrateCommand, ARefusedProbeLeavesNothingBehind) {
  const Outcome outcome = run(
      {"calibrate", scenario(), "--probe", refused_probe(), "-o", path("measured.json"), "--tier", path("tier.json")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("error[probe_refused]"), HasSubstr("98 % of the reads came from memory")));
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_FALSE(is_there("measured.json"));
  EXPECT_FALSE(is_there("tier.json"));
}

TEST_F(CalibrateCommand, SaysAtOnceWhatIsWrongWithTheScenarioAndWithTheMeasurements) {
  const std::string wrong = file("job.json", R"({"workload": {"batch_sice": 4}, "storge": {}})");
  const Outcome outcome =
      run({"calibrate", wrong, "--measured", file("notes.txt", "it was fast\n"), "--probe", file("probe.json", "{}")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("/workload/batch_sice"), HasSubstr("/storge"),
                                 HasSubstr("error[unknown_format]"), HasSubstr("error[not_a_probe]")));
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST_F(CalibrateCommand, FilesThatAreNotThereAreTrouble) {
  EXPECT_EQ(run({"calibrate", path("nowhere.json"), "--probe", probe()}).code, 3);
  EXPECT_EQ(run({"calibrate", scenario(), "--probe", path("nowhere.json")}).code, 3);
  EXPECT_EQ(run({"calibrate", scenario(), "--fio", path("nowhere.json")}).code, 3);
  EXPECT_EQ(run({"calibrate", scenario(), "--probe", probe(), "-o", path("nowhere/measured.json")}).code, 3);
}

TEST_F(CalibrateCommand, AStopLeavesAWholeScenarioWithoutPredictions) {
  std::stop_source source;
  source.request_stop();
  const Outcome outcome =
      run({"calibrate", scenario(), "--probe", probe(), "-o", path("measured.json"), "--format", "json"},
          source.get_token());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("interrupted"));
  EXPECT_TRUE(Json::parse(content(path("measured.json")))["storage"].contains("latency"));
  EXPECT_TRUE(Json::parse(outcome.out)["after"].is_null());
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) files.insert(entry.path().filename());
  EXPECT_EQ(files, (std::set<std::string>{"job.json", "measured.json", "probe.json"}));
}

}  // namespace
}  // namespace stallcast
