// The storage part of resolve(): the tier that the job reads, where its dataset is kept, and the caches between.
#pragma once

#include "core/scenario/resolve/resolve_context.h"

namespace stallcast {

// Fills in /storage, /origin, the caches and /staging from the tier records that they name. The cluster, the workload
// and the loader must be filled in before.
void resolve_storage(ResolveContext& context);

}  // namespace stallcast
