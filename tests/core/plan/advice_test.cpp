#include "core/plan/explain/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/plan/base_file.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;

// One GPU wants 100 samples/s; a worker makes 1 / (20 ms + 5 ms) = 40 samples/s, so that three are enough.
const char* const kLatencyBound = R"({"cluster": {"gpus_per_node": 1, "cores_per_node": 8},
    "workload": {"batch_size": 10, "step_time": "100 ms"},
    "dataset": {"sample_size": "100 kB", "decode_time": "5 ms", "tensor_size": "600 kB"},
    "loader": {"num_workers": 2, "prefetch_factor": 2, "persistent_workers": true},
    "storage": {"latency": "20 ms"}, "run": {"steps_per_epoch": 2000, "whole_run": true}})";

ResolvedScenario resolved(const ScenarioFile& file) { return *resolve_at(file, {}, shipped_catalogue()).value; }

Evaluation as_given(const ScenarioFile& file) { return evaluate(with_inputs_as_given(resolved(file)), RunOptions()); }

std::vector<NextUnit> valued(const ScenarioFile& file) {
  const Evaluation now = as_given(file);
  PairedEvaluations pairs(resolved(file), now, {});
  return value_next_units(file, resolved(file), now.result, pairs, shipped_catalogue(), {});
}

const NextUnit& unit(const std::vector<NextUnit>& units, const std::string& name) {
  for (const NextUnit& one : units)
    if (one.name == name) return one;
  throw std::out_of_range(name);
}

TEST(WorkerCurve, KneeIsWhereTheGpuIsFed) {
  const Scenario s = resolved(scenario_file(kLatencyBound)).scenario;
  const WorkerCurve curve = worker_curve(s, PairedTrials(s, simulate(s), {}), {});
  EXPECT_EQ(curve.knee, 3);
  EXPECT_TRUE(curve.complete);
  for (const WorkerPoint& point : curve.points) {
    const double bound = std::min(1.0, 0.4 * static_cast<double>(point.num_workers));
    // Four hundred steps, the first of which find empty queues.
    EXPECT_NEAR(point.gpu_utilization.mean, bound, 0.025) << point.num_workers;
  }
  // Batches of 10 x 600 kB: those handed out ahead, two for each worker, and more that are under way.
  EXPECT_GE(curve.points.front().loader_bytes, 2 * 6e6);
  for (std::size_t i = 1; i < curve.points.size(); ++i)
    EXPECT_GT(curve.points[i].loader_bytes, curve.points[i - 1].loader_bytes);
}

TEST(WorkerCurve, CountsGoToTwiceTheCoresAndHoldWhatIsSet) {
  Scenario s;
  s.cluster.cores_per_node = 16;
  s.cluster.gpus_per_node = 4;
  s.loader.num_workers = 5;
  EXPECT_THAT(worker_counts(s), ElementsAre(1, 2, 4, 5, 8));  // 2 * max(4, 5) = 10, and 16 is beyond
  s.loader.num_workers = 0;
  EXPECT_THAT(worker_counts(s), ElementsAre(1, 2, 4, 8));
}

TEST(WorkerCurve, AStopLeavesWhatIsDone) {
  std::stop_source stop;
  stop.request_stop();
  RunOptions options;
  options.stop = stop.get_token();
  const Scenario s = resolved(scenario_file(kLatencyBound)).scenario;
  const WorkerCurve curve = worker_curve(s, PairedTrials(s, RunResult(), options), options);
  EXPECT_FALSE(curve.complete);
  EXPECT_TRUE(curve.points.empty());
  EXPECT_EQ(curve.knee, 0);
}

// From two workers to three the GPU goes from 0.8 to 1; more prefetch, cores or nothing else make a worker faster.
TEST(NextUnits, AreWorthWhatTheClosedFormSays) {
  const ScenarioFile file = scenario_file(kLatencyBound);
  const auto units = valued(file);
  EXPECT_NEAR(unit(units, "worker").gain, 0.2, 0.02);
  EXPECT_NEAR(unit(units, "prefetch").gain, 0.0, 0.01);
  EXPECT_NEAR(unit(units, "core").gain, 0.0, 0.01);
  EXPECT_THAT(units.size(), 3U);
}

TEST(NextUnits, CapacityGoesToTheNextSizeAndIsPaidFor) {
  const ScenarioFile file =
      scenario_file(R"({"cluster": {"instance": "a3-highgpu-8g"}, "workload": {"name": "resnet50"},
      "storage": {"tier": "parallelstore", "capacity": "12 TiB"}, "run": {"steps_per_epoch": 50, "whole_run": true},
      "checkpoint": {"mode": "sync", "cadence": "time", "interval": "10 min", "size": "1 GB"}})");
  const auto units = valued(file);
  const NextUnit& capacity = unit(units, "capacity");
  EXPECT_EQ(capacity.phrase, "storage.capacity 12 TiB to 16 TiB");
  // Never worse for the GPUs, and never cheaper by more than the time that it saves.
  EXPECT_GE(capacity.gain, -0.001);
  ASSERT_TRUE(capacity.total_usd);
  EXPECT_EQ(unit(units, "checkpoint_minute").phrase, "checkpoint.interval 10 min to 11 min");
  EXPECT_FALSE(unit(units, "nic").total_usd);
  EXPECT_FALSE(unit(units, "core").total_usd);
}

// Rank 0 writes for half an hour, and its interval was searched for. Batches that wait already are worth nothing, and
// the interval of the job as it is stays: another one would be told as what they bring.
TEST(NextUnits, AnIntervalThatWasSearchedForStays) {
  const ScenarioFile file = scenario_file(R"({
      "cluster": {"gpus_per_node": 8, "nodes": 32, "cores_per_node": 96},
      "workload": {"batch_size": 1, "step_time": "4 s"},
      "dataset": {"sample_size": "8 kB"}, "storage": {"write_bandwidth": "50 GB/s"}, "failures": {"mtti": "8 h"},
      "checkpoint": {"mode": "async", "cadence": "optimal", "size": "978 GB", "writers": "rank0"},
      "run": {"epochs": 1, "steps_per_epoch": 100000}})");
  const Advice advice = [&] {
    const ResolvedScenario job = with_inputs_as_given(resolved(file));
    Explanation explanation = explain(job);
    return advise(file, job, explanation, {}, shipped_catalogue(), RunOptions());
  }();
  for (const NextUnit& one : advice.next_units) {
    EXPECT_TRUE(one.complete) << one.name;
    EXPECT_NEAR(one.gain, 0.0, 1e-5) << one.name;
  }
}

TEST(NextUnits, TheLargestSizeHasNoNext) {
  const ScenarioFile file =
      scenario_file(R"({"cluster": {"instance": "a3-highgpu-8g"}, "workload": {"name": "resnet50"},
      "storage": {"tier": "parallelstore", "capacity": "100 TiB"}})");
  for (const NextUnit& one : next_units(resolved(file), RunResult(), shipped_catalogue()))
    EXPECT_NE(one.name, "capacity");
}

}  // namespace
}  // namespace stallcast
