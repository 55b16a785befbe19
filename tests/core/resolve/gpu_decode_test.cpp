// What a GPU that decodes takes of itself and leaves to the host.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/model/resource_graph.h"
#include "core/run/simulate.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/units/distribution.h"
#include "tests/core/rendered.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kImage = 110e3;

// One GPU whose images a pipeline of 4 threads decodes, from storage without a limit.
ResolvedScenario dali_on(const std::string& gpu, const Json& loader = {{"decode_on", "gpu"}},
                         const std::string& format = "jpeg") {
  Json job = {{"cluster", {{"gpu", gpu}, {"gpus_per_node", 1}, {"cores_per_node", 16}, {"core_speed", 1.2}}},
              {"workload", {{"batch_size", 64}, {"step_time", "1 us"}}},
              {"dataset", {{"sample_size", "110 kB"}, {"format", format}}},
              {"loader", {{"framework", "dali"}, {"style", "threads"}, {"num_workers", 4}}},
              {"storage", {{"scope", "per_node"}, {"read_bandwidth", "1 TB/s"}, {"latency", "0 s"}}}};
  job["loader"].update(loader);
  const auto file = parse_scenario(job, "a.json");
  EXPECT_TRUE(file.ok()) << rendered(file.findings);
  const auto out = resolve(*file.value, shipped_catalogue());
  EXPECT_TRUE(out.ok()) << rendered(out.findings);
  return *out.value;
}

const FormatRecord& jpeg() { return shipped_catalogue().formats.at("jpeg"); }

// The record's share of what a core of the same speed takes to decode, without the transforms that follow.
TEST(GpuDecode, LeavesAShareToTheHost) {
  const double on_a_core = jpeg().decode_time_of(bytes(kImage), false).base();
  EXPECT_NEAR(on_a_core, 0.05e-3 + kImage / 70e6, 1e-9);
  const ResolvedScenario v100 = dali_on("v100-16gb"), h100 = dali_on("h100-80gb-sxm");
  EXPECT_NEAR(v100.scenario.loader.host_decode_time.base(), jpeg().host_decode_share->value * on_a_core, 1e-9);
  EXPECT_NEAR(h100.scenario.loader.host_decode_time.base(), jpeg().host_decode_share_engine->value * on_a_core, 1e-9);
  EXPECT_GT(mean_of(v100.scenario.loader.gpu_decode_time), 0.0) << "the format's, without a workload";
  EXPECT_EQ(mean_of(h100.scenario.loader.gpu_decode_time), 0.0) << "an engine of its own";
  EXPECT_TRUE(h100.warnings.empty()) << rendered(h100.warnings);
  const Provenance& from = v100.provenance.at("/loader/host_decode_time");
  EXPECT_EQ(from.record, "format/jpeg");
  EXPECT_LT(from.low_factor, 1.0);
  EXPECT_GT(from.high_factor, 1.0);
}

TEST(GpuDecode, LeavesNothingWhereTheCpuDecodesOrNothingPassesTheHost) {
  EXPECT_EQ(dali_on("v100-16gb", {{"decode_on", "cpu"}}).scenario.loader.host_decode_time.base(), 0.0);
  EXPECT_EQ(dali_on("v100-16gb", {{"decode_on", "gpu"}}, "npy").scenario.loader.host_decode_time.base(), 0.0);
  EXPECT_EQ(dali_on("v100-16gb", {{"decode_on", "gpu"}, {"host_decode_time", "2 ms"}})
                .scenario.loader.host_decode_time.base(),
            2e-3);
}

// Four threads of which each takes 2 ms for an image make 2000 a second, by the simulation and by the bound.
TEST(GpuDecode, TheHostsPartLimitsTheRate) {
  Scenario s = dali_on("h100-80gb-sxm", {{"decode_on", "gpu"}, {"host_decode_time", "2 ms"}}).scenario;
  s.cluster.all_core_clock = 1.0;
  EXPECT_NEAR(simulate(s).samples_per_s, 2000.0, 40.0);
  EXPECT_GE(utilization_bound(s).gpu_utilization * 64.0 / 1e-6, 0.999 * simulate(s).samples_per_s);
}

}  // namespace
}  // namespace stallcast
