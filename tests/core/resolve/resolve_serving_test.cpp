// What a serving job reads its weights with, where the person does not say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/core/rendered.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr double kKibi = 1024.0;

// Machines with `gpus` GPUs that load a model from `tier`.
Loaded<ResolvedScenario> load_from(const std::string& tier, int gpus, const std::vector<std::string>& overrides = {}) {
  const Json json = {{"job", "serving"},
                     {"cluster", {{"gpus_per_node", gpus}, {"nic_bandwidth", "100 Gb/s"}}},
                     {"storage", {{"tier", tier}}},
                     {"serving", {{"weights", "10 GB"}}}};
  auto file = parse_scenario(json, "s.json");
  EXPECT_TRUE(file.ok()) << rendered(file.findings);
  Findings findings;
  for (const std::string& assignment : overrides) apply_override(*file.value, assignment, findings);
  EXPECT_TRUE(findings.empty()) << rendered(findings);
  return resolve(*file.value, shipped_catalogue());
}

ServingSpec serving_from(const std::string& tier, int gpus, const std::vector<std::string>& overrides = {}) {
  const auto job = load_from(tier, gpus, overrides);
  EXPECT_TRUE(job.ok()) << rendered(job.findings);
  return job.ok() ? job.value->scenario.serving : ServingSpec();
}

const CheckpointerRecord& software(const char* name) { return shipped_catalogue().checkpointers.at(name); }

TEST(ResolveServing, EachGpuHasAProcessWithTheStreamsOfItsSoftware) {
  const std::int64_t of_files = software("runai_streamer").streams->value;
  const std::int64_t of_objects = software("runai_streamer").object_streams->value;
  for (const int gpus : {1, 8}) {
    EXPECT_EQ(serving_from("s3_standard", gpus).streams, gpus * of_objects);
    EXPECT_EQ(serving_from("filestore_zonal", gpus).streams, gpus) << "safetensors reads with one thread";
    EXPECT_EQ(serving_from("filestore_zonal", gpus, {"serving.software=runai_streamer"}).streams, gpus * of_files);
    EXPECT_EQ(serving_from("s3_standard", gpus, {"serving.streams=4"}).streams, 4);
  }
}

// Of a tier with `gpus` processes of `name`.
double load_rate(const char* tier, int gpus, const char* name, const std::string& streams = "") {
  std::vector<std::string> overrides = {std::string("serving.software=") + name};
  if (!streams.empty()) overrides.push_back("serving.streams=" + streams);
  return serving_from(tier, gpus, overrides).load_bandwidth.base();
}

TEST(ResolveServing, TheRateOfOneAndOfEightProcessesIsTheRecords) {
  const CheckpointerRecord& streamer = software("runai_streamer");
  EXPECT_DOUBLE_EQ(load_rate("s3_standard", 1, "runai_streamer"), streamer.load_bandwidth->value.base());
  EXPECT_DOUBLE_EQ(load_rate("vast", 8, "runai_streamer"), streamer.load_bandwidth_of_eight->value.base());
  EXPECT_DOUBLE_EQ(load_rate("s3_standard", 8, "runai_streamer"),
                   streamer.object_load_bandwidth_of_eight->value.base());
  const CheckpointerRecord& mapped = software("safetensors");
  EXPECT_DOUBLE_EQ(load_rate("vast", 8, "safetensors"), mapped.load_bandwidth_of_eight->value.base());
  EXPECT_DOUBLE_EQ(load_rate("host_page_cache", 1, "safetensors"), mapped.memory_load_bandwidth->value.base());
  EXPECT_DOUBLE_EQ(load_rate("host_page_cache", 8, "safetensors"), mapped.memory_load_bandwidth_of_eight->value.base());
}

TEST(ResolveServing, TwoProcessesLieBetweenOneAndEight) {
  for (const char* name : {"safetensors", "fastsafetensors"}) {
    const double one = load_rate("vast", 1, name), eight = load_rate("vast", 8, name);
    EXPECT_DOUBLE_EQ(load_rate("vast", 2, name), one * std::cbrt(eight / one)) << name << ": two are eight's cube root";
    EXPECT_GT(load_rate("vast", 4, name), load_rate("vast", 2, name));
  }
  EXPECT_DOUBLE_EQ(load_rate("vast", 8, "torch_save"), 8.0 * load_rate("vast", 1, "torch_save"))
      << "no record of eight: each is as fast as one alone";
}

TEST(ResolveServing, OneStreamIsOneProcessWhateverTheMachineHas) {
  EXPECT_DOUBLE_EQ(load_rate("vast", 8, "safetensors", "1"), load_rate("vast", 1, "safetensors"));
  EXPECT_DOUBLE_EQ(load_rate("vast", 8, "runai_streamer", "16"), load_rate("vast", 1, "runai_streamer"));
  EXPECT_DOUBLE_EQ(load_rate("vast", 8, "safetensors", "100"), load_rate("vast", 8, "safetensors"));
}

TEST(ResolveServing, FilesThroughThePageCacheAreReadInRequestsOfItsReadAhead) {
  const double otherwise = ServingSpec().request_size.base();
  EXPECT_EQ(serving_from("filestore_zonal", 1).request_size.base(), 256.0 * kKibi);
  EXPECT_EQ(serving_from("pd_ssd", 1).request_size.base(), 256.0 * kKibi);
  EXPECT_EQ(serving_from("s3_standard", 1).request_size.base(), otherwise);
  EXPECT_EQ(serving_from("managed_lustre_125", 1).request_size.base(), otherwise);
  EXPECT_EQ(serving_from("pd_ssd", 1, {"serving.request_size=1 MiB"}).request_size.base(), kKibi * kKibi);
}

TEST(ResolveServing, SoftwareThatNoRecordDescribesIsNamedWithWhatIsLikeIt) {
  const auto job = load_from("s3_standard", 1, {"serving.software=runai_streamr"});
  EXPECT_FALSE(job.ok());
  EXPECT_THAT(rendered(job.findings), HasSubstr("/serving/software"));
  EXPECT_THAT(rendered(job.findings), HasSubstr("did you mean \"runai_streamer\""));
}

TEST(ResolveServing, AJobThatTrainsHasNone) {
  auto file = parse_scenario(Json{{"storage", {{"tier", "s3_standard"}}},
                                  {"cluster", {{"nic_bandwidth", "100 Gb/s"}}},
                                  {"workload", {{"step_time", "1 s"}, {"batch_size", 8}}},
                                  {"dataset", {{"sample_size", "1 MB"}}}},
                             "s.json");
  ASSERT_TRUE(file.ok()) << rendered(file.findings);
  const auto job = resolve(*file.value, shipped_catalogue());
  ASSERT_TRUE(job.ok()) << rendered(job.findings);
  EXPECT_EQ(job.value->scenario.serving.software, "");
  EXPECT_EQ(job.value->scenario.serving.streams, ServingSpec().streams);
}

}  // namespace
}  // namespace stallcast
