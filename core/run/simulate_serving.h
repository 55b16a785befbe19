// Hosts that load a model, on storage of their own.
#pragma once

#include "core/result/run_result.h"
#include "core/result/serving_result.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// Simulates `scenario`, a serving job that comes from resolve(), until every host is ready.
//
// **Model** ServingModel. Of very many alike hosts K stand for all N, on a system with K / N of the bandwidth and of
// the request rates; options.exact simulates every host and every request.
// **Errors** InvariantError if it does not come from resolve(). Same scenario and seed: the same result. Stopped
// (options.stop), it holds what was read until then and is not complete.
ServingResult simulate_serving(const Scenario& scenario, const RunOptions& options = {});

// What the load takes in the quantities of a bill: machines until the last host is ready, bytes, requests. All of its
// GPU time is lost, to what the streams wait for.
RunResult as_run(const Scenario& scenario, const ServingResult& result);

}  // namespace stallcast
