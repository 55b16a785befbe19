// sweep --emit: the job file of a sweep instead of the sweep.
#pragma once

#include "cli/options/sweep_options.h"
#include "cli/shell/environment.h"

namespace stallcast {

// Writes the job file that runs the sweep of `options` in shards. Returns the exit code.
// **Errors** WorldError
int emit_sweep_job(const SweepCommandOptions& options, const Environment& environment);

}  // namespace stallcast
