// All that the command sensitivity finds out, for its reports.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/break_even.h"
#include "core/plan/kpi.h"
#include "core/plan/sensitivity.h"
#include "core/scenario/resolved_scenario.h"

namespace stallcast {

struct SensitivityStudy {
  std::uint64_t seed = 0;
  std::vector<ResolvedScenario> scenarios;
  std::vector<const Kpi*> figures;    // of `inputs`
  std::optional<Sensitivity> inputs;  // of a single scenario with uncertain inputs
  BreakEvenTable break_even;
};

}  // namespace stallcast
