// All that the command sensitivity finds out, for its reports.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/evaluate/kpi.h"
#include "core/plan/sensitivity/break_even.h"
#include "core/plan/sensitivity/pair_sensitivity.h"
#include "core/plan/sensitivity/sensitivity.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

struct SensitivityStudy {
  std::uint64_t seed = 0;
  std::vector<ResolvedScenario> scenarios;
  std::vector<const Kpi*> figures;                 // of `inputs` and `pair`; of several the deciding one first
  std::vector<std::optional<Sensitivity>> inputs;  // [scenario]; nothing of one without uncertain inputs
  std::optional<PairSensitivity> pair;             // of several: the best against the second best
  BreakEvenTable break_even;

  std::int64_t runs() const;
  bool complete() const;
};

// Break-evens first, which say which of several is the best; then what each scenario depends on and, of the best and
// the second best, their difference (pair_sensitivity.h), whose `of_best` and `of_other` are theirs in `inputs`.
// **Range** one training job each
// **Errors** as simulate(). Same scenarios and seed: the same, whatever the threads.
SensitivityStudy study_sensitivity(std::vector<ResolvedScenario> scenarios, const InputsOfEach& inputs,
                                   const SensitivityOptions& options, const BreakEvenOptions& break_evens);

}  // namespace stallcast
