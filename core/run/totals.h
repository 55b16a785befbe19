// What whole runs and their parts take, for the bill.
#pragma once

#include <array>

#include "core/model/cache_play.h"
#include "core/model/training_model.h"
#include "core/result/run_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// The totals that are sums over the steps of a run.
inline constexpr std::array kSums{
    &RunTotals::samples,
    &RunTotals::useful_gpu_s,
    &RunTotals::read_bytes,
    &RunTotals::written_bytes,
    &RunTotals::read_requests,
    &RunTotals::write_requests,
    &RunTotals::refused_requests,
    &RunTotals::origin_read_bytes,
    &RunTotals::origin_read_requests,
    &RunTotals::regional_read_bytes,
    &RunTotals::regional_ingest_bytes,
    &RunTotals::regional_read_requests,
};

// `steps` steps per rank from what was measured, in proportion; checkpoints are counted by whole_run(). `mix`: what its
// levels answer in all, null where that was measured too.
RunTotals stretch_totals(const Scenario& s, const TrainingModel& model, const RunResult& measured, double steps,
                         const ReadMix* mix);

void add(RunTotals& sum, const RunTotals& more);

// The totals of all steps made those of the run: time and checkpoints.
void whole_run(RunTotals& t, const Scenario& s, double training_s, double steps);

}  // namespace stallcast
