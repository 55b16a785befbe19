// What to do after a result: at most two commands, by what the result says.
#pragma once

#include <string>

#include "core/result/run_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// "Next             stallcast explain job.json: what each change is worth\n" and the like, for the text form of a
// result of the scenario in the file `path`.
std::string next_after_simulate(const std::string& path, const Scenario& scenario, const RunResult& result);
std::string next_after_explain(const std::string& path, const Scenario& scenario, const RunResult& result);

}  // namespace stallcast
