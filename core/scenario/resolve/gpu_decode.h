// What decoding on the GPU takes of it, and what it leaves to the host's cores.
#pragma once

#include "core/catalogue/records/records.h"
#include "core/scenario/resolve/resolve_context.h"

namespace stallcast {

// loader.gpu_decode_time and loader.host_decode_time, where the person does not give them. `stored`: what a sample is
// stored as, null where that is not known. `engine`: the GPU decodes JPEG beside its cores.
void resolve_gpu_decode(ResolveContext& context, const FormatRecord* stored, bool engine);

}  // namespace stallcast
