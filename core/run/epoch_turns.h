// What the end of one epoch and the start of the next add to the pace of the steps between: workers start or are reset,
// queues and shuffle buffers fill and drain, validation runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/model/training_model.h"
#include "core/result/run_result.h"
#include "core/run/step_series.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Steps whose samples are on their way at a time: batches ahead, and what shuffle buffers hold. So many feel the start
// of an epoch, and its end.
std::int64_t steps_on_their_way(const Scenario& s);

// The shortest epoch, in steps, that has all of a turn and steps between that feel none of it.
std::int64_t short_epoch_steps(const Scenario& s);

// `s` with epochs of about short_epoch_steps(s), none longer than before. Iterable loaders lose whole rounds of shards,
// so that what is left over for some workers stays.
Scenario with_short_epochs(const Scenario& s);

// Whether what comes at the start and at the end of epochs slows the run by more than a tenth of the precision that is
// asked for: the time by which the first `drop` steps exceeded the pace of the others, what a turn takes besides, and
// what the last shards take that some workers read while others have none, against an epoch. A first start costs no
// less than those that follow. False where the length of an epoch is not known.
bool turns_matter(const Scenario& s, const StepSeries& series, std::size_t drop);

// Seconds from the start of the first epoch to the end of `total` steps, from those that were `measured`. **Model** all
// others take the mean step; where that has turns in it, being over sweeps of whole epochs, so do those of an epoch
// that had not ended.
double extrapolated_s(const StepLog& log, double total, const RunResult& measured, std::size_t sweep);

// What was measured of epochs with little between their turns, or of one of them past its fill.
struct ShortEpochs {
  const RunResult& result;
  double steps = 0.0;           // of an epoch
  double measured_steps = 0.0;  // that the means are over, of each epoch
  double first_s = 0.0;         // from the start of the first to its last step
};

// Makes `pace`, of `total` steps in epochs of `epoch` steps, a result with the starts, turns and ends of epochs.
// **Model** an epoch is a short one and the steps that it lacks, at the pace; the first one too.
// **Range** 0 < turned.steps <= epoch
void add_turns(RunResult& pace, const ShortEpochs& turned, double epoch, double total);

}  // namespace stallcast
