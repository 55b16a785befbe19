// Figures that people see of a running job, and what a simulation says of the same.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/calibrate/read/measurements.h"
#include "core/diagnostics/finding.h"
#include "core/result/run_result.h"
#include "core/scenario/scenario.h"
#include "core/units/quantity_text.h"

namespace stallcast {

// One figure that can be seen, by the name that `--observed` and readers of measurements use.
struct OutcomeKind {
  std::string_view name;
  Dimension dimension;  // kFraction, kTime, kRate, kByteRate
  std::string_view definition;
  bool can_be_zero = false;  // as far as its meter shows
};

// gpu_utilization, au_mlperf, samples_per_s, it_per_s, step_time, data_time, epoch_time, read_rate, cpu_busy ...
std::span<const OutcomeKind> outcome_kinds();
const OutcomeKind* find_outcome_kind(std::string_view name);

// What the run of `scenario` shows of it; none for a name that is no outcome, and where the run has no such figure (the
// time of an epoch of a run without a length).
// **Checked by** tests/core/diagnose/outcome_test.cpp
std::optional<double> predicted_outcome(std::string_view name, const RunResult& result, const Scenario& scenario);

// One figure that somebody saw, and the settings of the run it was seen in where they are not the scenario's.
struct SeenOutcome {
  Observation outcome;
  std::vector<std::string> settings;  // "loader.num_workers=4"
};

// Reads "it_per_s=3", "data_time=217 ms", "gpu_busy=40 %", and of a run with other settings
// "samples_per_s=590@loader.num_workers=4", several parted by commas.
// **Errors** findings "unknown_outcome" with the nearest name, "bad_observation", and those of a quantity.
Loaded<SeenOutcome> parse_seen(const std::string& text);

}  // namespace stallcast
