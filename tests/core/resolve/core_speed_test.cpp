// Decode times of the catalogue, scaled to the cores of the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/model/resource_graph.h"
#include "core/run/simulate.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/core/rendered.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr const char* kDecode = "/dataset/decode_time";

// A job that decodes JPEG, on a machine with these members of /cluster.
Loaded<ResolvedScenario> job_on(const std::string& cluster, const std::vector<std::string>& overrides = {},
                                const Catalogue& records = shipped_catalogue()) {
  const std::string json =
      R"({"cluster": {)" + cluster + R"(}, "workload": {"name": "resnet50_amp", "step_time": "1 ms",
    "step_time_form": "time"}, "storage": {"tier": "host_page_cache"}, "run": {"steps_per_epoch": 20}})";
  auto file = parse_scenario(Json::parse(json), "s.json");
  EXPECT_TRUE(file.ok()) << rendered(file.findings);
  Findings findings;
  for (const std::string& assignment : overrides) apply_override(*file.value, assignment, findings);
  EXPECT_TRUE(findings.empty()) << rendered(findings);
  return resolve(*file.value, records);
}

double decode_s(const Loaded<ResolvedScenario>& job) {
  EXPECT_TRUE(job.ok()) << rendered(job.findings);
  return job.ok() ? mean_of(job.value->scenario.dataset.decode_time) : 0.0;
}

TEST(CoreSpeed, DecodeTimesOfTheCatalogueAreOfTheMachinesOwnCores) {
  const Fact<Seconds>& fact = *shipped_catalogue().workloads.at("resnet50_amp").decode_time;
  ASSERT_GT(fact.evidence.core_speed, 0.0);
  for (const char* name : {"a2-highgpu-8g", "a3-highgpu-8g", "p3.16xlarge"}) {
    const auto job = job_on(R"("instance": ")" + std::string(name) + R"(")");
    const double speed = shipped_catalogue().instances.at(name).core_speed->value;
    EXPECT_DOUBLE_EQ(job.value->scenario.cluster.core_speed, speed) << name;
    EXPECT_NEAR(decode_s(job), fact.value.base() * fact.evidence.core_speed / speed, 1e-12) << name;
    EXPECT_THAT(job.value->provenance.at(kDecode).note, HasSubstr("a core here")) << name;
  }
}

TEST(CoreSpeed, AMachineWithoutAFigureOfItsOwnHasThatOfItsProcessor) {
  const InstanceRecord& machine = shipped_catalogue().instances.at("p5en.48xlarge");
  ASSERT_FALSE(machine.core_speed);
  const auto job = job_on(R"("instance": "p5en.48xlarge")");
  EXPECT_EQ(job.value->scenario.cluster.cpu, machine.cpu);
  EXPECT_DOUBLE_EQ(job.value->scenario.cluster.core_speed, shipped_catalogue().cpus.at(machine.cpu).core_speed.value);
}

TEST(CoreSpeed, AMachineOfOnesOwnNamesItsProcessorAsPeopleDo) {
  const std::string machine = R"("gpus_per_node": 8, "cores_per_node": 40)";
  const double unknown = decode_s(job_on(machine));
  const auto job = job_on(machine + R"(, "cpu": "Intel Xeon E5-2698 v4")");
  EXPECT_EQ(job.value->scenario.cluster.cpu, "intel_broadwell");
  EXPECT_NEAR(decode_s(job), unknown / shipped_catalogue().cpus.at("intel_broadwell").core_speed.value, 1e-12);
  EXPECT_NEAR(decode_s(job_on(machine, {"cluster.core_speed=2"})), unknown / 2.0, 1e-12);
  const auto wrong = job_on(machine + R"(, "cpu": "epyc_rom")");
  EXPECT_FALSE(wrong.ok());
  EXPECT_THAT(rendered(wrong.findings), HasSubstr("amd_epyc_rome"));
}

TEST(CoreSpeed, AProcessorThatTheMachineDoesNotHaveIsRefused) {
  const auto job = job_on(R"("instance": "p3.16xlarge", "cpu": "amd_epyc_milan")");
  EXPECT_FALSE(job.ok());
  EXPECT_THAT(rendered(job.findings), HasSubstr("error[contradiction] at /cluster/cpu"));
}

// The same work at half the speed: twice the time, half the rate.
TEST(CoreSpeed, DecompressingIsScaledAsDecodingIs) {
  const auto npz = [](const char* speed) {
    return job_on(R"("gpus_per_node": 8, "cores_per_node": 40)",
                  {"dataset.format=npz", "dataset.sample_size=1 MB", "dataset.compression_ratio=2",
                   std::string("cluster.core_speed=") + speed});
  };
  const Scenario slow = npz("0.6").value->scenario, fast = npz("1.2").value->scenario;
  EXPECT_GT(fast.dataset.decompress_bandwidth.base(), 0.0);
  EXPECT_NEAR(slow.dataset.decompress_bandwidth / fast.dataset.decompress_bandwidth, 0.5, 1e-12);
  EXPECT_NEAR(mean_of(slow.dataset.decode_time) / mean_of(fast.dataset.decode_time), 2.0, 1e-12);
}

TEST(CoreSpeed, ATimeThatIsGivenStays) {
  EXPECT_DOUBLE_EQ(decode_s(job_on(R"("instance": "p3.16xlarge")", {"dataset.decode_time=3 ms"})), 3e-3);
}

// A record of one's own that restates the time says nothing of a core: it was measured where it will be used.
TEST(CoreSpeed, ATimeOfAnotherRecordWithoutACoreStays) {
  Catalogue own = shipped_catalogue();
  own.workloads.at("resnet50_amp").decode_time = Fact<Seconds>{milliseconds(2), {"measured", "here", "", ""}};
  EXPECT_NEAR(decode_s(job_on(R"("instance": "p3.16xlarge")", {}, own)), 2e-3, 1e-12);
}

// What cores differ by is no longer in the interval.
TEST(CoreSpeed, KnowingTheCoreNarrowsTheInterval) {
  const std::string machine = R"("gpus_per_node": 8, "cores_per_node": 40)";
  const auto width = [](const Loaded<ResolvedScenario>& job) {
    const Provenance& p = job.value->provenance.at(kDecode);
    EXPECT_LT(p.low_factor, 1.0);
    EXPECT_GT(p.high_factor, 1.0);
    return std::log(p.high_factor / p.low_factor);
  };
  EXPECT_LT(width(job_on(machine + R"(, "cpu": "intel_broadwell")")), width(job_on(machine)));
}

TEST(CoreSpeed, AFasterCoreNeverHurts) {
  double before = 0.0;
  for (const char* speed : {"0.5", "0.7", "1", "1.4"}) {
    const auto job = job_on(R"("gpus_per_node": 8, "cores_per_node": 40)",
                            {std::string("cluster.core_speed=") + speed, "loader.num_workers=4"});
    ASSERT_TRUE(job.ok()) << rendered(job.findings);
    const double rate = simulate(job.value->scenario, RunOptions()).samples_per_s;
    EXPECT_GE(rate, before) << speed;
    before = rate;
  }
}

TEST(CoreSpeed, TheClockOfCoresThatAllComputeIsTheMachinesOwn) {
  const auto clock = [](const std::string& cluster) { return job_on(cluster).value->scenario.cluster.all_core_clock; };
  const Catalogue& records = shipped_catalogue();
  const double own = records.instances.at("a3-highgpu-8g").all_core_clock->value;
  EXPECT_LT(own, 0.9);
  EXPECT_DOUBLE_EQ(clock(R"("instance": "a3-highgpu-8g")"), own);
  ASSERT_FALSE(records.instances.at("p5en.48xlarge").all_core_clock);
  const double of_processor = records.cpus.at("intel_sapphire_rapids").all_core_clock->value;
  EXPECT_DOUBLE_EQ(clock(R"("instance": "p5en.48xlarge")"), of_processor);
  EXPECT_DOUBLE_EQ(clock(R"("gpus_per_node": 8, "cores_per_node": 40, "cpu": "intel_sapphire_rapids")"), of_processor);
  EXPECT_DOUBLE_EQ(clock(R"("gpus_per_node": 8, "cores_per_node": 40)"), 1.0);
  EXPECT_DOUBLE_EQ(clock(R"("instance": "a3-highgpu-8g", "all_core_clock": 0.9)"), 0.9);
}

// A machine of a known GPU has a clock as machines with that GPU have, with an interval up to 1.
TEST(CoreSpeed, AMachineDescribedByItsGpuHasAUsualClock) {
  const auto job = job_on(R"("gpu": "h200-141gb", "gpus_per_node": 8)");
  const double clock = job.value->scenario.cluster.all_core_clock;
  EXPECT_LT(clock, 1.0);
  const Provenance& from = job.value->provenance.at("/cluster/all_core_clock");
  EXPECT_LT(from.low_factor, 1.0);
  EXPECT_NEAR(clock * from.high_factor, 1.0, 1e-12);
}

// Where all cores decode they do the share of their work that the clock says.
TEST(CoreSpeed, WhereAllCoresDecodeTheRateGoesWithTheClock) {
  const auto rate = [](const char* clock) {
    const auto job = job_on(R"("gpus_per_node": 1, "cores_per_node": 4)",
                            {std::string("cluster.all_core_clock=") + clock, "loader.num_workers=8",
                             "dataset.decode_time=20 ms", "workload.batch_size=16", "run.steps_per_epoch=400"});
    EXPECT_TRUE(job.ok()) << rendered(job.findings);
    const double rate = simulate(job.value->scenario, RunOptions()).samples_per_s;
    EXPECT_LE(rate, utilization_bound(job.value->scenario).samples_per_s * 1.001);
    return rate;
  };
  EXPECT_NEAR(rate("0.7") / rate("1"), 0.7, 0.01);
}

// Stored arrays are read by the same libraries whichever loader asks.
TEST(CoreSpeed, ALoadersOwnDecodingIsOfImagesAndSounds) {
  const std::string machine = R"("gpus_per_node": 8, "cores_per_node": 40)";
  const auto with = [&](const char* loader, const char* format) {
    return decode_s(job_on(machine, {std::string("loader.framework=") + loader, std::string("dataset.format=") + format,
                                     "loader.num_workers=4"}));
  };
  EXPECT_DOUBLE_EQ(with("dali", "npz"), with("pytorch", "npz"));
  EXPECT_NEAR(with("dali", "jpeg"),
              shipped_catalogue().loaders.at("dali").preprocess_factor->value * with("pytorch", "jpeg"), 1e-12);
}

}  // namespace
}  // namespace stallcast
