#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/catalogue/capacity_rule.h"
#include "core/model/resource_graph.h"
#include "core/plan/search/size.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/run_length.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr double kLargestTolerance = 0.2;

Finding problem(std::string code, std::string option, std::string got, std::string allowed, std::string fix,
                std::string why = "") {
  return {Severity::kError, std::move(code),    std::move(option), "",
          std::move(got),   std::move(allowed), std::move(fix),    std::move(why)};
}

void check_limits(const SizeRequest& request, Findings& findings) {
  for (const Target& target : request.targets) {
    const bool share = target.figure == Figure::kUtilization;
    if (target.limit > 0.0 && std::isfinite(target.limit) && (!share || target.limit <= 1.0)) continue;
    findings.add(problem("impossible_target", std::string(target_option(target.figure)), format_number(target.limit),
                         share ? "more than 0, up to 1" : "more than 0",
                         share && target.limit > 1.0 && target.limit <= 100.0
                             ? fmt::format("did you mean {}?", format_number(target.limit / 100.0))
                             : "",
                         "nothing can keep it"));
  }
  if (!(request.confidence >= 0.5 && request.confidence < 1.0))
    findings.add(problem("out_of_range", "--confidence", format_number(request.confidence), "0.5 to less than 1", ""));
  if (!(request.tolerance >= 0.0 && request.tolerance <= kLargestTolerance)) {
    findings.add(problem("out_of_range", "--tolerance", format_number(request.tolerance),
                         fmt::format("0 to {}", kLargestTolerance), ""));
  }
}

// Whether any of the fields that the length of a run comes from is varied.
bool varies_length(const Space& space) {
  return std::any_of(space.pointers().begin(), space.pointers().end(), [](const std::string& pointer) {
    return pointer == "/dataset/samples" || pointer == "/run/steps_per_epoch" || pointer == "/workload/name";
  });
}

// Whether, by mean rates, the storage or the way to it ends before the GPUs do.
bool storage_binds(const Scenario& scenario) {
  const std::string binding = utilization_bound(scenario).binding_resource;
  for (const char* storage :
       {"tier_bandwidth", "read_iops", "metadata_rate", "stream", "reading_streams", "client_bandwidth", "nic"})
    if (binding == storage) return true;
  return false;
}

// Whether the same job could read from it: shared storage of the same provider, with a price.
bool could_replace(const TierRecord& other, const TierRecord& tier) {
  if (other.provider != tier.provider || other.provider == "any" || other.provider == "self") return false;
  return other.scope == "shared" && other.status != "legacy" && !other.prices.empty();
}

// Whether workers and what they load ahead can matter: not where, by mean rates, one worker that loads one batch ahead
// would feed GPUs that are four times as fast.
bool loading_matters(Scenario s) {
  s.loader.num_workers = std::min<std::int64_t>(1, s.loader.num_workers);
  s.loader.prefetch_factor = 1;
  const double micro_steps = static_cast<double>(std::max<std::int64_t>(1, s.workload.gradient_accumulation));
  s.workload.step_time = Distribution::constant(0.25 * step_compute_s(s) / micro_steps);
  s.workload.step_time_form = StepTimeForm::kTime;
  return utilization_bound(s).binding_resource != "gpu";
}

}  // namespace

std::string_view front_scope_name(FrontScope scope) {
  constexpr std::string_view kNames[] = {"none", "simulated", "limited", "full"};
  return kNames[static_cast<std::size_t>(scope)];
}

std::string_view target_option(Figure figure) {
  constexpr std::string_view kOptions[] = {"--budget",        "",
                                           "--deadline",      "--min-utilization",
                                           "--max-memory",    "--max-memory",
                                           "--quota gpus",    "--quota nodes",
                                           "--quota capacity"};
  static_assert(std::size(kOptions) == kFigures);
  return kOptions[static_cast<std::size_t>(figure)];
}

Findings check_request(const ScenarioFile& base, const Space& space, const Catalogue& catalogue,
                       const SizeRequest& request) {
  Findings findings;
  check_limits(request, findings);
  if (base.scenario.job == JobKind::kServing || !base.scenario.run.concurrent_jobs.empty()) {
    findings.add(problem("not_one_training_job", base.file,
                         base.scenario.job == JobKind::kServing ? "job serving" : "run.concurrent_jobs",
                         "one training job", "size one job at a time"));
  }
  const std::int64_t boxes = BoxedSpace(space).root_count();
  if (boxes > kMostBoxes) {
    findings.add(problem("too_many_points", "--vary", fmt::format("{} combinations", boxes),
                         fmt::format("at most {}, not counting workers and prefetched batches", kMostBoxes),
                         "vary fewer fields, or give fewer values"));
  }
  if (space.size() > request.most_points) {
    findings.add(problem("too_much", "--vary", fmt::format("{} configurations", space.size()),
                         fmt::format("up to {} without being asked", request.most_points),
                         "vary fewer values, give size a --time-limit and take the best until then, or give it --yes"));
  }
  const auto resolved = resolve(base, catalogue);
  const bool sized = !resolved.ok() || epoch_steps(resolved.value->scenario) > 0.0 || varies_length(space);
  const auto needs_length = [&](std::string option) {
    findings.add(problem("length_not_known", std::move(option), "a run without a length", "a run whose length is given",
                         "give dataset.samples or run.steps_per_epoch"));
  };
  if (sized) return findings;
  for (const Target& target : request.targets)
    if (target.figure == Figure::kTime || target.figure == Figure::kTotal)
      needs_length(std::string(target_option(target.figure)));
  if (request.objective == Figure::kTime || request.objective == Figure::kTotal) needs_length("--objective");
  return findings;
}

std::string_view target_field(Figure figure) {
  switch (figure) {
    case Figure::kUtilization:
      return "/plan/min_utilization";
    case Figure::kTime:
      return "/plan/deadline";
    case Figure::kTotal:
      return "/plan/budget";
    default:
      return "";
  }
}

void add_planned_targets(const PlanSpec& plan, SizeRequest& request) {
  const auto add = [&](Figure figure, double limit) {
    const auto same = [&](const Target& target) { return target.figure == figure; };
    if (limit > 0.0 && std::none_of(request.targets.begin(), request.targets.end(), same))
      request.targets.push_back({figure, limit});
  };
  add(Figure::kUtilization, plan.min_utilization);
  add(Figure::kTime, plan.deadline.base());
  add(Figure::kTotal, plan.budget.base());
}

std::vector<std::string> usual_variables(const ScenarioFile& base, const Catalogue& catalogue) {
  constexpr double kMostWorkers = 64.0;
  std::vector<std::string> texts;
  const auto resolved = resolve(base, catalogue);
  double cores = 16.0;
  if (resolved.ok()) {
    const ClusterSpec& cluster = resolved.value->scenario.cluster;
    cores = std::clamp(cluster.cores_per_node / static_cast<double>(cluster.gpus_per_node), 1.0, kMostWorkers);
  }
  std::string workers = "1";
  for (const int count : {2, 3, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64})
    if (count <= cores) workers += fmt::format(",{}", count);
  const auto tier = catalogue.tiers.find(base.scenario.storage.tier);
  const bool sized = tier != catalogue.tiers.end() && is_provisioned(tier->second);
  if (!sized || !resolved.ok() || loading_matters(resolved.value->scenario)) {
    texts.push_back("loader.num_workers=" + workers);
    texts.emplace_back("loader.prefetch_factor=1,2,4,8");
  }
  if (tier == catalogue.tiers.end()) return texts;
  std::vector<const TierRecord*> tiers = {&tier->second};
  if (resolved.ok() && storage_binds(resolved.value->scenario)) {
    for (const auto& [name, other] : catalogue.tiers)
      if (&other != &tier->second && could_replace(other, tier->second)) tiers.push_back(&other);
  }
  std::string names;
  for (const TierRecord* one : tiers) names += (names.empty() ? "" : ",") + one->name;
  if (tiers.size() > 1) texts.push_back("storage.tier=" + names);
  if (std::any_of(tiers.begin(), tiers.end(), [](const TierRecord* one) { return is_provisioned(*one); }))
    texts.emplace_back("storage.capacity=valid:x1.2");
  return texts;
}

}  // namespace stallcast
