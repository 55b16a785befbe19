#include "tests/hunt/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>

#include "core/run/simulate.h"
#include "core/scenario/representatives.h"
#include "core/scenario/run_length.h"

namespace stallcast::hunt {
namespace {

constexpr double kCoarse = 0.02, kFine = 0.002;  // run.precision
constexpr double kSevere = 100.0;                // of what has no size

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// How far an answer may be off beside what a finding is, because less precision was asked for.
struct Slack {
  double points = 0.0, relative = 0.0;
};

// Findings of one way; what the default has as well is not said again.
void add_differences(Trial& trial, const char* of, const std::vector<Difference>& differences,
                     const Slack& slack = {}) {
  for (const Difference& d : differences) {
    Difference beyond = d;
    beyond.size = std::max(0.0, std::abs(d.size) - (d.kind == FigureKind::kPoints ? slack.points : slack.relative));
    const std::string of_default = fmt::format("{}/{}", way_name(Way::kDefault), d.figure);
    const bool known = std::any_of(trial.faults.begin(), trial.faults.end(),
                                   [&](const Fault& fault) { return fault.kind == of_default; });
    if (is_finding(beyond) && !known)
      trial.faults.push_back({fmt::format("{}/{}", of, d.figure), text_of(d), d.figure, beyond.severity()});
  }
}

void add_identities(Trial& trial, Way way, const ResolvedScenario& scenario, const RunResult& result) {
  for (const BrokenIdentity& b : broken_identities(scenario, result)) {
    const std::string of_default = fmt::format("{}: {}", way_name(Way::kDefault), b.name);
    const bool known = way != Way::kWhole && std::any_of(trial.faults.begin(), trial.faults.end(),
                                                         [&](const Fault& fault) { return fault.kind == of_default; });
    if (known) continue;
    trial.faults.push_back({fmt::format("{}: {}", way_name(way), b.name), b.broken.what, "",
                            1.0 + std::abs(b.broken.by) / kFindingPercent});
  }
}

// Whether there is an answer to compare; notes why not.
bool usable(Trial& trial, Way way, const Answer& answer) {
  if (answer.result) return true;
  if (answer.failure.empty()) {
    trial.skipped = fmt::format("{}: takes too long", way_name(way));
  } else {
    trial.faults.push_back({fmt::format("{}: exception", way_name(way)), answer.failure, "", kSevere});
  }
  return false;
}

}  // namespace

const char* way_name(Way way) {
  switch (way) {
    case Way::kDefault:
      return "default";
    case Way::kWhole:
      return "whole";
    case Way::kExact:
      return "exact";
    case Way::kCoarse:
      return "precision 0.02";
    case Way::kFine:
      return "precision 0.002";
  }
  return "";
}

Answer answer(const ResolvedScenario& resolved, Way way, const TrialLimits& limits, std::optional<std::uint64_t> seed) {
  ResolvedScenario scenario = resolved;
  RunSpec& run = scenario.scenario.run;
  if (way == Way::kWhole || way == Way::kExact) run.whole_run = true;
  if (way == Way::kCoarse) run.precision = kCoarse;
  if (way == Way::kFine) run.precision = kFine;
  std::stop_source stop;
  RunOptions options;
  options.seed = seed;
  options.exact = way == Way::kExact;
  options.affordable_samples = limits.affordable_samples;
  options.threads = 1;
  options.stop = stop.get_token();
  // Not by progress: runs with interruptions that are simulated exactly go on for minutes without any.
  const std::jthread watch([&stop, &limits](const std::stop_token& answered) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, answered, std::chrono::duration<double>(limits.most_s), [] { return false; });
    if (!answered.stop_requested()) stop.request_stop();
  });
  Answer out;
  try {
    RunResult result = simulate(scenario.scenario, options);
    if (stop.stop_requested()) return out;
    out.figures = figures_of(scenario, result);
    out.result = std::move(result);
  } catch (const std::exception& error) {
    out.failure = error.what();
  }
  return out;
}

Trial try_job(const nlohmann::ordered_json& job, const Catalogue& catalogue, const TrialLimits& limits) {
  Trial trial;
  Findings findings;
  const auto scenario = resolve_job(job, catalogue, &findings);
  if (!scenario) {
    for (const Finding& finding : findings.list()) {
      if (finding.severity != Severity::kError) continue;
      trial.skipped = fmt::format("{} at {}", finding.code, finding.pointer);
      break;
    }
    return trial;
  }
  if (simulated_samples(scenario->scenario) > 4.0 * limits.job.most_samples) {
    trial.skipped = "too many samples";
    return trial;
  }
  return try_scenario(*scenario, limits);
}

namespace {

void calm(Scenario& s) {
  for (Distribution* const d :
       {&s.workload.step_time, &s.dataset.sample_size, &s.dataset.decode_time, &s.loader.gpu_decode_time,
        &s.storage.latency, &s.storage.open_latency, &s.origin.latency, &s.page_cache.latency, &s.node_cache.latency,
        &s.server_cache.latency, &s.regional_cache.latency})
    *d = Distribution::constant(mean_of(*d));
}

// The answer to a large job, of which parts are simulated, and perhaps on a few nodes that stand for all, beside every
// step of every rank.
Trial try_large(const ResolvedScenario& scenario, const TrialLimits& limits) {
  Trial trial;
  const Scenario& s = scenario.scenario;
  const Representatives group = representatives_of(s);
  const double all_samples = simulated_samples(s) / group.share();
  if (group.all() || all_samples <= limits.affordable_samples || all_samples > limits.most_exact_samples) {
    trial.skipped = all_samples > limits.most_exact_samples ? "too many samples" : "simulated whole, with all nodes";
    return trial;
  }
  Clock::time_point start = Clock::now();
  const Answer usual = answer(scenario, Way::kDefault, limits);
  trial.default_s = seconds_since(start);
  if (!usable(trial, Way::kDefault, usual)) return trial;
  start = Clock::now();
  const Answer exact = answer(scenario, Way::kExact, limits);
  trial.whole_s = seconds_since(start);
  if (!usable(trial, Way::kExact, exact)) return trial;
  trial.tried = true;
  trial.differences = compare(exact.figures, usual.figures);
  add_differences(trial, "default beside exact", trial.differences);
  if (limits.luck && !trial.faults.empty()) {
    const Answer other = answer(scenario, Way::kExact, limits, exact.result->seed + 1000);
    if (other.result) trial.luck = compare(exact.figures, other.figures);
  }
  std::stable_sort(trial.faults.begin(), trial.faults.end(),
                   [](const Fault& a, const Fault& b) { return a.severity > b.severity; });
  return trial;
}

}  // namespace

Trial try_scenario(const ResolvedScenario& given, const TrialLimits& limits) {
  Trial trial;
  ResolvedScenario scenario = given;
  scenario.scenario.run.uncertain.clear();  // another question
  if (limits.calm) calm(scenario.scenario);
  if (limits.large) return try_large(scenario, limits);
  Clock::time_point start = Clock::now();
  const Answer usual = answer(scenario, Way::kDefault, limits);
  trial.default_s = seconds_since(start);
  if (!usable(trial, Way::kDefault, usual)) return trial;
  start = Clock::now();
  const Answer whole = answer(scenario, Way::kWhole, limits);
  trial.whole_s = seconds_since(start);
  if (!usable(trial, Way::kWhole, whole)) return trial;
  trial.tried = true;
  trial.differences = compare(whole.figures, usual.figures);
  add_differences(trial, "default", trial.differences);
  add_identities(trial, Way::kDefault, scenario, *usual.result);
  add_identities(trial, Way::kWhole, scenario, *whole.result);
  if (limits.all_ways) {
    std::vector<Way> ways{Way::kCoarse, Way::kFine};
    if (!representatives_of(scenario.scenario).all()) ways.push_back(Way::kExact);
    for (const Way way : ways) {
      const Answer other = answer(scenario, way, limits);
      if (!usable(trial, way, other)) continue;
      if (way == Way::kExact) {  // what represents is measured by what it stands for
        add_differences(trial, "whole beside exact", compare(other.figures, whole.figures));
      } else {
        const double asked = way == Way::kCoarse ? kCoarse : kFine;
        const double busy = std::max(asked, whole.result->gpu_utilization.mean);
        add_differences(trial, way_name(way), compare(whole.figures, other.figures), {asked, asked / busy});
      }
      add_identities(trial, way, scenario, *other.result);
    }
  }
  if (limits.luck && !trial.faults.empty()) {
    const Answer other = answer(scenario, Way::kWhole, limits, whole.result->seed + 1000);
    if (other.result) trial.luck = compare(whole.figures, other.figures);
  }
  std::stable_sort(trial.faults.begin(), trial.faults.end(),
                   [](const Fault& a, const Fault& b) { return a.severity > b.severity; });
  return trial;
}

std::string text_of(const Fault& fault, const std::vector<Difference>& luck) {
  const auto same =
      std::find_if(luck.begin(), luck.end(), [&](const Difference& d) { return d.figure == fault.figure; });
  if (same == luck.end()) return fmt::format("{}: {}", fault.kind, fault.what);
  return fmt::format("{}: {}; another seed of the whole run: {:+.2f}", fault.kind, fault.what, 100.0 * same->size);
}

bool is_ordinary(const Scenario& s) {
  return epoch_steps(s) >= 20.0 && step_compute_s(s) > 0.0 && mean_of(s.dataset.sample_size) > 0.0;
}

}  // namespace stallcast::hunt
