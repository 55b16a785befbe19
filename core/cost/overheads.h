// What a bill has beside machines and storage: the provider's support, taxes, and people's time.
#pragma once

#include "core/cost/cost_breakdown.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Adds the lines of `spec` to the bill of a run that ends at `end`, in the place of those that an earlier call added.
// **Model** Support is a share of what the machines and the storage cost, taxes one of that and of support; people's
//   time is neither supported nor taxed. Where another charge is unknown, shares of it are too.
// **Range** the run has a length; else nothing is added
void charge_overheads(CostBreakdown& cost, const CostSpec& spec, Seconds end);

}  // namespace stallcast
