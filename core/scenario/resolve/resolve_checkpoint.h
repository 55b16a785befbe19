// Fills in the model that checkpoints hold, their size and their snapshot.
#pragma once

#include "core/scenario/resolve/resolve_context.h"

namespace stallcast {

// After cluster and storage. Nothing where mode is none. A size that was given stands; else the workload's architecture
// goes to /model, so that size 0 asks the model; else its checkpoint_size; else its parameters. The record's
// parallelism holds only where it divides the ranks.
void resolve_checkpoint(ResolveContext& context);

}  // namespace stallcast
