// What the difference between two scenarios depends on: which uncertain input would turn the choice between them.
#pragma once

#include <cstddef>
#include <vector>

#include "core/plan/evaluate/scaled_input.h"
#include "core/plan/sensitivity/sensitivity.h"

namespace stallcast {

// Uncertain inputs of every scenario. Shape [scenario][input].
using InputsOfEach = std::vector<std::vector<UncertainInput>>;

struct PairSensitivity {
  std::size_t best = 0, other = 0;  // of the scenarios
  std::vector<SharedInput> inputs;  // of `difference`: owner is a scenario, nothing where it moves in both
  Sensitivity of_best, of_other;    // each with the inputs that move it
  Sensitivity difference;           // every figure of `other` less that of `best`; runs are those of both
};

// **Model** One design over the inputs of both, every row simulated for both with the same luck: so both, and their
//   paired difference, come from the same runs. An input whose value is equal in both, and of storage in the same tier,
//   is one fact and moves in both at once, also where only one of them calls it uncertain; where both do but with other
//   intervals, and everywhere else, it moves in one at a time.
// **Cost** for each of the two 1 + 2 inputs + samples * (inputs + 2) coarse runs, of its own inputs
// **Range** one training job each; at least one input in either.
// **Errors** as simulate(). Same scenarios and seed: the same, whatever the threads.
// **Checked by** tests/core/plan/pair_sensitivity_test.cpp
PairSensitivity analyse_pair(const std::vector<ResolvedScenario>& scenarios, const InputsOfEach& inputs,
                             std::size_t best, std::size_t other, const SensitivityOptions& options);

}  // namespace stallcast
