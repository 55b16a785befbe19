#include "core/diagnose/outcome.h"

#include <gtest/gtest.h>

#include "core/run/simulate.h"
#include "tests/core/rendered.h"

namespace stallcast {
namespace {

// One rank: batches of 10 samples of 1 MB at 100 MB/s are 100 ms of reading for 50 ms of computing, and wait for 50 ms.
Scenario half_starved() {
  Scenario s;
  s.cluster.cores_per_node = 16;
  s.workload.batch_size = 10;
  s.workload.step_time = Distribution::constant(0.05);
  s.dataset.samples = 20'000;
  s.dataset.sample_size = Distribution::constant(1e6);
  s.storage.read_bandwidth = bytes_per_second(100e6);
  s.loader.num_workers = 4;
  s.loader.persistent_workers = true;
  s.run.epochs = 2;
  return s;
}

TEST(Outcome, IsWhatSomebodyWouldSee) {
  const Scenario s = half_starved();
  const RunResult r = simulate(s);
  const auto seen = [&](const char* name) { return predicted_outcome(name, r, s).value_or(-1.0); };
  EXPECT_NEAR(seen("it_per_s"), 10.0, 0.05);
  EXPECT_NEAR(seen("step_time"), 0.1, 0.0005);
  EXPECT_NEAR(seen("data_time"), 0.05, 0.0005);
  EXPECT_NEAR(seen("samples_per_s"), 100.0, 0.5);
  EXPECT_NEAR(seen("epoch_time"), 200.0, 1.0);
  EXPECT_NEAR(seen("read_rate"), 100e6, 0.5e6);
  EXPECT_NEAR(seen("gpu_busy"), 0.5, 0.005);
  EXPECT_FALSE(predicted_outcome("loss", r, s).has_value());
}

TEST(Outcome, EveryKindIsPredictedOfARunWithALength) {
  const Scenario s = half_starved();
  const RunResult r = simulate(s);
  for (const OutcomeKind& kind : outcome_kinds())
    EXPECT_TRUE(predicted_outcome(kind.name, r, s).has_value()) << kind.name;
}

TEST(Outcome, IsReadWithItsUnitAndSettings) {
  const auto plain = parse_seen("it_per_s=2.5");
  ASSERT_TRUE(plain.ok()) << rendered(plain.findings);
  EXPECT_EQ(plain.value->outcome.quantity, "it_per_s");
  EXPECT_DOUBLE_EQ(plain.value->outcome.value, 2.5);
  EXPECT_DOUBLE_EQ(parse_seen("data_time=217 ms").value->outcome.value, 0.217);
  EXPECT_DOUBLE_EQ(parse_seen("data_time=0 ms").value->outcome.value, 0.0);  // as a logger shows it
  EXPECT_DOUBLE_EQ(parse_seen("gpu_busy=40 %").value->outcome.value, 0.4);
  EXPECT_DOUBLE_EQ(parse_seen("gpu_busy=0.4").value->outcome.value, 0.4);
  const auto other = parse_seen("it_per_s=4@loader.num_workers=4,loader.prefetch_factor=3");
  ASSERT_TRUE(other.ok()) << rendered(other.findings);
  EXPECT_EQ(other.value->settings, (std::vector<std::string>{"loader.num_workers=4", "loader.prefetch_factor=3"}));
}

TEST(Outcome, WhatIsWrongIsSaidWithTheNearestName) {
  const auto code_of = [](const char* text) {
    const auto read = parse_seen(text);
    return read.findings.empty() ? std::string() : read.findings.list().front().code;
  };
  EXPECT_EQ(code_of("its_per_s=3"), "unknown_outcome");
  EXPECT_NE(rendered(parse_seen("its_per_s=3").findings).find("did you mean \"it_per_s\""), std::string::npos);
  EXPECT_EQ(code_of("it_per_s"), "bad_observation");
  EXPECT_EQ(code_of("data_time=217"), "missing_unit");
  EXPECT_EQ(code_of("gpu_busy=140 %"), "out_of_range");
  EXPECT_EQ(code_of("it_per_s=0"), "out_of_range");
  EXPECT_EQ(code_of("it_per_s=-3"), "out_of_range");
  EXPECT_EQ(code_of("data_time=-1 ms"), "out_of_range");
}

}  // namespace
}  // namespace stallcast
