// The parts of a run whose epochs are alike: cold and warm caches, and the epochs in between that differ from both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/read_plan.h"
#include "core/scenario/scenario.h"

namespace stallcast {

struct Regime {
  std::string name;
  double epochs = 0.0;  // how many
  double steps = 0.0;   // per rank, of all of them
  EpochMix mix;
  ReadPlan plan;                 // for a simulation of this regime alone
  std::int64_t sweep_steps = 0;  // steps in which positions 0 to 1 pass; 0 = every position is like every other
};

// The run's regimes in order, or none when nothing but storage answers reads.
// **Model** epochs as play_epochs() has them; neighbours whose mean shares differ by no more than 0.02 are one regime,
// and by more as long as there would be more than six. Where the mix changes along the epoch, a simulation of the
// regime runs through all positions in `sweep_steps` steps: those of the epoch, or of a shortened one that is still
// long against the batches loaded ahead, which carry over from one position to the next.
std::vector<Regime> regimes_of(const Scenario& scenario);

// Every epoch of the run as it comes, for a simulation of the whole run. Empty epochs: nothing but storage answers.
ReadPlan plan_of_whole_run(const Scenario& scenario);

}  // namespace stallcast
