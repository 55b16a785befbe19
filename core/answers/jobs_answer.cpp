#include "core/answers/jobs_answer.h"

#include "core/cost/price_run.h"
#include "core/model/resource_graph.h"
#include "core/report/json/jobs_document.h"
#include "core/report/json/result_document.h"
#include "core/report/words/assumed_of_jobs.h"
#include "core/report/words/assumed_of_load.h"
#include "core/run/shared_jobs.h"
#include "core/run/simulate_serving.h"

namespace stallcast {
namespace {

nlohmann::ordered_json with_catalogue(nlohmann::ordered_json document, const ResolvedScenario& resolved) {
  document["catalogue"] = catalogue_to_json(resolved.catalogue);
  return document;
}

}  // namespace

ServingAnswer answer_serving(const ResolvedScenario& resolved, const RunOptions& run, AssumedInputs inputs) {
  ServingAnswer out;
  out.result = simulate_serving(resolved.scenario, run);
  out.cost = price_run(resolved, as_run(resolved.scenario, out.result));
  const bool draws = inputs == AssumedInputs::kRanges && !run.stop.stop_requested();
  out.ranges = draws ? serving_ranges(resolved, out.result, run) : assumed_of_load(resolved);
  return out;
}

JobsAnswer answer_jobs(const ResolvedScenario& resolved, const RunOptions& run, AssumedInputs inputs) {
  const std::vector<Scenario> jobs = all_jobs(resolved);
  JobsAnswer out;
  if (inputs == AssumedInputs::kRanges) {
    RangedJobs ranged = simulate_jobs_with_ranges(resolved, run);
    out.result = std::move(ranged.result);
    out.ranges = std::move(ranged.ranges);
  } else {
    out.result = simulate_jobs(jobs, run);
    out.ranges = assumed_of_jobs(resolved);
  }
  for (const Scenario& job : jobs)
    out.bounds.push_back(job.job == JobKind::kServing ? Bound{} : utilization_bound(job));
  out.cost = price_jobs(resolved, out.result);
  return out;
}

nlohmann::ordered_json serving_answer_document(const ResolvedScenario& resolved, const ServingAnswer& answer) {
  auto document = serving_document(resolved, answer.result, answer.cost);
  document.update(assumed_inputs_to_json(AssumedOfLoad{resolved, answer.result, answer.ranges}));
  return with_catalogue(std::move(document), resolved);
}

nlohmann::ordered_json jobs_answer_document(const ResolvedScenario& resolved, const JobsAnswer& answer) {
  auto document = jobs_document(resolved, answer.result, answer.bounds, answer.cost);
  const AssumedOfJobs assumed{resolved, answer.result, answer.cost, answer.ranges};
  for (std::size_t j = 0; j < answer.result.jobs.size(); ++j)
    document["jobs"][j]["ranges"] = job_ranges_to_json(assumed, j);
  document["assumptions"] = assumptions_to_json(assumed);
  return with_catalogue(std::move(document), resolved);
}

}  // namespace stallcast
