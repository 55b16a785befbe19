// A scenario with settings over it, as --set, --seed and --precision give them, and everything that is wrong with it.
#pragma once

#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

struct Settings {
  std::vector<std::string> overrides;  // "loader.num_workers=16"
  std::string seed, precision;         // "" = as the scenario has it
};

// Puts the settings in, then reads the jobs beside it.
// **Errors** those of apply_override and load_concurrent_jobs
void apply_settings(ScenarioFile& file, const Settings& settings, Findings& findings);

// Of a scenario with errors, whose values keep their defaults: what resolving finds of the names and sizes it looked
// up, so that a person is told everything at once.
void add_names_not_found(const ScenarioFile& file, const Catalogue& catalogue, Findings& findings);

// "" for one training job, else what it is: "several jobs (run.concurrent_jobs)".
std::string other_than_one_training_job(const ResolvedScenario& resolved);

// What `command`, or an option of it, says of a scenario that is not one training job.
std::string one_training_job_message(const std::string& command, const std::string& what_it_is);

}  // namespace stallcast
