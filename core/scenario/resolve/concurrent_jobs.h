// Jobs that share the storage of a scenario: the files that run.concurrent_jobs names, and what of them must agree.
#pragma once

#include "core/diagnostics/finding.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

// Reads the files that `first` names in run.concurrent_jobs, from the folder of `first.file`, into
// `first.concurrent_jobs`. A file may be named twice: two equal jobs.
// **Errors** findings, each under its own file's name: a file that does not exist, that is `first` itself, or that has
// run.concurrent_jobs of its own; everything load_scenario() finds. WorldError for a file that cannot be read.
void load_concurrent_jobs(ScenarioFile& first, Findings& findings);

// `job` with the /storage and /server_cache that `first` gives in place of its own.
ScenarioFile on_storage_of(const ScenarioFile& first, const ScenarioFile& job);

// "contradiction" where `job` gives a value of /storage or /server_cache other than that of `resolved`, the scenario
// that `first` was resolved to.
Findings check_same_storage(const ScenarioFile& job, const ScenarioFile& first, const Scenario& resolved);

// "contradiction" where the storage of `first` is in every node.
Findings check_shared_storage(const ScenarioFile& first, const Scenario& resolved);

// Whether `earlier` has a finding of this kind about the same value of the shared storage.
bool told_already(const Finding& finding, const Findings& earlier);

}  // namespace stallcast
