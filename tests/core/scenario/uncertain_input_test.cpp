#include "core/scenario/fields/uncertain_input.h"

#include <gtest/gtest.h>

#include "core/diagnostics/invariant.h"
#include "core/scenario/check/check.h"
#include "core/scenario/fields/field_table.h"

namespace stallcast {
namespace {

TEST(UncertainInput, IsReadAndWrittenTheSame) {
  const auto read = parse_uncertain_inputs(
      {"storage.read_bandwidth 0.94..1.06", "/workload/step_time   1..1.25", "dataset.samples 1e-3..1"}, "a.json");
  ASSERT_TRUE(read.ok());
  const std::vector<UncertainInput> expected = {
      {"/storage/read_bandwidth", 0.94, 1.06}, {"/workload/step_time", 1.0, 1.25}, {"/dataset/samples", 0.001, 1.0}};
  EXPECT_EQ(*read.value, expected);
  EXPECT_EQ(uncertain_input_text(expected[0]), "storage.read_bandwidth 0.94..1.06");
  for (const UncertainInput& input : expected)
    EXPECT_EQ(parse_uncertain_inputs({uncertain_input_text(input)}, "").value, std::vector{input});
  EXPECT_TRUE(parse_uncertain_inputs({}, "").value->empty());
}

TEST(ScaledInput, AQuantityStaysInItsRange) {
  Scenario s;
  s.storage.read_bandwidth = bytes_per_second(2e9);
  EXPECT_DOUBLE_EQ(scaled(s, "/storage/read_bandwidth", 0.94).storage.read_bandwidth.base(), 1.88e9);
  s.storage.read_bandwidth = bytes_per_second(0.9e16);  // of 1e16 at most
  EXPECT_EQ(scaled(s, "/storage/read_bandwidth", 2.0).storage.read_bandwidth.base(), 1e16);
  s.storage.read_bandwidth = bytes_per_second(0.0);  // unlimited
  EXPECT_EQ(scaled(s, "/storage/read_bandwidth", 2.0).storage.read_bandwidth.base(), 0.0);
}

TEST(ScaledInput, AFractionIsAtMostOne) {
  Scenario s;
  s.workload.mfu = 0.6;
  EXPECT_DOUBLE_EQ(scaled(s, "/workload/mfu", 1.5).workload.mfu, 0.9);
  EXPECT_EQ(scaled(s, "/workload/mfu", 2.0).workload.mfu, 1.0);
  s.dataset.decode_size_correlation = -0.8;  // -1 to 1
  EXPECT_EQ(scaled(s, "/dataset/decode_size_correlation", 2.0).dataset.decode_size_correlation, -1.0);
}

// A count of 0 says "not given" or "none"; a factor makes no other setting of one that is given.
TEST(ScaledInput, ACountIsRoundedAndNeitherBecomes0NorLeavesIt) {
  Scenario s;
  s.loader.num_workers = 5;
  EXPECT_EQ(scaled(s, "/loader/num_workers", 1.3).loader.num_workers, 7);  // 6.5
  EXPECT_EQ(scaled(s, "/loader/num_workers", 0.01).loader.num_workers, 1);
  s.loader.num_workers = 0;
  EXPECT_EQ(scaled(s, "/loader/num_workers", 100.0).loader.num_workers, 0);
}

// Everything that has the unit, and nothing else: shape, sigma and probability are without one.
TEST(ScaledInput, ADistributionKeepsItsShape) {
  Distribution d;
  d.mean = 1.0, d.sd = 2.0, d.sigma = 3.0, d.shape = 4.0, d.low = 5.0, d.high = 6.0, d.fast = 7.0, d.slow = 8.0;
  d.slow_probability = 0.9;
  d.quantiles = {1.0, 10.0};
  Scenario s;
  s.storage.latency = d;
  const Distribution twice = scaled(s, "/storage/latency", 2.0).storage.latency;
  d.mean = 2.0, d.sd = 4.0, d.low = 10.0, d.high = 12.0, d.fast = 14.0, d.slow = 16.0;
  d.quantiles = {2.0, 20.0};
  EXPECT_EQ(twice, d);
}

// For every kind, the mean of what is drawn is scaled, and the deviation with it.
TEST(ScaledInput, MeanAndDeviationOfEveryKindScale) {
  for (int k = 0; k <= static_cast<int>(DistributionKind::kEmpirical); ++k) {
    Distribution d;
    d.kind = static_cast<DistributionKind>(k);
    d.mean = 0.01, d.sd = 0.02, d.sigma = 0.5, d.shape = 2.0, d.low = 0.01, d.high = 0.03, d.fast = 0.01, d.slow = 0.1;
    d.slow_probability = 0.2;
    d.quantiles = {0.01, 0.02, 0.05};
    Scenario s;
    s.storage.latency = d;
    const Distribution out = scaled(s, "/storage/latency", 1.7).storage.latency;
    EXPECT_NEAR(mean_of(out), 1.7 * mean_of(d), 1e-12) << k;
    EXPECT_NEAR(standard_deviation_of(out), 1.7 * standard_deviation_of(d), 1e-12) << k;
  }
}

TEST(ScaledInput, ACurveIsScaledInItsTimes) {
  Scenario s;
  s.loader.next_ready = {{seconds(0.001), seconds(0.002)}, {seconds(0.1), seconds(0.004)}};
  const std::vector<CurvePoint> expected = {{seconds(0.001), seconds(0.001)}, {seconds(0.1), seconds(0.002)}};
  EXPECT_EQ(scaled(s, "/loader/next_ready", 0.5).loader.next_ready, expected);
}

TEST(ScaledInput, ALinearCostIsScaledInBothMembers) {
  Scenario s;
  s.loader.start_call = {seconds(-0.002), seconds(0.01)};
  const LinearCost expected = {seconds(-0.004), seconds(0.02)};
  EXPECT_EQ(scaled(s, "/loader/start_call", 2.0).loader.start_call, expected);
}

TEST(ScaledInput, NothingElseChanges) {
  const Scenario s;
  Scenario out = scaled(s, "/workload/barrier_time", 3.0);
  for (const Field& field : field_table()) EXPECT_EQ(field.get(out), field.get(s)) << field.pointer;
}

TEST(ScaledInput, RefusesWhatIsNoInput) {
  EXPECT_THROW((void)scaled({}, "/loader/style", 2.0), InvariantError);
  EXPECT_THROW((void)scaled({}, "/loader/in_order", 2.0), InvariantError);
  EXPECT_THROW((void)scaled({}, "/run/seed", 2.0), InvariantError);
  EXPECT_THROW((void)scaled({}, "/nothing", 2.0), InvariantError);
}

std::string warnings_of(const Scenario& s) {
  std::string out;
  const Findings findings = check_scenario(s, {"/run/uncertain"}, "a.json");
  for (const Finding& finding : findings.list())
    if (finding.pointer.starts_with("/run/uncertain")) out += render_finding(finding) + "\n";
  return out;
}

Scenario small_job() {
  Scenario s;
  s.cluster.cores_per_node = 8;
  s.workload.step_time = Distribution::constant(0.1);
  s.dataset.sample_size = Distribution::constant(1e5);
  return s;
}

TEST(CheckUncertain, SaysWhatHasNothingToScale) {
  Scenario s = small_job();
  s.run.uncertain = {"storage.read_bandwidth 0.9..1.1", "workload.step_time 0.9..1.1", "loader.next_ready 0.5..2"};
  EXPECT_EQ(warnings_of(s),
            "a.json: warning[no_effect] at /run/uncertain/0:\n"
            "  got \"storage.read_bandwidth 0.9..1.1\"; give /storage/read_bandwidth a value, or remove it "
            "(its value is \"0 B/s\": there is nothing to scale)\n"
            "a.json: warning[no_effect] at /run/uncertain/2:\n"
            "  got \"loader.next_ready 0.5..2\"; give /loader/next_ready a value, or remove it "
            "(its value is []: there is nothing to scale)\n");
}

TEST(CheckUncertain, AServingJobHasThemToo) {
  Scenario s;
  s.job = JobKind::kServing;
  s.serving.weights = bytes(1e9);
  s.storage.read_bandwidth = bytes_per_second(1e9);
  s.run.uncertain = {"storage.read_bandwidth 0.9..1.1"};
  EXPECT_EQ(warnings_of(s), "");
}

}  // namespace
}  // namespace stallcast
