// Everything that a recommendation rests on, computed once: what a report prints and a meeting argues about.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/plan/emit/claims.h"
#include "core/plan/emit/emitted_file.h"
#include "core/plan/evaluate/accuracy.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/kpi.h"
#include "core/plan/explain/curve.h"
#include "core/plan/search/option_draws.h"
#include "core/plan/search/size.h"
#include "core/plan/sensitivity/break_even.h"
#include "core/plan/sensitivity/sensitivity.h"
#include "core/result/trace.h"
#include "core/run/input_ranges.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

struct ReviewRequest {
  std::vector<ScenarioFile> files;  // at least one
  std::vector<Variable> variables;  // of a single one: what may be chosen; empty: its plan.vary
  SizeRequest sizing;               // targets; those of the plan are added
  RunOptions run;
  Accuracy accuracy;
  std::string command;  // that made the report
  // Called as work goes on, by one thread at a time.
  std::function<void(const char* what, std::int64_t done, std::int64_t wanted)> counted;
};

// What becomes of the data when the storage loses it.
struct DataLoss {
  bool is_stated = false;             // by the catalogue or the scenario
  std::optional<double> durability;   // probability that an object survives a year
  double mean_time_s = 0.0;           // to a loss, at this size; 0 = none is expected, or not stated
  std::optional<double> probability;  // of a loss within the run; nothing without a length
  std::optional<double> usd;          // expected, of reloading and waiting for it
};

struct ReviewOption {
  std::string label;   // "A", "B", ...
  std::string name;    // "100 TiB of Google Cloud Parallelstore; 8 workers per GPU"
  std::string brief;   // "Google Cloud Managed Lustre": what charts call it
  std::string origin;  // "best of its tier", "as the scenario has it", ...
  ScenarioFile file;   // with the settings in it
  Point point;         // that it differs by from the scenario given
  ResolvedScenario resolved;
  Evaluation evaluation;
  std::optional<Target> missed;  // the first target that it does not keep
  std::string main_risk;         // a clause
  std::string verdict;           // why it was rejected; "" of the one chosen
  DataLoss loss;
};

// A field of the chosen option: what it is taken to be, why, and what it does to the result.
struct Assumption {
  std::string pointer, value;  // as --set has it
  Provenance from;
  std::optional<std::size_t> bar;  // of the tornado
};

struct NextMeasurement {
  std::string pointer;
  std::size_t bar = 0;
  std::string how;  // a sentence
};

// A part of the chosen option's run.
struct RunPart {
  Trace trace;  // one rank with its workers
  double from_s = 0.0, to_s = 0.0;
};

struct ReproductionFacts {
  std::string program_version, scenario_hash, command;
  CatalogueIdentity catalogue;
  std::uint64_t seed = 0;
};

struct Review {
  std::string title, question;
  std::vector<ReviewOption> options;  // that recommended first
  std::vector<Target> targets;
  double confidence = 0.95;
  const Kpi* by = nullptr;  // what decides between those that keep the targets
  OptionDraws draws;        // of the options: what nobody gave, drawn from its ranges; empty when all was given
  Figure drawn_by = Figure::kTotal;  // what an option is the best by in the draws
  InputRanges ranges;                // of the option recommended: which of these inputs decide
  CostBreakdown ranges_cost;         // of ranges.widened
  std::optional<SizeResult> sizing;
  double search_precision = 0.0;           // of the runs that sizing rests on
  std::vector<std::string> tiers_without;  // tiers of the question that have no configuration to show, and why
  std::vector<Curve> curves;
  double curve_precision = 0.0;
  Sensitivity tornado;
  std::vector<const Kpi*> figures;             // of the tornado: utilization, then what decides where it is known
  std::vector<std::string> assumed_intervals;  // pointers of tornado inputs whose interval nobody states
  double assumed_share = 0.0;                  // that they were turned by
  BreakEvenTable break_even;
  std::vector<std::size_t> break_even_options;  // it is between these
  RunPart part;
  std::vector<Assumption> assumptions;  // what matters most first
  std::vector<std::string> unknowns;
  std::vector<std::string> would_change;  // the advice, one sentence each
  std::optional<NextMeasurement> next_measurement;
  std::vector<Claim> claims;
  std::vector<EmittedFile> files;
  std::vector<std::string> risks;  // to tick off
  Accuracy accuracy;
  std::int64_t measured_inputs = 0, vendor_inputs = 0, assumed_inputs = 0;  // of the chosen option's catalogue values
  ReproductionFacts reproduction;
  bool complete = true;  // false when stopped: what is missing is empty
};

// **Model** Options are the scenarios given. Of one with a question (variables): the best configuration that size()
// finds, the best of every other tier (where none meets the targets, a large one that comes near), and the scenario as
// it is; without one: the scenario, and what the change that pays best (best_cure()) makes of it. The best option
// keeps the targets at `sizing.confidence` and is best by `by`, the first of total cost, effective price, time and
// utilization that is known of all. The search is at 0.02 of utilization, or
// finer where its answer then misses a target. Options run at the scenario's precision with their uncertain inputs;
// what is drawn and turned runs with inputs as given, coarsely and with the same luck, beside the answer of its option
// (evaluate/paired_evaluations.h).
// **Errors** as simulate(); findings of scenarios that cannot be, or are no training job.
// **Checked by** tests/core/plan/review_test.cpp
Loaded<Review> review(const ReviewRequest& request, const Catalogue& catalogue);

// Half-width of the 95 % interval of GPU utilization in runs that only tell two settings apart.
inline constexpr double kReviewPrecision = 0.04;
// By this share inputs are turned that nobody states an interval for.
inline constexpr double kAssumedShare = 0.2;

}  // namespace stallcast
