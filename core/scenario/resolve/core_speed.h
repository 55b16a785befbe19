// What a core of the machine does, and CPU times of the catalogue made those of such a core.
#pragma once

#include <string>

#include "core/scenario/resolve/resolve_context.h"

namespace stallcast {

// /cluster/cpu, /cluster/core_speed and /cluster/all_core_clock: the instance's own, else those of its processor or of
// the one that the person names. A processor that the instance does not have is an error.
void use_processor(ResolveContext& c);

// How much longer a core of this machine takes than the one of core_speed `there`, which the catalogue's value at
// `pointer` holds for. 1 where either core is not known, or the value is not the catalogue's. With another factor, the
// value's note says it, and its interval no longer holds what cores differ by, but the error of their speeds.
// **Source** models/cpus. Rented GPU machines have cores of 0.55 to 1.2; on x86 the speeds there are within 0.15 of
// published JPEG decoding (AMD EPYC 9B14 and 9B45, Xeon 8581C).
double core_factor(ResolveContext& c, const std::string& pointer, double there);

}  // namespace stallcast
