#include "core/plan/review/review.h"

#include <utility>

#include "core/diagnostics/invariant.h"
#include "core/plan/review/review_parts.h"
#include "core/result/program_version.h"
#include "core/steps/known_walks.h"
#include "core/units/content_hash.h"

namespace stallcast {
namespace {

std::uint64_t seed_of(const ReviewRequest& request) {
  return request.run.seed.value_or(static_cast<std::uint64_t>(request.files.front().scenario.run.seed));
}

// Of everything that was resolved, as a file holds it: a name-based UUID (SHA-1).
std::string scenario_hash(const Scenario& scenario) {
  const std::string text =
      scenario_to_json(scenario).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return content_hash(text);
}

ReproductionFacts reproduction(const ReviewWork& work, const Review& review) {
  return {std::string(program_version()), scenario_hash(review.options.front().resolved.scenario), work.request.command,
          work.catalogue.identity, work.seed};
}

Findings serving_jobs(const ReviewRequest& request) {
  Findings findings;
  for (const ScenarioFile& file : request.files) {
    const bool serves = file.scenario.job == JobKind::kServing;
    if (!serves && file.scenario.run.concurrent_jobs.empty()) continue;
    findings.add({Severity::kError, "not_one_training_job", file.file, serves ? "/job" : "/run/concurrent_jobs",
                  serves ? "job serving" : "several jobs", "one training job",
                  "ask stallcast simulate, which answers without a report", ""});
  }
  return findings;
}

}  // namespace

ResolvedScenario sketched(const ResolvedScenario& resolved) {
  ResolvedScenario out = with_inputs_as_given(resolved);
  out.scenario.run.precision = std::max(out.scenario.run.precision, kReviewPrecision);
  return out;
}

Loaded<Review> review(const ReviewRequest& asked, const Catalogue& catalogue) {
  invariant(!asked.files.empty(), "review: no scenario");
  ReviewRequest request = asked;
  request.run = sharing_walks(std::move(request.run));
  Loaded<Review> out;
  out.findings = serving_jobs(request);
  if (out.findings.has_errors()) return out;
  ReviewWork work{request, catalogue, seed_of(request)};
  Review review;
  const Scenario& first = request.files.front().scenario;
  review.title = first.name.empty() ? "Training job" : first.name;
  review.question = first.description;
  review.accuracy = request.accuracy;
  out.findings.append(find_options(work, review));
  if (out.findings.has_errors() || review.options.empty()) return out;
  if (!work.stopped()) gather_evidence(work, review);
  make_argument(work, review);
  review.reproduction = reproduction(work, review);
  review.complete = !work.stopped();
  out.value = std::move(review);
  return out;
}

}  // namespace stallcast
