#include "core/result/json/timeline_json.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/result/json/run_result_json.h"
#include "tests/core/result/timelines.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

bool same_bits(const SimulatedRun& a, const SimulatedRun& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// Every member of the struct, as the doubles it is made of.
std::array<double, sizeof(SimulatedRun) / sizeof(double)> numbers_of(const SimulatedRun& run) {
  std::array<double, sizeof(SimulatedRun) / sizeof(double)> numbers{};
  std::memcpy(numbers.data(), &run, sizeof run);
  return numbers;
}

SimulatedRun from_numbers(const std::array<double, sizeof(SimulatedRun) / sizeof(double)>& numbers) {
  SimulatedRun run;
  std::memcpy(static_cast<void*>(&run), numbers.data(), sizeof run);
  return run;
}

// Doubles of all magnitudes: any 64 bits that are a finite number.
TEST(TimelineJson, EveryNumberReadsBackToTheBit) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    auto numbers = numbers_of({});
    for (double& number : numbers) {
      do {
        const std::uint64_t bits = random();
        std::memcpy(&number, &bits, sizeof number);
      } while (!std::isfinite(number));
    }
    const SimulatedRun run = from_numbers(numbers);
    const auto back = simulated_run_from_json(ordered_json::parse(simulated_run_to_json(run).dump()));
    ASSERT_TRUE(back);
    ASSERT_TRUE(same_bits(run, *back)) << simulated_run_to_json(run);
  }
}

TEST(TimelineJson, ARunThatGetsNowhereReadsBackToo) {
  SimulatedRun run = runs::run();
  run.wall_s = std::numeric_limits<double>::infinity();
  const auto back = simulated_run_from_json(ordered_json::parse(simulated_run_to_json(run).dump()));
  ASSERT_TRUE(back);
  EXPECT_TRUE(same_bits(run, *back));
}

TEST(TimelineJson, ARunWithAKeyTooFewTooManyOrNoNumberIsNone) {
  const ordered_json whole = simulated_run_to_json(runs::run());
  ASSERT_TRUE(simulated_run_from_json(whole));
  const ordered_json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    ordered_json wrong = whole;
    wrong[ordered_json::json_pointer(pointer)] = "12";
    EXPECT_FALSE(simulated_run_from_json(wrong)) << pointer;
    wrong[ordered_json::json_pointer(pointer)] = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(simulated_run_from_json(wrong)) << pointer;
    wrong[ordered_json::json_pointer(pointer)] = nullptr;
    EXPECT_EQ(simulated_run_from_json(wrong).has_value(), pointer == "/wall_s") << pointer;
  }
  for (const auto& [key, value] : whole.items()) {
    ordered_json wrong = whole;
    wrong.erase(key);
    EXPECT_FALSE(simulated_run_from_json(wrong)) << key;
  }
  ordered_json wrong = whole;
  wrong["more"] = 1;
  EXPECT_FALSE(simulated_run_from_json(wrong));
  EXPECT_FALSE(simulated_run_from_json(ordered_json::array()));
}

TEST(TimelineJson, ThePartsSumToTheWallTime) {
  const ordered_json json = timeline_to_json(runs::result());
  double seconds = 0.0, fraction = 0.0;
  for (const auto& [name, part] : json["wall_time"].items()) {
    seconds += part["seconds"].get<double>();
    fraction += part["fraction"].get<double>();
    EXPECT_FALSE(part["goodput_bucket"].get<std::string>().empty()) << name;
  }
  EXPECT_DOUBLE_EQ(seconds, json["wall_s"]["mean"].get<double>());
  EXPECT_NEAR(fraction, 1.0, 1e-12);
  EXPECT_EQ(json["wall_time"].size(), kWallTimes);
  EXPECT_EQ(json["interruptions"].size(), kInterruptions);
}

TEST(TimelineJson, SaysWhatWasDrawn) {
  TimelineResult timeline = runs::result();
  timeline.optimum = {80.0, 9990.0, 80.0, 9990.0, {{80.0, 9990.0}, {160.0, 10100.0}}};
  const ordered_json json = timeline_to_json(timeline);
  EXPECT_EQ(json["replications"], 40);
  EXPECT_EQ(json["wall_s"]["p90"], 10300.0);
  EXPECT_EQ(json["ettr"]["mean"], 0.92);
  EXPECT_EQ(json["goodput_fraction"]["ci95_low"], 0.458);
  EXPECT_EQ(json["interruptions"]["failure"]["sd"], 3.2);
  EXPECT_EQ(json["mean"]["steps_lost"], 300.0);
  EXPECT_EQ(json["checkpoint"]["size_bytes"], 1e12);
  EXPECT_EQ(json["optimum"]["points"][1]["wall_s"], 10100.0);
  EXPECT_EQ(json["requirements"]["target_ettr"], 0.9);
}

TEST(TimelineJson, WhatThereIsNoneOfIsNull) {
  EXPECT_TRUE(run_result_to_json(RunResult{}).at("run_timeline").is_null());
  TimelineResult timeline = runs::result();
  timeline.checkpoint = {};
  timeline.mtti_s = 0.0;
  const ordered_json json = timeline_to_json(timeline);
  EXPECT_TRUE(json["checkpoint"].is_null());
  EXPECT_TRUE(json["optimum"].is_null());
  EXPECT_TRUE(json["mtti_s"].is_null());
}

TEST(TimelineJson, HasItsNameOfFormatVersion1Too) {
  RunResult result;
  result.timeline = runs::result();
  const ordered_json json = run_result_to_json(result);
  EXPECT_EQ(json["calendar"], json["run_timeline"]);
  EXPECT_EQ(json["run_timeline"]["replications"], 40);
}

TEST(TimelineJson, TotalsNameEveryMember) {
  EXPECT_EQ(totals_to_json(RunTotals{}).size(), sizeof(RunTotals) / sizeof(double));
}

}  // namespace
}  // namespace stallcast
