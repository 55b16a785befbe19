// Every figure of a result from the account of its run: sums over phases, and nothing else.
#pragma once

#include <array>
#include <vector>

#include "core/result/run_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Sets what `out.ledger` says: times, rates, utilization with `half_width` (of training, 95 %; infinite when not
// known), causes, and the totals for the bill. Of a run without a length (`endless`) the steady state: its start is
// left out, and there are no totals.
// **Identities** causes and utilization sum to 1; samples over time are the rate; steps times their mean are the time
// in training.
// **Checked by** tests/core/run/figures_test.cpp
void set_figures(RunResult& out, const Scenario& scenario, double half_width, bool endless);

// The quantities of a phase that add up.
inline constexpr std::array kPhaseSums{
    &LedgerPhase::times,
    &LedgerPhase::steps,
    &LedgerPhase::samples,
    &LedgerPhase::wall_s,
    &LedgerPhase::compute_gpu_s,
    &LedgerPhase::busy_core_s,
    &LedgerPhase::refused_requests,
    &LedgerPhase::regional_fill_bytes,
    &LedgerPhase::written_bytes,
    &LedgerPhase::write_requests,
    &LedgerPhase::list_requests,
    &LedgerPhase::origin_list_requests,
    &LedgerPhase::stored_checkpoints,
    &LedgerPhase::unpaid_s,
    &LedgerPhase::simulated_steps,
};

// `sum` with `times` as much of `more`.
void add(LedgerPhase& sum, const LedgerPhase& more, double times);

// Sum over the phases that `counts` says.
template <class Counts>
LedgerPhase sum_of(const std::vector<LedgerPhase>& ledger, const Counts& counts) {
  LedgerPhase sum;
  for (const LedgerPhase& phase : ledger)
    if (counts(phase.kind)) add(sum, phase, 1.0);
  return sum;
}

// Whether a phase has steps that are trained and kept.
constexpr bool is_training(PhaseKind kind) {
  return kind != PhaseKind::kListing && kind != PhaseKind::kStaging && kind != PhaseKind::kRework &&
         kind != PhaseKind::kRecovery;
}

}  // namespace stallcast
