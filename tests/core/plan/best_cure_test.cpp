#include "core/plan/explain/best_cure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/plan/base_file.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;

// One GPU wants 100 samples/s; a worker waits 20 ms for a sample and decodes it in 5: it makes 40.
std::string latency_bound(int workers) {
  return R"({"cluster": {"gpus_per_node": 1, "cores_per_node": 8},
    "workload": {"batch_size": 10, "step_time": "100 ms"},
    "dataset": {"sample_size": "100 kB", "decode_time": "5 ms", "tensor_size": "600 kB"},
    "loader": {"num_workers": )" +
         std::to_string(workers) + R"(, "prefetch_factor": 2, "persistent_workers": true},
    "storage": {"latency": "20 ms"}, "cost": {"node_price": "$36/h", "storage_discount": 1},
    "run": {"steps_per_epoch": 4000, "epochs": 2}})";
}

std::optional<Cure> cure_of(const std::string& text, const RunOptions& options = {}) {
  const ScenarioFile file = scenario_file(text);
  const ResolvedScenario resolved = *resolve_at(file, {}, shipped_catalogue()).value;
  return best_cure(file, resolved, evaluate(resolved, RunOptions()), *load_rules(STALLCAST_SOURCE_DIR "/models").value,
                   shipped_catalogue(), options);
}

double figure(const KpiValues& values, const char* name) { return value_of(*find_kpi(name), values).value().mean; }

// Twice the workers feed the GPU; four times as many feed it no better.
TEST(BestCure, IsTheLeastThatFeedsTheGpu) {
  const std::optional<Cure> cure = cure_of(latency_bound(2));
  ASSERT_TRUE(cure);
  EXPECT_EQ(cure->point, (Point{{"/loader/num_workers", "4"}}));
  EXPECT_EQ(cure->phrase, "use 4 loader workers per GPU");
  EXPECT_NEAR(figure(cure->now, "gpu_utilization"), 0.8, 0.02);
  EXPECT_NEAR(figure(cure->after, "gpu_utilization"), 1.0, 0.025);  // less what next() takes
  EXPECT_NEAR(figure(cure->after, "cost.total_usd"), 0.8 * figure(cure->now, "cost.total_usd"),
              0.03 * figure(cure->now, "cost.total_usd"));
}

TEST(BestCure, SaysWhatTheChangedJobThenSays) {
  const Cure cure = cure_of(latency_bound(2)).value();
  const ResolvedScenario there = *resolve_at(scenario_file(latency_bound(2)), cure.point, shipped_catalogue()).value;
  const KpiValues full = kpi_values(evaluate(with_inputs_as_given(there), RunOptions()));
  for (const char* name : {"gpu_utilization", "cost.total_usd", "time_to_train_s"})
    EXPECT_DOUBLE_EQ(figure(cure.after, name), figure(full, name)) << name;
}

// With one worker twice as many make 0.8 of what the GPU wants, and four times as many all of it.
TEST(BestCure, GoesAsFarAsItPays) {
  const std::optional<Cure> cure = cure_of(latency_bound(1));
  ASSERT_TRUE(cure);
  EXPECT_EQ(cure->point, (Point{{"/loader/num_workers", "4"}}));
}

TEST(BestCure, IsNothingWhereTheGpuIsFed) { EXPECT_FALSE(cure_of(latency_bound(8))); }

// Storage of a size that limits the job: a larger one is the cure where the price of it is less than what it saves.
TEST(BestCure, MayBeALargerStorage) {
  const std::optional<Cure> cure = cure_of(R"({"cluster": {"instance": "a3-highgpu-8g", "nodes": 4},
    "workload": {"name": "unet3d"}, "dataset": {"samples": 28000},
    "loader": {"num_workers": 8, "persistent_workers": true}, "page_cache": {"policy": "none"},
    "storage": {"tier": "managed_lustre_1000", "capacity": "18000 GiB"}, "run": {"epochs": 50}})");
  ASSERT_TRUE(cure);
  ASSERT_EQ(cure->point.size(), 1U);
  EXPECT_EQ(cure->point.front().pointer, "/storage/capacity");
  EXPECT_THAT(cure->phrase, HasSubstr("use a storage capacity of "));
  EXPECT_LT(figure(cure->after, "effective_usd_per_useful_gpu_hour"),
            figure(cure->now, "effective_usd_per_useful_gpu_hour"));
}

// The same where a machine costs a cent an hour: no time that it saves is worth more storage.
TEST(BestCure, IsNoneThatCostsMoreThanItSaves) {
  const std::optional<Cure> cure = cure_of(R"({"cluster": {"instance": "a3-highgpu-8g", "nodes": 4},
    "workload": {"name": "unet3d"}, "dataset": {"samples": 28000},
    "loader": {"num_workers": 8, "persistent_workers": true}, "page_cache": {"policy": "none"},
    "storage": {"tier": "managed_lustre_1000", "capacity": "18000 GiB"}, "cost": {"node_price": "$0.01/h"},
    "run": {"epochs": 50}})");
  if (cure) {
    EXPECT_NE(cure->point.front().pointer, "/storage/capacity");
    EXPECT_LT(figure(cure->after, "effective_usd_per_useful_gpu_hour"),
              figure(cure->now, "effective_usd_per_useful_gpu_hour"));
  }
}

// A checkpoint of 2 s after each 10 s of training, which nothing interrupts: every half an hour is often enough.
TEST(BestCure, MayBeFewerCheckpoints) {
  const std::optional<Cure> cure = cure_of(R"({"cluster": {"gpus_per_node": 1, "cores_per_node": 8},
    "workload": {"batch_size": 10, "step_time": "100 ms"}, "dataset": {"sample_size": "100 kB"},
    "loader": {"num_workers": 4, "persistent_workers": true}, "cost": {"node_price": "$36/h", "storage_discount": 1},
    "checkpoint": {"mode": "sync", "size": "2 GB", "interval_steps": 100, "software": "dlio",
                   "to_storage": false, "write_bandwidth": "1 GB/s"},
    "run": {"steps_per_epoch": 100000, "epochs": 1}})");
  ASSERT_TRUE(cure);
  EXPECT_EQ(cure->point, (Point{{"/checkpoint/cadence", "time"}, {"/checkpoint/interval", "30 min"}}));
  EXPECT_EQ(cure->phrase, "write fewer checkpoints");
  EXPECT_NEAR(figure(cure->now, "gpu_utilization"), 10.0 / 12.0, 0.02);
  EXPECT_GT(figure(cure->after, "gpu_utilization"), 0.97);
}

TEST(BestCure, AStopGivesNone) {
  std::stop_source stop;
  stop.request_stop();
  RunOptions options;
  options.stop = stop.get_token();
  EXPECT_FALSE(cure_of(latency_bound(2), options));
}

}  // namespace
}  // namespace stallcast
