// Several jobs on one storage system, each with its own start: who slows whom, and for how long.
//
// Two time scales. What a job gets changes only when another arrives, ends, or goes from one regime of its epochs to
// the next; in between it has a rate. So for each set of jobs that is present together:
//
//   rates = joint simulation of the set (joint_run.h), in parts of each job's rate alone on the system
//   until the next arrival, end of a job or of a regime: every job progresses at its rate
//
// What a job takes alone is what simulate() says, with everything that interrupts it; its time is stretched by 1 /
// rate. Listing and staging before the first step go on beside the others as if alone. Bursts of bandwidth are each
// job's own in its time alone, and are not there together. The RAM of the file servers has room for each job as if
// alone.
#pragma once

#include <vector>

#include "core/result/shared_result.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// Simulates `jobs`, which come from resolve(), on the storage of the first, with its seed and precision.
// **Range** at least one job; storage that is shared where there are several.
// **Errors** InvariantError outside of that. Same jobs and seed: the same result, wall_s apart.
// **Cost** one simulation per job, and one per set of jobs that run together.
// **Checked by** tests/core/run/shared_jobs_test.cpp
SharedResult simulate_jobs(const std::vector<Scenario>& jobs, const RunOptions& options = {});

// The scenarios of `resolved` and of the jobs beside it, in this order.
std::vector<Scenario> all_jobs(const ResolvedScenario& resolved);

}  // namespace stallcast
