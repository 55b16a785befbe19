#include "core/plan/sensitivity/break_even.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/plan/base_file.h"
#include "tests/core/plan/inline_job.h"

namespace stallcast {
namespace {

const BreakEvenRow& row_of(const BreakEvenTable& table, const std::string& pointer,
                           std::optional<std::size_t> owner = std::nullopt) {
  for (const BreakEvenRow& row : table.rows)
    if (row.input.pointer == pointer && row.input.owner == owner) return row;
  ADD_FAILURE() << "no row of " << pointer;
  return table.rows.front();
}

// 90 / (90 + latency) is 0.9 at a latency of 10 ms: twice the 5 ms given. Steps of 90 ms must get as short as 45 ms.
TEST(BreakEven, OfOneScenarioIsWhereItsConditionBecomesTrue) {
  BreakEvenOptions options;
  options.condition = parse_assertion("gpu_utilization<0.9").value;
  const BreakEvenTable table = break_even({inline_job()}, options);
  EXPECT_EQ(table.advice, 0);
  EXPECT_NEAR(table.values.front(), 90.0 / 95.0, 1e-3);
  const BreakEvenRow& latency = row_of(table, "/storage/latency");
  ASSERT_TRUE(latency.above);
  EXPECT_NEAR(latency.above->factor, 2.0, 0.04);
  EXPECT_NEAR(latency.above->value, 0.010, 0.0002);
  EXPECT_EQ(latency.above->advice, 1);
  EXPECT_FALSE(latency.below);
  const BreakEvenRow& step = row_of(table, "/workload/step_time");
  ASSERT_TRUE(step.below);
  EXPECT_NEAR(step.below->value, 0.045, 0.001);
  EXPECT_FALSE(step.above);
  // What a machine costs does nothing to its utilization, and needs no run to know it.
  EXPECT_FALSE(row_of(table, "/cost/node_price").above);
  EXPECT_EQ(&table.rows.front(), &latency);  // the nearest change first: 2 is as near as 1 / 2, and listed before
}

std::optional<double> slowdown_of(const ResolvedScenario& job) {
  return slowdown_that_matters(job.scenario, PairedTrials(job.scenario, simulate(job.scenario), {}));
}

// A point less than 90 / 95 is 0.9374: 6.01 ms, 1.202 times as slow.
TEST(BreakEven, WithoutAConditionIsALossOfAPoint) {
  const double utilization = 90.0 / 95.0 - 0.01, latency_ms = 90.0 / utilization - 90.0;
  const BreakEvenTable table = break_even({inline_job()});
  ASSERT_TRUE(row_of(table, "/storage/latency").above);
  EXPECT_NEAR(row_of(table, "/storage/latency").above->factor, latency_ms / 5.0, 0.02);
  const auto slower = slowdown_of(inline_job());
  ASSERT_TRUE(slower);
  EXPECT_NEAR(*slower, latency_ms / 5.0, 0.02);
}

// Reads of no time at all may be as slow as they like.
TEST(BreakEven, StorageThatTakesNoTimeNeverMatters) { EXPECT_FALSE(slowdown_of(inline_job(0.0))); }

// Both train for hours in proportion to 90 ms + latency. A at $10/h and 5 ms: 950; B at $11/h and no latency: 990. A is
// better until its own price is 10 * 990 / 950 = $10.42/h, or B's falls to 11 * 950 / 990 = $10.56/h.
TEST(BreakEven, OfTwoScenariosIsWhereTheCheaperOneChanges) {
  const BreakEvenTable table = break_even({inline_job(0.005, 10.0), inline_job(1e-9, 11.0)});
  EXPECT_EQ(table.by->name, "cost.total_usd");
  EXPECT_EQ(table.advice, 0);
  const BreakEvenRow &of_a = row_of(table, "/cost/node_price", 0), &of_b = row_of(table, "/cost/node_price", 1);
  ASSERT_TRUE(of_a.above);
  EXPECT_NEAR(of_a.above->value, 10.0 * 990.0 / 950.0, 0.11);
  EXPECT_EQ(of_a.above->advice, 1);
  EXPECT_FALSE(of_a.below);
  ASSERT_TRUE(of_b.below);
  EXPECT_NEAR(of_b.below->value, 11.0 * 950.0 / 990.0, 0.11);
  EXPECT_FALSE(of_b.above);
}

// A pays for a tier, B waits for a slow one that is free: costs p T_A + S and p T_B, equal at a price of machines of
// p = S / (T_B - T_A). Times and S are those of single evaluations.
TEST(BreakEven, OfASharedPriceMovesBoth) {
  const char* const job = R"({"cluster": {"nodes": 1, "gpus_per_node": 1, "cores_per_node": 4},
      "workload": {"step_time": "90 ms"}, "dataset": {"sample_size": "1 MB", "samples": 1000000},
      "loader": {"num_workers": 0}, "cost": {"node_price": "$1/h"},
      "storage": {"tier": "parallelstore", "capacity": "12 TiB"}})";
  const ResolvedScenario a = *resolve_at(scenario_file(job), {}, shipped_catalogue()).value;
  ResolvedScenario b = a;
  b.scenario.storage = {};
  b.scenario.storage.latency = Distribution::constant(0.03);
  b.records.storage.reset();
  b.scenario.cost.storage_discount = 1.0;
  const Evaluation of_a = evaluate(with_inputs_as_given(a), RunOptions());
  const Evaluation of_b = evaluate(with_inputs_as_given(b), RunOptions());
  const double hours = (of_b.result.time_to_train_s - of_a.result.time_to_train_s) / 3600.0;
  const double storage = of_a.cost.category_total(CostCategory::kStorage)->to_double();
  const double price = storage / hours;
  ASSERT_GT(price, 1.1);
  BreakEvenOptions options;
  options.furthest = 100.0;
  const BreakEvenTable table = break_even({a, b}, options);
  EXPECT_EQ(table.advice, 1);
  const BreakEvenRow& machines = row_of(table, "/cost/node_price");
  ASSERT_TRUE(machines.above);
  EXPECT_NEAR(machines.above->value, price, 0.03 * price);
  EXPECT_EQ(machines.above->advice, 0);
  // The same ratio the other way round: the storage must be as much cheaper.
  const BreakEvenRow& prices = row_of(table, std::string(kStoragePrices), 0);
  ASSERT_TRUE(prices.below);
  EXPECT_NEAR(1.0 / prices.below->factor, price, 0.03 * price);
}

TEST(BreakEven, IsTheSameWhateverTheThreads) {
  BreakEvenOptions one, three;
  one.run.threads = 1;
  three.run.threads = 3;
  const std::vector<ResolvedScenario> scenarios = {inline_job(0.005, 10.0), inline_job(0.02, 9.0)};
  const BreakEvenTable a = break_even(scenarios, one), b = break_even(scenarios, three);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  EXPECT_EQ(a.runs, b.runs);
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    EXPECT_EQ(a.rows[i].input.pointer, b.rows[i].input.pointer);
    EXPECT_EQ(a.rows[i].above.has_value(), b.rows[i].above.has_value());
    EXPECT_EQ(a.rows[i].above.value_or(BreakEvenSide()).factor, b.rows[i].above.value_or(BreakEvenSide()).factor);
  }
}

TEST(BreakEven, AStopLeavesNoMadeUpChange) {
  std::stop_source source;
  source.request_stop();
  BreakEvenOptions options;
  options.run.stop = source.get_token();
  const BreakEvenTable table = break_even({inline_job()}, options);
  EXPECT_FALSE(table.complete);
  for (const BreakEvenRow& row : table.rows) EXPECT_FALSE(row.above || row.below) << row.input.pointer;
}

// --- the inputs -----------------------------------------------------------------------------------------------------

std::vector<std::string> names_of(const std::vector<SharedInput>& inputs) {
  std::vector<std::string> out;
  for (const SharedInput& input : inputs)
    out.push_back(input.pointer + (input.owner ? " of " + std::to_string(*input.owner) : ""));
  return out;
}

TEST(MainInputs, AreSharedWhereTheyAreEqualAndOwnedWhereNot) {
  const ResolvedScenario a = inline_job(0.005, 10.0), b = inline_job(0.005, 11.0);
  EXPECT_THAT(names_of(main_inputs({a, b})),
              ::testing::ElementsAre("/cost/node_price of 0", "/cost/node_price of 1", "/storage/latency",
                                     "/dataset/sample_size", "/workload/step_time", "/cluster/nodes",
                                     "/cluster/cores_per_node"));
}

// Two tiers may have the same latency by chance; turning one says nothing of the other.
TEST(MainInputs, OfDifferentTiersAreTheirOwn) {
  ResolvedScenario a = inline_job(), b = inline_job();
  b.scenario.storage.tier = "another";
  EXPECT_THAT(names_of(main_inputs({a, b})),
              ::testing::IsSupersetOf({"/storage/latency of 0", "/storage/latency of 1"}));
}

TEST(MainInputs, TakeMoreWithoutRepeating) {
  const std::vector<std::string> names =
      names_of(main_inputs({inline_job()}, {"/storage/latency", "/workload/batch_size", "/storage/tier"}));
  EXPECT_EQ(std::count(names.begin(), names.end(), "/storage/latency"), 1);
  EXPECT_EQ(names.back(), "/workload/batch_size");
}

TEST(WithFactor, ScalesPricesExactly) {
  ResolvedScenario job = inline_job();
  job.records.storage.emplace();
  job.records.storage->prices["capacity"] = {"0.0001917808", "GiB-hour", {}};
  EXPECT_EQ(with_factor(job, kStoragePrices, 0.5).records.storage->prices["capacity"].amount, "0.0000958904");
  EXPECT_DOUBLE_EQ(with_factor(job, "/cost/node_price", 1.5).scenario.cost.node_price.base(), 15.0);
}

TEST(InputValueText, HasTheUnitOfTheField) {
  EXPECT_EQ(input_value_text("/storage/read_bandwidth", 1.2345e9), "1.23 GB/s");
  EXPECT_EQ(input_value_text("/cost/node_price", 88.4912), "$88.5/h");
  EXPECT_EQ(input_value_text("/loader/num_workers", 12.0), "12");
  EXPECT_EQ(input_value_text(kStoragePrices, 0.451), "0.451 x list");
  EXPECT_EQ(input_unit("/storage/read_bandwidth"), "bytes_per_s");
}

}  // namespace
}  // namespace stallcast
