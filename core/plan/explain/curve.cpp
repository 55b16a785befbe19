#include "core/plan/explain/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "core/diagnostics/finding.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/explain/curve_values.h"
#include "core/result/estimate.h"
#include "core/result/run_result.h"
#include "core/run/input_ranges.h"
#include "core/run/simulate.h"
#include "core/scenario/fields/simulation_key.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/scenario.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

// Utilization that more of the field must still bring to be worth mentioning.
constexpr double kKneeGain = 0.01;

// "storage.capacity 10 TiB: allowed 12 TiB to 100 TiB in steps of 4 TiB"
std::string first_problem(const Findings& findings) {
  for (const Finding& finding : findings.list()) {
    if (finding.severity != Severity::kError) continue;
    std::string text = dotted_name(finding.pointer) + " " + finding.got;
    if (!finding.allowed.empty()) text += ": allowed " + finding.allowed;
    if (!finding.why.empty()) text += " (" + finding.why + ")";
    return text;
  }
  return "";
}

// A step as it is written, and what it resolves to.
struct Candidate {
  CurveStep step;
  std::optional<ResolvedScenario> resolved;
};

Candidate candidate(const ScenarioFile& file, const Catalogue& catalogue, const std::string& pointer,
                    const std::string& text, double precision) {
  Candidate out;
  out.step.text = text;
  Loaded<ResolvedScenario> resolved = resolve_at(file, {{pointer, text}}, catalogue);
  if (!resolved.ok()) {
    out.step.why_not = first_problem(resolved.findings);
    return out;
  }
  out.resolved = std::move(*resolved.value);
  RunSpec& run = out.resolved->scenario.run;
  run.precision = std::max(run.precision, precision);
  return out;
}

// Where the curve has `text`; numbers that no field takes come last.
double place_of(const std::string& pointer, const std::string& text) {
  return number_of_text(pointer, text).value_or(std::numeric_limits<double>::infinity());
}

// Each value once, ascending where the field has an order.
std::vector<Candidate> candidates(const ScenarioFile& file, const Catalogue& catalogue, const std::string& pointer,
                                  const std::vector<std::string>& values, double precision) {
  std::vector<std::string> texts = values;
  const bool ordered = has_order(pointer);
  if (ordered) {
    std::stable_sort(texts.begin(), texts.end(), [&](const std::string& a, const std::string& b) {
      return place_of(pointer, a) < place_of(pointer, b);
    });
  }
  std::vector<Candidate> out;
  for (const std::string& text : texts) {
    const double place = ordered ? place_of(pointer, text) : static_cast<double>(out.size());
    const auto is_same = [&](const Candidate& c) {
      return ordered && std::isfinite(place) ? c.step.value == place : c.step.text == text;
    };
    if (std::any_of(out.begin(), out.end(), is_same)) continue;
    out.push_back(candidate(file, catalogue, pointer, text, precision));
    out.back().step.value = std::isfinite(place) ? place : 0.0;
  }
  return out;
}

// Steps that one simulation answers, in the order of their first.
std::vector<std::vector<std::size_t>> shared(const std::vector<Candidate>& all) {
  std::map<std::string, std::size_t> group_of;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].resolved) continue;
    const auto [at, is_new] = group_of.try_emplace(simulation_key(all[i].resolved->scenario), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(i);
  }
  return groups;
}

std::optional<std::size_t> step_as_it_is(const std::vector<Candidate>& all, const ScenarioFile& file,
                                         const Catalogue& catalogue, const std::string& pointer) {
  const Loaded<ResolvedScenario> base = resolve(file, catalogue);
  if (!base.ok()) return std::nullopt;
  const std::string now = text_of_field(base.value->scenario, pointer);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].resolved && text_of_field(all[i].resolved->scenario, pointer) == now) return i;
  return std::nullopt;
}

double utilization(const CurveStep& step) { return value_of(*find_kpi("gpu_utilization"), *step.figures)->mean; }

std::optional<std::size_t> knee_of(const std::vector<CurveStep>& steps) {
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].figures) known.push_back(i);
  for (std::size_t k = 0; k + 1 < known.size(); ++k) {
    const double here = utilization(steps[known[k]]);
    const bool enough = std::all_of(known.begin() + static_cast<std::ptrdiff_t>(k) + 1, known.end(),
                                    [&](std::size_t i) { return utilization(steps[i]) <= here + kKneeGain; });
    if (enough) return known[k];
  }
  return std::nullopt;
}

}  // namespace

Curve field_curve(const ScenarioFile& file, const Catalogue& catalogue, const std::string& pointer,
                  const std::vector<std::string>& values, const CurveOptions& options) {
  const double precision = options.pairs == nullptr ? options.precision : 0.0;
  std::vector<Candidate> all = candidates(file, catalogue, pointer, values, precision);
  const std::vector<std::vector<std::size_t>> groups = shared(all);
  const RunOptions run = one_of_many(options.run);
  std::mutex mutex;
  const auto tell = [&](std::size_t i) {
    const std::lock_guard lock(mutex);
    if (options.done) options.done(i, all[i].step);
  };
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!all[i].resolved) tell(i);
  Curve curve;
  curve.pointer = pointer;
  std::vector<std::optional<RunResult>> results(groups.size());
  parallel_for(static_cast<std::int64_t>(groups.size()), options.run.threads, [&](std::int64_t g) {
    const std::vector<std::size_t>& group = groups[static_cast<std::size_t>(g)];
    if (run.stop.stop_requested()) return;
    std::optional<RunResult>& result = results[static_cast<std::size_t>(g)];
    if (options.pairs == nullptr) result = simulate(with_inputs_as_given(*all[group.front()].resolved).scenario, run);
    for (const std::size_t i : group) {
      const ResolvedScenario given = with_inputs_as_given(*all[i].resolved);
      KpiValues figures = result ? kpi_values(evaluate(given, *result)) : options.pairs->of(given);
      if (run.stop.stop_requested()) return;
      all[i].step.figures = std::move(figures);
      tell(i);
    }
  });
  for (std::size_t g = 0; options.ranges && g < groups.size(); ++g) {
    if (!results[g] || options.run.stop.stop_requested()) break;
    const RunResult ranged = with_assumed_inputs(*all[groups[g].front()].resolved, *results[g], options.run);
    if (options.run.stop.stop_requested()) break;
    for (const std::size_t i : groups[g]) {
      all[i].step.figures = kpi_values(evaluate(*all[i].resolved, ranged));
      tell(i);
    }
    curve.ranged = g + 1 == groups.size();
  }
  curve.now = step_as_it_is(all, file, catalogue, pointer);
  for (Candidate& one : all) {
    curve.complete = curve.complete && (one.step.figures || !one.resolved);
    curve.steps.push_back(std::move(one.step));
  }
  if (has_order(pointer)) curve.knee = knee_of(curve.steps);
  return curve;
}

}  // namespace stallcast
