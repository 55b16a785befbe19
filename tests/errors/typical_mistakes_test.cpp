// What people typically write, as they tell of their jobs: what can mean one thing only is read, the rest is answered
// with what to write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/scenario_file.h"
#include "tests/core/rendered.h"
#include "tests/core/shipped_catalogue.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

struct Written {
  std::string group, key;
  Json value;
};

// A job that is fine, with one value written so.
Loaded<ResolvedScenario> job_with(const Written& written, std::string* told) {
  Json job = Json::parse(R"({"cluster": {"instance": "p5.48xlarge"}, "workload": {"name": "unet3d"},
                             "dataset": {"samples": 1000}, "storage": {"tier": "s3_standard"}})");
  if (written.key == "gpu") job["cluster"].erase("instance");
  job[written.group][written.key] = written.value;
  const Loaded<ScenarioFile> file = parse_scenario(job, "job.json");
  Loaded<ResolvedScenario> resolved = resolve(*file.value, shipped_catalogue());
  *told = rendered(file.findings) + rendered(resolved.findings);
  if (file.findings.has_errors()) resolved.value.reset();
  return resolved;
}

struct Understood {
  Written written;
  std::string as;  // the text of the field's value
};

TEST(TypicalMistakes, ThatCanMeanOneThingOnlyAreRead) {
  const std::vector<Understood> rows = {
      {{"dataset", "sample_size", "150KB"}, "150 kB"},
      {{"dataset", "samples", "1.28M"}, "1280000"},
      {{"dataset", "samples", "1,281,167"}, "1281167"},
      {{"dataset", "layout", "TFRecord"}, "shards"},
      {{"dataset", "layout", "folder"}, "file_per_sample"},
      {{"dataset", "format", "JPG"}, "jpeg"},
      {{"plan", "deadline", "90 days"}, "90 d"},
      {{"cost", "host_discount", "5 %"}, "0.05"},
      {{"cost", "node_price", "$2.50/hour"}, "$2.5/h"},
      {{"workload", "name", "llama3-70b"}, "llama3_70b"},
      {{"workload", "name", "3D U-Net"}, "unet3d"},
      {{"cluster", "instance", "ND96isr_H100_v5"}, "standard_nd96isr_h100_v5"},
      {{"cluster", "gpu", "H100"}, "h100-80gb-sxm"},
      {{"storage", "tier", "S3"}, "s3_standard"},
      {{"storage", "tier", "FSx"}, "fsx_lustre_persistent_2_125"},
      {{"loader", "framework", "DataLoader"}, "pytorch"},
      {{"loader", "num_workers", "8"}, "8"},
  };
  for (const Understood& row : rows) {
    std::string told;
    const auto resolved = job_with(row.written, &told);
    ASSERT_TRUE(resolved.value) << row.written.key << " " << row.written.value << "\n" << told;
    const Field* field = find_field("/" + row.written.group + "/" + row.written.key);
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(value_text(*field, field->get(resolved.value->scenario)), row.as) << row.written.key;
  }
}

struct Answered {
  Written written;
  std::string told;  // part of the message
};

TEST(TypicalMistakes, ThatNobodyCanReadAreAnsweredWithWhatToWrite) {
  const std::vector<Answered> rows = {
      {{"loader", "workers", 8}, "did you mean \"num_workers\"?"},
      {{"loader", "decode_time", "8 ms"}, "did you mean \"gpu_decode_time\"?"},
      {{"storage", "teir", "S3"}, "did you mean \"tier\"?"},
      {{"storage", "tier", "s3_standart"}, "did you mean \"s3_standard\"?"},
      {{"storage", "tier", "zzz"}, "one of 51 (stallcast catalogue list tier)"},
      {{"dataset", "sample_size", "150"}, "did you mean \"150 GB\"? (a number here needs its unit)"},
      {{"cluster", "nic_bandwidth", "200 gbps"}, "did you mean \"200 Gbps\"?"},
      {{"cost", "host_discount", 30}, "did you mean 0.3?"},
      {{"cluster", "instance", "p5.48xlrage"}, "did you mean \"p5.48xlarge\"?"},
      {{"workload", "name", "resnet-51"}, "did you mean \"resnet50\"?"},
  };
  for (const Answered& row : rows) {
    std::string told;
    EXPECT_FALSE(job_with(row.written, &told).value) << row.written.key;
    EXPECT_THAT(told, HasSubstr(row.told)) << row.written.key;
  }
}

}  // namespace
}  // namespace stallcast
