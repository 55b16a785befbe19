// What a configuration does as one of its fields is turned, and where more of it stops being worth it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/plan/evaluate/kpi.h"
#include "core/plan/pairs/paired_evaluations.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/steps/run_options.h"

namespace stallcast {

// One value of the field. Nothing where the scenario cannot be with it (RAM, sizes nobody sells): `why_not` says so.
struct CurveStep {
  std::string text;    // what --set takes
  double value = 0.0;  // in base units; the position in the list where the field has no order
  std::optional<KpiValues> figures;
  std::string why_not;
};

struct Curve {
  std::string pointer;
  std::vector<CurveStep> steps;    // ascending
  std::optional<std::size_t> now;  // the step of the scenario as it is
  std::optional<std::size_t> knee;
  bool complete = true;  // false when stopped: steps without figures are then missing
  bool ranged = false;   // intervals of figures are the 90 % ranges that inputs leave, not those of the simulation
};

// Values worth looking at: around what the scenario has, within the field's range; sizes that the tier is sold in for a
// capacity; every word of an enum. At most `most`, the value as it is among them; empty for fields without an order
// or words (texts, lists).
std::vector<std::string> usual_values(const ScenarioFile& file, const Catalogue& catalogue, const std::string& pointer,
                                      std::size_t most = 12);

struct CurveOptions {
  RunOptions run;
  double precision = 0.01;  // of the runs, or the scenario's where that is coarser
  // Beside the answer of the scenario as it is; without it each value is simulated by itself, to `precision`.
  PairedEvaluations* pairs = nullptr;
  // Then each value again with what nobody gave drawn from its ranges: the interval of every figure is its range
  // (with_assumed_inputs() of run/input_ranges.h), the same factors at each value. Not beside `pairs`.
  bool ranges = false;
  // Called as steps are done, in no stated order, by one thread at a time; with ranges once more as those are.
  std::function<void(std::size_t step, const CurveStep&)> done;
};

// Simulates each value with the same luck, several at a time: means are of the inputs as given.
// **Model** The knee is the first step from which on no other has a GPU utilization more than a point higher; nothing
// where the last one is.
// **Errors** as simulate(); what does not resolve is said in the step.
Curve field_curve(const ScenarioFile& file, const Catalogue& catalogue, const std::string& pointer,
                  const std::vector<std::string>& values, const CurveOptions& options = {});

}  // namespace stallcast
