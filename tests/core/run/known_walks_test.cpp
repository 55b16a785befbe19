// Walks that runs share: nothing about a result shows whether they did.
#include "core/steps/known_walks.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/result/json/run_result_json.h"
#include "core/run/simulate.h"
#include "core/scenario/check/check.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/resolve/resolve.h"
#include "tests/core/plan/base_file.h"

namespace stallcast {
namespace {

Scenario interrupted_job() {
  const ScenarioFile file = scenario_file(R"({
      "cluster": {"instance": "a3-highgpu-8g"}, "workload": {"name": "resnet50", "batch_size": 16},
      "loader": {"num_workers": 2}, "storage": {"tier": "parallelstore", "capacity": "12 TiB"},
      "page_cache": {"policy": "lru"}, "dataset": {"samples": 2560},
      "checkpoint": {"mode": "async", "size": "1 GB", "interval_steps": 7, "snapshot_time": "100 ms"},
      "failures": {"mtti": "1 min", "restart_time": "5 s"}, "run": {"epochs": 3}})");
  Scenario s = resolve(file, shipped_catalogue()).value->scenario;
  s.run.uncertain.clear();
  return s;
}

nlohmann::ordered_json figures(const Scenario& scenario, const RunOptions& options) {
  nlohmann::ordered_json json = run_result_to_json(simulate(scenario, options));
  json.erase("wall_s");
  return json;
}

// Halves or doubles a number, turns a flag, takes the next word: false where the field is none of these, or where no
// such job can be.
bool change(Scenario& scenario, const Field& field) {
  FieldValue value = field.get(scenario);
  if (auto* number = std::get_if<double>(&value)) {
    *number = *number == 0.0 ? 0.5 : 0.5 * *number;
  } else if (auto* whole = std::get_if<std::int64_t>(&value)) {
    *whole = field.kind == FieldKind::kEnum ? (*whole + 1) % std::ssize(field.words) : *whole + 1;
  } else if (auto* flag = std::get_if<bool>(&value)) {
    *flag = !*flag;
  } else if (auto* drawn = std::get_if<Distribution>(&value)) {
    drawn->mean = drawn->mean == 0.0 ? 1e-3 : 0.5 * drawn->mean;
  } else {
    return false;
  }
  field.set(scenario, value);
  return !check_scenario(scenario, {}, "").has_errors();
}

// The job and what every one of its fields makes of it, all with the same walks to share, beside each alone.
TEST(KnownWalks, ChangeNoResult) {
  const Scenario job = interrupted_job();
  const RunOptions shared = sharing_walks({});
  EXPECT_EQ(figures(job, shared), figures(job, {}));
  int changed = 0;
  for (const Field& field : field_table()) {
    Scenario other = job;
    if (field.pointer == "/job" || !change(other, field)) continue;
    ++changed;
    EXPECT_EQ(figures(other, shared), figures(other, {})) << field.pointer;
  }
  EXPECT_GT(changed, 100);
}

// The steps without checkpoints are those of every cadence; what interrupts the run changes no step at all.
TEST(KnownWalks, AreSharedByWhatInterruptsARunAndHowOftenItIsSaved) {
  Scenario job = interrupted_job();
  const RunOptions shared = sharing_walks({});
  simulate(job, shared);
  EXPECT_EQ(shared.known->size(), 2U);  // without checkpoints, and with them
  job.failures.mtti = seconds(600.0);
  simulate(job, shared);
  EXPECT_EQ(shared.known->size(), 2U);
  job.checkpoint.interval_steps = 20;
  simulate(job, shared);
  EXPECT_EQ(shared.known->size(), 3U);
  job.checkpoint = CheckpointSpec();
  simulate(job, shared);
  EXPECT_EQ(shared.known->size(), 3U);
  job.loader.num_workers = 3;
  simulate(job, shared);
  EXPECT_EQ(shared.known->size(), 4U);
}

TEST(KnownWalks, OtherSeedsAndCoarseRunsAreWalksOfTheirOwn) {
  const Scenario job = interrupted_job();
  RunOptions shared = sharing_walks({});
  simulate(job, shared);
  shared.seed = 7;
  EXPECT_EQ(figures(job, shared)["gpu_utilization"], [&] {
    RunOptions alone;
    alone.seed = 7;
    return figures(job, alone)["gpu_utilization"];
  }());
  EXPECT_EQ(shared.known->size(), 4U);
}

TEST(KnownWalks, TheOldestAreForgotten) {
  KnownWalks known(2);
  Walk walk;
  for (const int steps : {1, 2, 3}) {
    walk.steps = steps;
    known.keep(std::to_string(steps), walk);
  }
  EXPECT_FALSE(known.find("1"));
  ASSERT_TRUE(known.find("3"));
  EXPECT_EQ(known.find("3")->steps, 3);
  EXPECT_EQ(known.size(), 2U);
}

}  // namespace
}  // namespace stallcast
