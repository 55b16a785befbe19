// Scenarios beside each other: what is given differently, what comes of it, and whether the difference is luck.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/kpi.h"
#include "core/result/estimate.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// Pairs of runs that a difference is taken over: enough for a t of 2.4, few enough to wait for.
inline constexpr std::int64_t kPairs = 8;

struct CompareOptions {
  RunOptions run;
  std::int64_t pairs = kPairs;                                          // at least 2
  std::vector<std::string> names;                                       // of the scenarios; without: "A", "B", ...
  std::function<void(std::int64_t done, std::int64_t wanted)> counted;  // runs; called by one thread at a time
};

// One scenario and how it runs, as simulate() alone would say.
struct Compared {
  std::string label;
  ResolvedScenario resolved;
  Evaluation evaluation;
};

// A field that is not the same in all scenarios. Shapes [scenario].
struct InputDifference {
  std::string pointer;
  std::vector<std::string> values;
  std::vector<Provenance> provenance;
};

// One figure. Shapes [scenario]; the first scenario is the baseline, its own difference is nothing.
struct KpiComparison {
  const Kpi* kpi = nullptr;
  std::vector<std::optional<Estimate>> values;
  std::vector<std::optional<Estimate>> differences;  // to the baseline, paired; nothing where either is unknown
};

// A part of the time or of the money. Shapes [scenario]; nothing where it is not known.
struct PartComparison {
  std::string name;    // of JSON: "storage_latency"
  std::string phrase;  // "storage latency: waiting for the first byte"
  std::vector<std::optional<double>> values;
};

// Which one to take, by the first of total cost, effective price, time and utilization that is known of all.
struct Choice {
  const Kpi* by = nullptr;
  std::size_t best = 0, second = 0;  // of the scenarios
  Estimate ahead;                    // paired difference, best less second
  bool told_apart = false;           // its interval does not hold 0
  std::string sentence;
};

struct Comparison {
  std::uint64_t seed = 0;
  std::int64_t pairs = 0;  // done
  std::int64_t draws = 0;  // of uncertain inputs, done; 0 = none of the scenarios has any
  std::vector<Compared> scenarios;
  std::vector<InputDifference> inputs;
  std::vector<KpiComparison> figures;      // those of kpi_table() that are known of any
  std::vector<PartComparison> time;        // share of GPU time: "computing", then every cause
  std::vector<PartComparison> money;       // dollars by category of the bill, then the total
  std::vector<PartComparison> lost_money;  // dollars of machines that did not compute, by cause
  Choice advice;
  bool complete = true;  // false when stopped before every pair was run
};

// Fields whose resolved values differ, in the order of the field table; names and descriptions are none.
std::vector<InputDifference> input_differences(const std::vector<ResolvedScenario>& scenarios);

// **Model** Values are those of simulate(), each scenario by itself, all with the baseline's seed. Differences are over
//   `pairs` runs of each to the same precision (a quarter of the simulated runs, where there are any), run r of all
//   with the same seed: common random numbers, so that what luck does to both cancels. A difference is that of the two
//   values, its interval that of the pairs (about_difference in paired_difference.h). With run.uncertain in any, 39
//   coarse draws widen it; an input that is uncertain in several has the same factor in all of them in each draw.
// **Range** at least two scenarios, each one training job.
// **Errors** as simulate(). Same scenarios and seed: the same comparison, wall_s apart, whatever the threads.
// **Checked by** tests/core/plan/comparison_test.cpp
Comparison compare(std::vector<ResolvedScenario> scenarios, const CompareOptions& options = {});

}  // namespace stallcast
