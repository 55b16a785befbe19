#include "core/answers/questions/overridden.h"

#include <fmt/format.h>

#include "core/scenario/resolve/concurrent_jobs.h"
#include "core/scenario/resolve/resolve.h"

namespace stallcast {

void apply_settings(ScenarioFile& file, const Settings& settings, Findings& findings) {
  for (const std::string& assignment : settings.overrides) apply_override(file, assignment, findings);
  if (!settings.seed.empty()) apply_override(file, "run.seed=" + settings.seed, findings);
  if (!settings.precision.empty()) apply_override(file, "run.precision=" + settings.precision, findings);
  load_concurrent_jobs(file, findings);
}

void add_names_not_found(const ScenarioFile& file, const Catalogue& catalogue, Findings& findings) {
  const Findings found = resolve(file, catalogue).findings;
  for (const Finding& finding : found.list())
    if (finding.code == "unknown_record" || finding.code == "invalid_capacity") findings.add(finding);
}

std::string other_than_one_training_job(const ResolvedScenario& resolved) {
  if (!resolved.concurrent_jobs.empty()) return "several jobs (run.concurrent_jobs)";
  return resolved.scenario.job == JobKind::kServing ? "a job that loads a model (job serving)" : "";
}

std::string one_training_job_message(const std::string& command, const std::string& what_it_is) {
  return fmt::format("{} is for one training job, and this is {}; stallcast simulate answers without it", command,
                     what_it_is);
}

}  // namespace stallcast
