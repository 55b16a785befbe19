// Everything that is written for the chosen configuration, as files: provisioning, loader, checkpoints, benchmarks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/plan/emit/emitted_file.h"
#include "core/result/run_result.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

// "gcloud", "aws", "azure", "terraform", "pytorch", "tfdata", "dali", "checkpoint", "dlio", "fio", "claims", "all".
const std::vector<std::string>& emit_targets();

// True when `target` says what a simulation found.
bool needs_result(std::string_view target);

// The files of `target`. `result` is the simulated scenario, null where needs_result() is false; `scenario_path` is
// what commands in the plan call the scenario's file.
// **Errors** findings: an unknown target; nothing of the scenario is there to be written for it ("nothing_to_emit").
Loaded<std::vector<EmittedFile>> emit_files(const ResolvedScenario& resolved, const RunResult* result,
                                            std::string_view target, const std::string& scenario_path);

}  // namespace stallcast
