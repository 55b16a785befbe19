#include "core/plan/search/size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/evaluate/undisturbed.h"
#include "core/report/json/size_json.h"
#include "core/report/text/size_text.h"
#include "core/result/json/run_result_json.h"
#include "core/run/simulate.h"
#include "tests/core/plan/base_file.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;

// A rank computes 2000 steps of 10 ms; a worker takes 4 samples x 10 ms = 40 ms for a batch, so n workers give n
// batches in 40 ms: a utilization of n / 4. At $3600 per hour a second is a dollar: 2000 x 40 ms / n = 80 / n dollars.
const char* const kLatencyBound = R"({
  "name": "latency bound",
  "cluster": {"cores_per_node": 16},
  "workload": {"batch_size": 4, "step_time": "10 ms"},
  "dataset": {"layout": "records", "samples": 8000, "sample_size": "100 kB"},
  "loader": {"num_workers": 1, "prefetch_factor": 2, "persistent_workers": true},
  "storage": {"latency": "10 ms"},
  "cost": {"node_price": "$3600/h", "storage_discount": 1},
  "run": {"whole_run": true}
})";

SizeResult sized(const std::string& base_text, const std::vector<std::string>& vary, const SizeRequest& request,
                 const RunOptions& options = {}) {
  const ScenarioFile base = scenario_file(base_text);
  const Loaded<Space> space = make_space(base, variables(base, vary), {}, shipped_catalogue());
  return size(base, *space.value, shipped_catalogue(), request, options);
}

SizeRequest exact(std::vector<Target> targets = {}) {
  SizeRequest request;
  request.targets = std::move(targets);
  request.tolerance = 0.0;
  return request;
}

TEST(Size, FindsTheCheapestByItsClosedForm) {
  const SizeResult r = sized(kLatencyBound, {"loader.num_workers=1,2,3"}, exact());
  ASSERT_EQ(r.best.size(), 1U);
  EXPECT_EQ(r.objective, Figure::kTotal);
  EXPECT_EQ(point_text(r.best.front().point), "/loader/num_workers=3");
  // 80 / 3 dollars. Collating, some 1.2 ms of each worker's 40 ms, adds 3 %; starting, 0.1 s, less than 1 %.
  EXPECT_NEAR(r.best.front().figures.at(Figure::kTotal), 1.03 * 80.0 / 3.0, 0.01 * 80.0 / 3.0);
}

TEST(Size, SaysHowFarATargetWouldHaveToGive) {
  const SizeResult r = sized(kLatencyBound, {"loader.num_workers=1,2"}, exact({{Figure::kUtilization, 0.9}}));
  EXPECT_TRUE(r.best.empty());
  ASSERT_EQ(r.relaxations.size(), 1U);
  ASSERT_TRUE(r.relaxations.front().best);
  EXPECT_EQ(point_text(r.relaxations.front().best->point), "/loader/num_workers=2");
  EXPECT_NEAR(r.relaxations.front().reachable, 0.5, 0.03);
  EXPECT_THAT(render_text(r, "latency bound", {}), HasSubstr("lower --min-utilization to"));
}

TEST(Size, EachTargetIsRelaxedWithTheOthersKept) {
  // Two workers take 40 s; a deadline of 10 s cannot be kept, nor 0.9 of utilization: giving in to one does not help.
  const SizeResult r =
      sized(kLatencyBound, {"loader.num_workers=1,2"}, exact({{Figure::kUtilization, 0.9}, {Figure::kTime, 10.0}}));
  ASSERT_EQ(r.relaxations.size(), 2U);
  EXPECT_FALSE(r.relaxations[0].best);
  EXPECT_FALSE(r.relaxations[1].best);
}

TEST(Size, LoadersKeepToTheMemoryThereIs) {
  // (workers x prefetch + 1) batches of 400 kB: 2 MB hold 4 ahead. With prefetch 2 that is 2 workers.
  const SizeResult r = sized(kLatencyBound, {"loader.num_workers=1,2,3,4"}, exact({{Figure::kMemory, 2e6}}));
  ASSERT_EQ(r.best.size(), 1U);
  EXPECT_EQ(point_text(r.best.front().point), "/loader/num_workers=2");
  EXPECT_EQ(r.counts.over_quota, 2);
}

TEST(Size, AQuotaIsKept) {
  const SizeResult r = sized(kLatencyBound, {"cluster.nodes=1,2,3"}, exact({{Figure::kGpus, 1.0}}));
  ASSERT_EQ(r.best.size(), 1U);
  EXPECT_EQ(point_text(r.best.front().point), "/cluster/nodes=1");
}

TEST(Size, FinalistsKeepTargetsWithTheirUncertainInputs) {
  // 0.5 of utilization as given; with a latency between half and twice of that, far less at 95 %.
  std::string text = kLatencyBound;
  text.replace(text.find("\"whole_run\": true"), 17,
               "\"whole_run\": true, \"uncertain\": [\"storage.latency 0.5..2\"]");
  const SizeResult certain = sized(kLatencyBound, {"loader.num_workers=1,2"}, exact({{Figure::kUtilization, 0.4}}));
  ASSERT_EQ(certain.best.size(), 1U);
  EXPECT_FALSE(certain.best.front().with_uncertain_inputs);
  const SizeResult r = sized(text, {"loader.num_workers=1,2"}, exact({{Figure::kUtilization, 0.4}}));
  EXPECT_TRUE(r.best.empty());
  EXPECT_GT(r.runs.uncertain, 0);
  ASSERT_EQ(r.relaxations.size(), 1U);
  EXPECT_LT(r.relaxations.front().reachable, 0.4);
}

TEST(Size, TheTopIsInOrder) {
  SizeRequest request = exact();
  request.top = 3;
  const SizeResult r = sized(kLatencyBound, {"loader.num_workers=1,2,3,4"}, request);
  ASSERT_EQ(r.best.size(), 3U);
  EXPECT_LE(r.best[0].figures.at(Figure::kTotal), r.best[1].figures.at(Figure::kTotal));
  EXPECT_LE(r.best[1].figures.at(Figure::kTotal), r.best[2].figures.at(Figure::kTotal));
  EXPECT_EQ(point_text(r.best[2].point), "/loader/num_workers=2");
}

TEST(Size, IsTheSameOnAnyNumberOfThreads) {
  const auto document = [](unsigned threads) {
    RunOptions options;
    options.threads = threads;
    SizeRequest request;
    request.targets = {{Figure::kUtilization, 0.3}};
    SizeResult r = sized(kLatencyBound, {"loader.num_workers=1..6", "loader.prefetch_factor=1,2,4"}, request, options);
    r.wall_s = 0.0;
    return size_document(r, 1).dump();
  };
  EXPECT_EQ(document(1), document(3));
}

TEST(Size, StoppedItSaysSo) {
  std::stop_source source;
  source.request_stop();
  RunOptions options;
  options.stop = source.get_token();
  const SizeResult r = sized(kLatencyBound, {"loader.num_workers=1,2"}, exact(), options);
  EXPECT_FALSE(r.complete);
  EXPECT_THAT(render_text(r, "", {}), HasSubstr("Incomplete"));
}

TEST(Size, ImpossibleRequestsAreFindings) {
  const ScenarioFile base = scenario_file(kLatencyBound);
  const Space space = *make_space(base, variables(base, {"loader.num_workers=1,2"}), {}, shipped_catalogue()).value;
  const auto codes = [&](const SizeRequest& request) {
    return code_of(check_request(base, space, shipped_catalogue(), request));
  };
  EXPECT_EQ(codes(exact({{Figure::kUtilization, 0.9}})), "");
  EXPECT_EQ(codes(exact({{Figure::kUtilization, 1.2}})), "impossible_target");
  EXPECT_EQ(codes(exact({{Figure::kTotal, -5.0}})), "impossible_target");
  const ScenarioFile endless = scenario_file(R"({"workload": {"step_time": "10 ms"}})");
  EXPECT_EQ(code_of(check_request(endless, space, shipped_catalogue(), exact({{Figure::kTime, 60.0}}))),
            "length_not_known");
}

// 32 H100 read UNet3D from a bucket, whose bandwidth is far below what they want: the other tiers of that cloud are
// worth a look. With compute that takes a minute a step it does not matter where the data lies.
TEST(UsualVariables, VaryTheTierWhereStorageIsTheLimit) {
  const char* const kJob = R"({"cluster": {"instance": "a3-highgpu-8g", "nodes": 4}, "workload": {"name": "unet3d"},
                              "storage": {"tier": "gcs_standard"}})";
  const auto starts = [](const std::vector<std::string>& texts, const std::string& with) {
    return std::count_if(texts.begin(), texts.end(), [&](const std::string& text) { return text.starts_with(with); });
  };
  const auto bound_by_storage = usual_variables(scenario_file(kJob), shipped_catalogue());
  ASSERT_EQ(starts(bound_by_storage, "storage.tier=gcs_standard,"), 1);
  EXPECT_EQ(starts(bound_by_storage, "storage.capacity=valid:x1.2"), 1);
  for (const std::string& text : bound_by_storage) {
    EXPECT_EQ(text.find("s3"), std::string::npos) << text;  // of another cloud
    EXPECT_EQ(text.find("parallelstore") != std::string::npos,
              text.starts_with("storage.tier") && shipped_catalogue().tiers.at("parallelstore").status != "legacy");
  }
  ScenarioFile slow = scenario_file(kJob);
  slow.scenario.workload.step_time = Distribution::constant(60.0);
  slow.given.insert("/workload/step_time");
  const auto bound_by_compute = usual_variables(slow, shipped_catalogue());
  EXPECT_EQ(starts(bound_by_compute, "storage."), 0);
  EXPECT_EQ(starts(bound_by_compute, "loader.num_workers="), 1);
  // The space that they make can be searched.
  const ScenarioFile base = scenario_file(kJob);
  EXPECT_TRUE(make_space(base, variables(base, bound_by_storage), {}, shipped_catalogue()).ok());
}

// FSx for Lustre is sold without an end, and more of it is faster: how much is a part of the question. Its other
// classes are worth a look where it is the limit; workers are not where a batch is 8 kB and takes seconds to train on.
TEST(UsualVariables, HowMuchIsAskedOfStorageThatIsSoldBySize) {
  const auto names = [](const std::string& job) {
    std::vector<std::string> out;
    const std::vector<std::string> texts = usual_variables(scenario_file(job), shipped_catalogue());
    for (const std::string& text : texts) out.push_back(text.substr(0, text.find('=')));
    const ScenarioFile base = scenario_file(job);
    EXPECT_TRUE(make_space(base, variables(base, texts), {}, shipped_catalogue()).ok());
    return out;
  };
  EXPECT_THAT(names(R"({"cluster": {"instance": "p4d.24xlarge", "nodes": 4}, "workload": {"name": "unet3d"},
                        "storage": {"tier": "fsx_lustre_persistent_2_125", "capacity": "1200 GiB"}})"),
              testing::ElementsAre("loader.num_workers", "loader.prefetch_factor", "storage.tier", "storage.capacity"));
  EXPECT_THAT(names(R"({"cluster": {"instance": "p5.48xlarge", "nodes": 4}, "workload": {"name": "llama3_70b"},
                        "storage": {"tier": "fsx_lustre_persistent_2_125", "capacity": "1200 GiB"}})"),
              testing::ElementsAre("storage.capacity"));
}

// What checkpoints and interruptions do not change is the same job without them.
TEST(Undisturbed, IsTheJobWithoutCheckpointsAndInterruptions) {
  ScenarioFile base = scenario_file(kLatencyBound);
  Scenario& s = base.scenario;
  EXPECT_FALSE(undisturbed_part(s));
  s.checkpoint.mode = CheckpointMode::kSync;
  s.checkpoint.interval_steps = 500;
  s.checkpoint.size = bytes(1e6);
  s.failures.mtti = seconds(600.0);
  const std::optional<Scenario> part = undisturbed_part(s);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->checkpoint.mode, CheckpointMode::kNone);
  EXPECT_LT(simulate(*part).time_to_train_s, simulate(s).time_to_train_s);
  EXPECT_FALSE(undisturbed_part(*part));
}

}  // namespace
}  // namespace stallcast
