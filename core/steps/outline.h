// What is simulated of a run: all of it where that is affordable, else fewer and shorter epochs that stand for it.
//
//   the run       epoch 1 |----------------| epoch 2 |----------------| ... epoch 90 |----------------|
//   simulated             |head|...|tail|            |head|...|tail|     as many epochs of each kind as it takes
//
// A shortened epoch has the first and the last steps of the one that it stands for, and fewer between them; caches
// answer as at the positions that those have in the long one. Files that readers go through side by side are fewer
// whole rounds of them, or as many files, each as much shorter as the epoch. Checkpoints come where the run has them,
// and where these are too seldom for the epochs that are simulated, at other steps of the same kind. How often each
// step counts is found afterwards (counted_steps.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/storage/course.h"
#include "core/model/storage/read_plan.h"
#include "core/scenario/scenario.h"
#include "core/steps/places.h"
#include "core/steps/regimes.h"

namespace stallcast {

// Checkpoints differ by whether they go on to storage, and by whether they come at the end of an epoch.
struct SaveKind {
  bool stored = true;
  bool at_end = false;
};
inline constexpr std::array<SaveKind, 4> kSaveKinds{
    {SaveKind{true, false}, SaveKind{true, true}, SaveKind{false, false}, SaveKind{false, true}}};
std::size_t index_of(const SaveKind& kind);

// What has to be known before checkpoints of a run that is not simulated whole can be placed.
struct SavePlan {
  std::vector<double> step_s;            // by regime: of a step without checkpoints
  std::vector<PlaceTimes> place_step_s;  // likewise, by where in an epoch it is
  std::int64_t head = 0;                 // that those places have
  double interval_steps = 0.0;           // where the cadence does not say; 0 = it does
};

// How much of a job to simulate: about so many steps, or all of it where that is enough or asked for.
struct Effort {
  double steps = 0.0;
  bool whole = false;
  bool coarse = false;          // epochs may be shorter
  bool briefest_start = false;  // no more steps count as the start of an epoch than those that feel it
};

struct Outline {
  struct Epoch {
    std::size_t regime = 0;
    double number = 0.0;  // of the run, from 0
    std::int64_t steps = 0;
  };
  bool whole = false;        // every step of every epoch
  bool weighted = true;      // steps do not all count once
  bool endless = false;      // the run has no length
  double epoch_steps = 0.0;  // of the run; 0 = it has no length
  std::vector<Regime> regimes;
  std::vector<Epoch> epochs;        // that are simulated
  std::int64_t steps = 0;           // of all of them
  std::int64_t head = 0, tail = 0;  // steps of an epoch that feel its start, and its end
  std::int64_t settling = 0;        // steps that feel a stop
  std::int64_t wave = 1;            // batches that workers load side by side
  Course course;
  ReadPlan plan;
  std::vector<std::array<double, kSaveKinds.size()>> saves;  // of the run, by regime and kind
  std::vector<double> save_interval;                         // steps from one to the next in the run, by regime
  Effort effort;                                             // that was asked for
  std::optional<SavePlan> save_plan;
};

// Steps whose samples are on their way at a time: batches ahead, what shuffle buffers hold, and what a request brings
// of the samples after its own. So many feel the start of an epoch, and its end.
std::int64_t steps_on_their_way(const Scenario& scenario);

// Steps of `scenario` (its simulated nodes) that `samples` are, at the default precision; more of them for a finer one,
// in proportion to the square.
std::int64_t affordable_steps(const Scenario& scenario, double samples);

// `saves`: with its checkpoints; null = `job` has none, or all of it is simulated.
Outline outline_of(const Scenario& job, const Effort& effort, const SavePlan* saves);

// Steps that a write of `write_s` seconds lasts beside training, and how many times shorter it is simulated.
inline constexpr double kMostWriteSteps = 400.0;

// Mean steps between checkpoints by the cadence; `step_s` is a step's time. 0 = optimal: to be searched for.
double interval_steps(const Scenario& scenario, double step_s);

}  // namespace stallcast
