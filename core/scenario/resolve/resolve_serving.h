// What a serving job reads its weights with: the software, its streams and its requests.
#pragma once

#include "core/scenario/resolve/resolve_context.h"

namespace stallcast {

// Fills `serving.*` from the records of the storage and of the software. Nothing where the job trains.
// Call it after resolve_storage() and once gpus_per_node is known.
void resolve_serving(ResolveContext& context);

}  // namespace stallcast
