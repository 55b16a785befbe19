// What sensitivity is asked: figures, intervals of inputs, and what decides, as people write them.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/plan/evaluate/kpi.h"
#include "core/plan/sensitivity/break_even.h"
#include "core/plan/sensitivity/pair_sensitivity.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

struct SensitivityTexts {
  std::vector<std::string> figures;  // "cost.total_usd"; empty = utilization and the effective price
  std::vector<std::string> inputs;   // "storage.latency=1 ms..4 ms", of every scenario that has such a value
  std::string by, condition;         // "" = not given
};

struct SensitivityQuestion {
  InputsOfEach inputs;
  std::vector<const Kpi*> figures;
  BreakEvenOptions break_even;
};

// **Errors** findings, all at once: "unknown_figure", "one_scenario" for a condition on several, those of
// parse_assertion and parse_input_range.
Loaded<SensitivityQuestion> read_sensitivity_question(const SensitivityTexts& texts,
                                                      const std::vector<ResolvedScenario>& scenarios);

}  // namespace stallcast
