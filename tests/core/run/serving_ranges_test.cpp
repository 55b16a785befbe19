// Loads of a model whose storage nobody measured: ranges by closed form, and what they must never do.
#include "core/run/serving_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/report/words/assumed_of_load.h"
#include "core/run/simulate_serving.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;

// Ten machines read 10 GB each from 10 GB/s, which alone limits them: 10 s.
ResolvedScenario ten_machines() {
  ResolvedScenario r;
  Scenario& s = r.scenario;
  s.job = JobKind::kServing;
  s.cluster.nodes = 10;
  s.serving.weights = bytes(10e9);
  s.serving.streams = 4;
  s.serving.request_size = bytes(1e6);
  s.serving.load_bandwidth = bytes_per_second(1e12);
  s.storage.read_bandwidth = bytes_per_second(10e9);
  return r;
}

// Nobody gave `pointer`: the truth is between `low` and `high` times what was taken.
void assume(ResolvedScenario& r, const char* pointer, double low, double high) {
  r.provenance[pointer] = {Origin::kCatalogue, "tier/x", "a data sheet", "vendor", "", low, high};
}

ServingRanges ranges_of(const ResolvedScenario& r) {
  return serving_ranges(r, simulate_serving(r.scenario, RunOptions()), RunOptions());
}

const FigureRange& last_of(const ServingRanges& ranges) {
  return *std::find_if(ranges.figures.begin(), ranges.figures.end(),
                       [](const FigureRange& f) { return f.name == "time_to_ready_s.last"; });
}

TEST(ServingRanges, NothingIsDrawnWhereAllWasGiven) {
  const ServingRanges ranges = ranges_of(ten_machines());
  EXPECT_FALSE(ranges.drawn);
  EXPECT_TRUE(ranges.inputs.empty());
  EXPECT_TRUE(ranges.figures.empty());
}

// Half the bandwidth takes twice the time, twice the bandwidth half of it: 20 and 5 s, 1.5 times 10 s apart.
TEST(ServingRanges, AnInputThatAloneLimitsMovesTheTimeInInverseProportion) {
  ResolvedScenario r = ten_machines();
  assume(r, "/storage/read_bandwidth", 0.5, 2.0);
  const ServingRanges ranges = ranges_of(r);
  ASSERT_TRUE(ranges.drawn);
  ASSERT_EQ(ranges.inputs.size(), 1U);
  ASSERT_TRUE(ranges.inputs[0].ends);
  const double base = ranges.as_given.last_ready_s;
  EXPECT_NEAR(base, 10.0, 0.2);
  EXPECT_NEAR(ranges.inputs[0].ends->first.last_ready_s / base, 2.0, 0.02);
  EXPECT_NEAR(ranges.inputs[0].ends->second.last_ready_s / base, 0.5, 0.02);
  EXPECT_NEAR(ranges.inputs[0].time_effect, 1.5, 0.03);
  // 19 draws of an interval that holds 90 %: the ends are near those of the interval, the model's error comes to them.
  const Estimate last = last_of(ranges).range;
  EXPECT_LT(last.ci95_low, 0.65 * last.mean);
  EXPECT_GT(last.ci95_high, 1.6 * last.mean);
}

TEST(ServingRanges, AWiderInputNeverNarrowsTheRange) {
  double low = 1e9, high = 0.0;
  for (const double factor : {1.2, 1.5, 3.0}) {
    ResolvedScenario r = ten_machines();
    assume(r, "/storage/read_bandwidth", 1.0 / factor, factor);
    const Estimate last = last_of(ranges_of(r)).range;
    EXPECT_LE(last.ci95_low, low);
    EXPECT_GE(last.ci95_high, high);
    EXPECT_LE(last.ci95_low, last.mean);
    EXPECT_GE(last.ci95_high, last.mean);
    low = last.ci95_low;
    high = last.ci95_high;
  }
}

// What does not limit comes after what does, and is worth nothing.
TEST(ServingRanges, WhatDecidesComesFirst) {
  ResolvedScenario r = ten_machines();
  assume(r, "/serving/load_bandwidth", 0.5, 2.0);
  assume(r, "/storage/read_bandwidth", 0.8, 1.2);
  const ServingRanges ranges = ranges_of(r);
  ASSERT_EQ(ranges.inputs.size(), 2U);
  EXPECT_EQ(ranges.inputs[0].assumed.range.pointer, "/storage/read_bandwidth");
  EXPECT_LT(ranges.inputs[1].time_effect, 0.01);
  EXPECT_GT(ranges.inputs[0].time_effect, 0.3);
}

TEST(ServingRanges, TheSameSeedGivesTheSameRange) {
  ResolvedScenario r = ten_machines();
  assume(r, "/storage/read_bandwidth", 0.5, 2.0);
  const Estimate one = last_of(ranges_of(r)).range, other = last_of(ranges_of(r)).range;
  EXPECT_EQ(one.ci95_low, other.ci95_low);
  EXPECT_EQ(one.ci95_high, other.ci95_high);
}

TEST(ServingRanges, TextAndJsonSayThem) {
  ResolvedScenario r = ten_machines();
  assume(r, "/storage/read_bandwidth", 0.5, 2.0);
  const ServingResult load = simulate_serving(r.scenario, RunOptions());
  const ServingRanges ranges = serving_ranges(r, load, RunOptions());
  const AssumedOfLoad all{r, load, ranges};
  EXPECT_THAT(range_line(all), HasSubstr("allowing for assumed inputs"));
  EXPECT_THAT(assumed_inputs_block(all), HasSubstr("storage.read_bandwidth 10 GB/s, may be 5 GB/s to 20 GB/s: 1"));
  const auto json = assumed_inputs_to_json(all);
  EXPECT_EQ(json["ranges"]["time_to_ready_s"]["last"]["low"], last_of(ranges).range.ci95_low);
  EXPECT_EQ(json["assumptions"][0]["path"], "storage.read_bandwidth");
  EXPECT_NEAR(json["assumptions"][0]["effect_s"].get<double>(), 15.0, 0.5);
  const auto undrawn = assumed_inputs_to_json(AssumedOfLoad{r, load, assumed_of_load(r)});
  EXPECT_TRUE(undrawn["ranges"]["time_to_ready_s"]["last"].is_null());
  EXPECT_TRUE(undrawn["assumptions"][0]["effect_s"].is_null());
}

}  // namespace
}  // namespace stallcast
