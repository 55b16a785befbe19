// Hosts that load a model, and several jobs on one storage, as scripts read them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/cost/cost_breakdown.h"
#include "core/cost/price_jobs.h"
#include "core/result/bound.h"
#include "core/result/serving_result.h"
#include "core/result/shared_result.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

// One job that loads a model, on storage of its own: format_version, program_version, seed, scenario, provenance, job
// ("serving"), what serving_result_to_json() has, and cost.
nlohmann::ordered_json serving_document(const ResolvedScenario& resolved, const ServingResult& result,
                                        const CostBreakdown& cost);

// Several jobs: format_version, program_version, seed (of the first), jobs, spans (spans_to_json()), storage, events,
// wall_s, converged and stopped.
// - jobs: a list of result_document() or serving_document() without the versions, of the job beside the others, each
//   with name, job ("training" or "serving"), start_s, end_s, alone_s, together_s, slowdown (together_s / alone_s), and
//   alone: what the job's simulation on an instance of its own gives, with its bound and cost. Of a training job's
//   steps, samples, events and simulated_s, what was simulated alone counts.
//   `bounds` are the jobs', in their order; those of jobs that load a model are not read.
// - storage: tier, read_bytes, written_bytes, cost (of what is split) and split: [{"job", "share"}], notes.
// **Units** as the suffix of a key says; times that are infinite are null.
// **Checked by** tests/core/report/jobs_report_test.cpp
nlohmann::ordered_json jobs_document(const ResolvedScenario& resolved, const SharedResult& result,
                                     const std::vector<Bound>& bounds, const SharedCost& cost);

// A header row and one row for each job of a jobs_document(), or the one job of a serving_document(): result_csv() of
// each, with the columns of all; a cell is empty where the job has no such number.
std::string jobs_csv(const nlohmann::ordered_json& document);

}  // namespace stallcast
