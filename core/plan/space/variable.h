// One thing that a plan varies: a field of the scenario and the values it takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

// What findings call the place that variables are read from.
inline constexpr const char* kVaryOption = "--vary";

// Either listed values, or a range that a sampling design or the catalogue fills in.
struct Variable {
  std::string pointer;              // "/loader/num_workers", or a member: "/workload/step_time/mean"
  std::vector<std::string> values;  // what --set reads, in the order given; empty for a range without steps
  const Field* field = nullptr;     // of a range; a member's is its distribution's
  double low = 0.0, high = 0.0;     // of a range, in base units
  bool every_valid_size = false;    // "valid": a capacity, at every size that the tier is sold in
  double size_factor = 0.0;         // "valid:x1.1": of those, each at least 1.1 times the one before; 0 = every one
};

// Reads what follows --vary:
//   PATH=a,b,c           these values; commas inside brackets and braces do not separate
//   PATH=lo..hi:step     lo, lo + step, ... up to hi; of integers the step may be left out, it is 1
//   PATH=lo..hi:xFACTOR  lo, lo * FACTOR, ... up to hi
//   PATH=lo..hi          a range: for sampling designs; of a capacity, the sizes in it that the tier is sold in
//   PATH=valid           of a capacity: every size that the tier is sold in
//   PATH=valid:xFACTOR   of those, each at least FACTOR times the one before (spaced_capacities)
// Every value is tried on `base`. Values written alike twice are one. At most kMaxValues of them.
// **Errors** findings, under the file name "--vary", all at once: those of apply_override for each value,
// "empty_range", "bad_step", "too_many_values", "not_a_range" (of a field that has no order), "base_field" for what
// must not vary (run.seed, run.concurrent_jobs, format_version).
Loaded<Variable> parse_variable(std::string_view text, const ScenarioFile& base);
inline constexpr std::size_t kMaxValues = 100'000;

// Each of `texts` read so. **Errors** those of all.
Loaded<std::vector<Variable>> parse_variables(const std::vector<std::string>& texts, const ScenarioFile& base);

// What the scenario itself asks to vary: plan.vary. Empty where it asks nothing. **Errors** the same, at /plan/vary/I
// of its file.
Loaded<std::vector<Variable>> planned_variables(const ScenarioFile& base);

// The value of a range at a fraction of it: evenly, or by ratio where both ends are above 0 and a hundred or more
// apart; whole numbers of integer fields, each equally likely. `fraction` in [0, 1).
std::string value_at(const Variable& variable, double fraction);

}  // namespace stallcast
