// Which steps were simulated, where in an epoch each is, and how often it counts.
//
// A step is at a place of an epoch (places.h), and it is in the shadow of a checkpoint or not: its stop, its write and
// the refilling of queues. Steps that are alike in this, in one kind of epoch, count alike, so that all of them
// together are as many as the run has, and checkpoints too (post-stratification). Simulated whole, every step counts
// once.
// **Source** Cochran, Sampling Techniques, 3rd ed. 1977, 5A.9; stratified samples of a running simulation: Wunderlich
// et al., SMARTS, ISCA 2003
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/model/checkpointer.h"
#include "core/model/training_model.h"
#include "core/result/lost_time.h"
#include "core/scenario/scenario.h"
#include "core/steps/outline.h"
#include "core/steps/places.h"

namespace stallcast {

// What was simulated of an outline.
struct Simulated {
  const Scenario& scenario;  // of the simulated nodes
  const Scenario& job;       // of all nodes
  const Outline& outline;
  const TrainingModel& model;
  std::size_t steps = 0;  // finished
  std::size_t drop = 0;   // of an endless run: steps of its warm-up
  bool finished = true;   // nothing of the outline is missing

  const StepLog& log() const { return model.log(); }
  const std::vector<CheckpointLog>& saves() const { return model.checkpointer().log(); }
  std::size_t regimes() const { return std::max<std::size_t>(1, outline.regimes.size()); }
  double ranks() const { return static_cast<double>(scenario.ranks()); }
  Places places() const { return {outline.head, outline.tail, outline.wave}; }
  // Whether every step that was simulated is one of the run's.
  bool counts_once() const { return !outline.endless && !outline.weighted && finished; }
  // **Units** seconds; compute and losses are means over ranks
  double step_start_s(std::size_t k) const { return k == 0 ? log().epoch_start_s.front() : log().end_s[k - 1]; }
  double compute_s(std::size_t k) const { return log().compute_s[k] / ranks(); }
  double lost_s(std::size_t k, LostTime cause) const { return log().lost_s[k][index(cause)] / ranks(); }
  // How long a core was busy in the step, mean over cores.
  double busy_cores(std::size_t k) const {
    return (log().busy_core_s[k] - (k == 0 ? 0.0 : log().busy_core_s[k - 1])) / model.cores();
  }
  // One past the last step of a simulated epoch.
  std::size_t end_of(std::size_t epoch) const {
    return epoch + 1 < log().epoch_first_step.size()
               ? std::min(steps, static_cast<std::size_t>(log().epoch_first_step[epoch + 1]))
               : steps;
  }
  // Whether the step after which a checkpoint came is finished.
  bool has(const CheckpointLog& save) const { return save.step >= 1 && static_cast<std::size_t>(save.step) <= steps; }
};

struct CountedStep {
  std::size_t epoch = 0;  // simulated
  std::size_t regime = 0;
  std::size_t cell = 0;   // of kCells
  std::size_t place = 0;  // of places
  double wall_s = 0.0;
  double after_s = 0.0;      // of that, what follows the last step of an epoch: validation, and the end of the workers
  double weight = 1.0;       // how often it counts
  std::ptrdiff_t save = -1;  // in whose shadow it is
};

struct CountedSteps {
  std::vector<CountedStep> steps;
  std::vector<double> save_weight;  // how often each checkpoint of the log counts; empty = once
};

CountedSteps count_steps(const Simulated& what);

}  // namespace stallcast
