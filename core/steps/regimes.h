// The epochs of a run by kind: cold and warm caches, and those in between that differ from both.
#pragma once

#include <string>
#include <vector>

#include "core/model/storage/read_plan.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Neighbouring epochs that are alike.
struct Regime {
  std::string name;     // "epoch 1", "epochs 2 to 90"
  double first = 0.0;   // epoch of the run, from 0
  double epochs = 0.0;  // how many
  EpochMix mix;
};

// The run's regimes in order; one where nothing but storage answers reads, or where the length is not known.
// **Model** epochs as play_epochs() has them. Neighbours are one regime whose mean shares differ by no more than 0.02,
// and the time in which the workers of a rank load a batch by no more than 0.005 of what computing on it takes; they
// differ by more only where there would be more than six.
std::vector<Regime> regimes_of(const Scenario& scenario);

// "epoch 1", "epochs 2 to 90": `count` epochs from `first`, which is counted from 0.
std::string name_of_epochs(double first, double count);

// Whether some reads are answered by something other than storage.
bool has_kinds_of_reads(const std::vector<Regime>& regimes);

// A simulation of nothing but epochs of `regime`, in the mean of its positions; no sweeps where storage answers all.
ReadPlan plan_of_regime(const Scenario& scenario, const Regime& regime);

}  // namespace stallcast
