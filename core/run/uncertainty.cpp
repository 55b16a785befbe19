#include "core/run/uncertainty.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "core/diagnostics/invariant.h"
#include "core/engine/random_stream.h"
#include "core/engine/statistics.h"
#include "core/run/simulate_once.h"
#include "core/scenario/check/check.h"
#include "core/steps/parallel.h"
#include "core/timeline/optimal_interval.h"
#include "core/units/distribution.h"

namespace stallcast {
namespace {

constexpr double kZ95 = 1.6448536269514722;  // standard normal quantile at 0.95
constexpr double kTail = 0.001;

using Value = double (*)(const RunResult&);

// FNV-1a: the same input has the same stream whatever else is uncertain.
std::uint64_t entity_of(const std::string& pointer) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : pointer) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

// Probabilities, one in each of `draws` equal parts of (0, 1), in random order.
std::vector<double> stratified(const RandomStream& stream, std::int64_t draws) {
  const auto n = static_cast<std::size_t>(draws);
  std::vector<std::size_t> part(n);
  std::iota(part.begin(), part.end(), std::size_t{0});
  for (std::size_t i = n - 1; i > 0; --i) {
    const auto other = static_cast<std::size_t>(stream.uniform_at(i) * static_cast<double>(i + 1));
    std::swap(part[i], part[std::min(other, i)]);
  }
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = (static_cast<double>(part[i]) + stream.uniform_at(n + i)) / static_cast<double>(n);
  return out;
}

Scenario with_factors(const Scenario& scenario, const std::vector<UncertainInput>& inputs,
                      const std::vector<double>& factors) {
  Scenario out = scenario;
  out.run.uncertain.clear();
  for (std::size_t i = 0; i < inputs.size(); ++i) out = scaled(out, inputs[i].pointer, factors[i]);
  return out;
}

// The runs that were done: of the inputs as given (nothing when stopped before it was) and of each draw.
struct Runs {
  std::optional<RunResult> as_given;
  std::vector<std::vector<double>> factors;
  std::vector<RunResult> drawn;
};

// A coarse run for each set of factors; those that are no possible job are moved (drawn_scenario).
std::vector<std::optional<RunResult>> coarse_runs(const Scenario& scenario, const std::vector<UncertainInput>& inputs,
                                                  const RunResult& result, const RunOptions& options,
                                                  std::vector<std::vector<double>>& factors, double samples) {
  const CoarseRun base = coarse_run(scenario, result, options, samples);
  std::vector<std::optional<RunResult>> results(factors.size());
  std::mutex mutex;
  std::int64_t finished = 0;
  const auto as_given = [](const std::vector<double>& f) {
    return std::all_of(f.begin(), f.end(), [](double factor) { return factor == 1.0; });
  };
  const auto wanted =
      static_cast<std::int64_t>(factors.size()) - std::count_if(factors.begin(), factors.end(), as_given);
  parallel_for(static_cast<std::int64_t>(factors.size()), options.threads, [&](std::int64_t d) {
    if (options.stop.stop_requested()) return;
    const auto at = static_cast<std::size_t>(d);
    const Scenario drawn = base.drawn(inputs, factors[at]);
    RunResult one = simulate_once(drawn, result.seed, base.options, nullptr);
    if (options.stop.stop_requested()) return;
    results[at] = std::move(one);
    if (!options.progress || as_given(factors[at])) return;
    const std::lock_guard lock(mutex);
    Progress progress;
    progress.gpu_utilization = result.gpu_utilization;
    progress.draws = ++finished;
    progress.draws_wanted = wanted;
    options.progress(progress);
  });
  return results;
}

Runs run_draws(const Scenario& scenario, const std::vector<UncertainInput>& inputs, const RunResult& result,
               const RunOptions& options, std::int64_t draws) {
  std::vector<std::vector<double>> factors = drawn_factors(inputs, result.seed, draws);
  factors.insert(factors.begin(), std::vector<double>(inputs.size(), 1.0));
  const double samples = draws > kRangeDraws ? kDrawSamples : kRangeSamples;
  std::vector<std::optional<RunResult>> results = coarse_runs(scenario, inputs, result, options, factors, samples);
  Runs out{std::move(results.front()), {}, {}};
  for (std::size_t d = 1; d < results.size(); ++d) {
    if (!results[d]) continue;
    out.factors.push_back(std::move(factors[d]));
    out.drawn.push_back(std::move(*results[d]));
  }
  return out;
}

// Figures that are ranged beside those that have their own rule, by their names in JSON.
struct RangedFigure {
  const char* name;
  bool is_fraction;
  Value value;
};
constexpr RangedFigure kRangedFigures[] = {
    {"gpu_utilization_steady", true, [](const RunResult& r) { return r.gpu_utilization_steady.mean; }},
    {"useful_gpu_fraction", true, [](const RunResult& r) { return r.useful_gpu_fraction; }},
    {"au", true, [](const RunResult& r) { return r.au; }},
    {"au_steady", true, [](const RunResult& r) { return r.au_steady; }},
    {"au_mlperf", true, [](const RunResult& r) { return r.au_mlperf; }},
    {"samples_per_s_steady", false, [](const RunResult& r) { return r.samples_per_s_steady; }},
    {"samples_per_s_mlperf", false, [](const RunResult& r) { return r.samples_per_s_mlperf; }},
    {"step_time_s.mean", false, [](const RunResult& r) { return r.step_time_s.mean; }},
    {"time_to_first_batch_s", false, [](const RunResult& r) { return r.time_to_first_batch_s; }},
    {"checkpoint_stop_s", false, [](const RunResult& r) { return r.checkpoint_stop_s; }},
    {"cpu_busy_fraction", true, [](const RunResult& r) { return r.cpu_busy_fraction; }},
};

double ratio(double drawn, double as_given) {
  return as_given > 0.0 && std::isfinite(as_given) ? drawn / as_given : 1.0;
}

// The same of a fraction of 1 that is `mean` in the full run.
double fraction_ratio(double drawn, double as_given, double mean) {
  return mean > 0.0 ? drawn_fraction(drawn, as_given, mean) / mean : ratio(drawn, as_given);
}

Estimate widened(const Estimate& simulated, const Runs& runs, const auto& value) {
  std::vector<double> ratios;
  for (const RunResult& run : runs.drawn) ratios.push_back(ratio(value(run), value(*runs.as_given)));
  return widened(simulated, ratios);
}

Estimate widened_fraction(const Estimate& simulated, const Runs& runs, const auto& value) {
  std::vector<double> ratios;
  for (const RunResult& run : runs.drawn)
    ratios.push_back(fraction_ratio(value(run), value(*runs.as_given), simulated.mean));
  return widened(simulated, ratios);
}

// Of a quantity in proportion to time or rate, by the relative interval of what was simulated.
Estimate with_half(double mean, double relative_half) {
  return {mean, std::max(0.0, mean * (1.0 - relative_half)), mean * (1.0 + relative_half)};
}

void at_most_one(Estimate& fraction) { fraction.ci95_high = std::min(1.0, fraction.ci95_high); }

std::vector<double> shares_of(const Runs& runs, std::size_t inputs, Value value) {
  std::vector<double> results, out;
  for (const RunResult& run : runs.drawn) results.push_back(value(run));
  double sum = 0.0;
  for (std::size_t i = 0; i < inputs; ++i) {
    std::vector<double> factors;
    for (const auto& draw : runs.factors) factors.push_back(draw[i]);
    out.push_back(squared_rank_correlation(factors, results));
    sum += out.back();
  }
  for (double& share : out) share = sum > 0.0 ? share / sum : 0.0;
  return out;
}

double utilization(const RunResult& r) { return r.gpu_utilization.mean; }
// Of the whole run, or else of its steady part: the stretches that were simulated differ in length.
double throughput(const RunResult& r) {
  return r.time_to_train_s > 0.0 ? r.totals.samples / r.time_to_train_s : r.samples_per_s_steady;
}
double goodput(const RunResult& r) { return r.timeline.replications > 0 ? r.goodput_fraction : r.gpu_utilization.mean; }

// What a busy second trains: of draws, free of the luck that keeps GPUs waiting.
double samples_per_busy_s(const RunResult& r) { return goodput(r) > 0.0 ? throughput(r) / goodput(r) : 0.0; }

double throughput_ratio(const RunResult& run, const RunResult& as_given, double mean_goodput) {
  return ratio(samples_per_busy_s(run), samples_per_busy_s(as_given)) *
         fraction_ratio(goodput(run), goodput(as_given), mean_goodput);
}

double time_ratio(const RunResult& run, const RunResult& as_given, double mean_goodput) {
  const double faster = throughput_ratio(run, as_given, mean_goodput);
  if (!(faster > 0.0)) return std::numeric_limits<double>::infinity();  // nothing gets done
  return ratio(run.totals.samples, as_given.totals.samples) / faster;
}

void widen_timeline(TimelineResult& timeline, const Runs& runs, const std::vector<double>& times) {
  if (timeline.replications == 0 || runs.as_given->timeline.replications == 0) return;
  timeline.wall_s = widened(timeline.wall_s, times);
  timeline.goodput_fraction = widened_fraction(timeline.goodput_fraction, runs,
                                               [](const RunResult& r) { return r.timeline.goodput_fraction.mean; });
  timeline.ettr = widened_fraction(timeline.ettr, runs, [](const RunResult& r) { return r.timeline.ettr.mean; });
  for (std::size_t k = 0; k < kInterruptions; ++k) {
    timeline.interruptions[k] =
        widened(timeline.interruptions[k], runs, [k](const RunResult& r) { return r.timeline.interruptions[k].mean; });
  }
}

// A draw may have its epochs in other parts; then a part's interval stays that of the simulation.
void widen_regimes(std::vector<RegimeResult>& regimes, const Runs& runs) {
  const auto alike = [&](const RunResult& run) { return run.regimes.size() == regimes.size(); };
  if (!alike(*runs.as_given) || !std::all_of(runs.drawn.begin(), runs.drawn.end(), alike)) return;
  for (std::size_t i = 0; i < regimes.size(); ++i) {
    regimes[i].gpu_utilization = widened_fraction(
        regimes[i].gpu_utilization, runs, [i](const RunResult& r) { return r.regimes[i].gpu_utilization.mean; });
  }
}

// 0 where there are too few steps for an interval: it is then all that a fraction can be.
double relative_half(const Estimate& estimate) {
  if (estimate.ci95_low <= 0.0 && estimate.ci95_high == 1.0) return 0.0;
  return estimate.mean > 0.0 && std::isfinite(estimate.mean) ? estimate.half_width() / estimate.mean : 0.0;
}

SimulationIntervals intervals_of(const RunResult& result) {
  const TimelineResult& timeline = result.timeline;
  SimulationIntervals out{result.gpu_utilization, timeline.wall_s,        timeline.goodput_fraction,
                          timeline.ettr,          timeline.interruptions, {}};
  for (const RegimeResult& regime : result.regimes) out.regimes.push_back(regime.gpu_utilization);
  return out;
}

DrawnRun as_drawn(const RunResult& run, std::vector<double> factors) {
  return {std::move(factors), run.gpu_utilization.mean, run.time_to_train_s, run.totals, run.events};
}

// Every interval of `result`, and those of `spread`.
void widen(RunResult& result, InputSpread& spread, const Runs& runs) {
  const TimelineResult& timeline = result.timeline;
  const double half = relative_half(timeline.replications > 0 ? timeline.wall_s : result.gpu_utilization);
  spread.simulation_half = half;
  std::vector<double> rates, times;
  for (const RunResult& run : runs.drawn) {
    rates.push_back(throughput_ratio(run, *runs.as_given, goodput(result)));
    times.push_back(time_ratio(run, *runs.as_given, goodput(result)));
  }
  spread.samples_per_s = widened(with_half(result.samples_per_s, half), rates);
  spread.time_to_train_s = widened(with_half(result.time_to_train_s, half), times);
  const Estimate kept =
      timeline.replications > 0 ? timeline.goodput_fraction : with_half(result.goodput_fraction, half);
  spread.goodput_fraction = widened_fraction(kept, runs, goodput);
  at_most_one(spread.goodput_fraction);
  for (const RangedFigure& figure : kRangedFigures) {
    const Estimate simulated = with_half(figure.value(result), half);
    Estimate range =
        figure.is_fraction ? widened_fraction(simulated, runs, figure.value) : widened(simulated, runs, figure.value);
    if (figure.is_fraction) at_most_one(range);
    spread.figures.push_back({figure.name, range});
  }
  result.gpu_utilization = widened_fraction(result.gpu_utilization, runs, utilization);
  at_most_one(result.gpu_utilization);
  widen_timeline(result.timeline, runs, times);
  at_most_one(result.timeline.goodput_fraction);
  at_most_one(result.timeline.ettr);
  widen_regimes(result.regimes, runs);
  for (RegimeResult& regime : result.regimes) at_most_one(regime.gpu_utilization);
}

}  // namespace

RunResult without_input_spread(RunResult result) {
  if (result.inputs.draws_wanted == 0) return result;
  const SimulationIntervals had = std::move(result.inputs.simulation);
  result.inputs = InputSpread();
  result.gpu_utilization = had.gpu_utilization;
  result.timeline.wall_s = had.wall_s;
  result.timeline.goodput_fraction = had.goodput_fraction;
  result.timeline.ettr = had.ettr;
  result.timeline.interruptions = had.interruptions;
  for (std::size_t i = 0; i < result.regimes.size(); ++i) result.regimes[i].gpu_utilization = had.regimes[i];
  return result;
}

std::vector<std::string> ranged_figures() {
  std::vector<std::string> names;
  for (const RangedFigure& figure : kRangedFigures) names.emplace_back(figure.name);
  return names;
}

double factor_at(const UncertainInput& input, double p) {
  const double z = normal_quantile(std::clamp(p, kTail, 1.0 - kTail));
  return std::pow(z < 0.0 ? input.low_factor : input.high_factor, std::abs(z) / kZ95);
}

std::vector<std::vector<double>> drawn_factors(const std::vector<UncertainInput>& inputs, std::uint64_t seed,
                                               std::int64_t draws) {
  std::vector<std::vector<double>> out(static_cast<std::size_t>(draws));
  for (const UncertainInput& input : inputs) {
    const RandomStream stream(seed, DrawPurpose::kUncertainInput, entity_of(input.pointer));
    const std::vector<double> probabilities = stratified(stream, draws);
    for (std::size_t d = 0; d < out.size(); ++d) out[d].push_back(factor_at(input, probabilities[d]));
  }
  return out;
}

Scenario drawn_scenario(const Scenario& scenario, const std::vector<UncertainInput>& inputs,
                        std::vector<double>& factors) {
  constexpr int kMostMoves = 30;
  Scenario out = with_factors(scenario, inputs, factors);
  for (int move = 0; move < kMostMoves && check_scenario(out, {}, "").has_errors(); ++move) {
    for (double& factor : factors) factor = std::sqrt(factor);
    out = with_factors(scenario, inputs, factors);
  }
  return out;
}

Scenario CoarseRun::drawn(const std::vector<UncertainInput>& inputs, std::vector<double>& factors) const {
  Scenario out = drawn_scenario(scenario, inputs, factors);
  adapt_interval(out);
  return out;
}

void CoarseRun::adapt_interval(Scenario& changed) const {
  const double then = estimated_interval_s > 0.0 ? estimated_interval(changed) : 0.0;
  if (then > 0.0) changed.checkpoint.interval = changed.checkpoint.interval * (then / estimated_interval_s);
}

Seconds interval_by_the_clock(const TimelineResult& timeline) {
  const CheckpointBehaviour& had = timeline.checkpoint;
  return seconds(had.interval_s * (1.0 - 0.5 / std::max(1.0, had.interval_steps)));
}

CoarseRun coarse_run(const Scenario& scenario, const RunResult& result, const RunOptions& options, double samples) {
  CoarseRun out{scenario, {}, 0.0};
  Scenario& coarse = out.scenario;
  coarse.run.uncertain.clear();
  coarse.run.precision = std::min(0.5, kDrawCoarser * coarse.run.precision);
  if (result.regimes.empty() && result.steps > 0) coarse.run.max_steps = std::min(coarse.run.max_steps, result.steps);
  if (coarse.checkpoint.cadence == CheckpointCadence::kOptimal && result.timeline.checkpoint.interval_s > 0.0) {
    out.estimated_interval_s = estimated_interval(coarse);
    coarse.checkpoint.cadence = CheckpointCadence::kTime;
    coarse.checkpoint.interval = interval_by_the_clock(result.timeline);
  }
  out.options.exact = options.exact;
  out.options.known = options.known;
  out.options.stop = options.stop;
  out.options.threads = 1;
  out.options.affordable_samples = samples;
  out.options.coarse = true;
  const std::int64_t runs = result.timeline.replications;
  out.options.replications = std::max<std::int64_t>(2, (runs + kDrawRunsDividedBy - 1) / kDrawRunsDividedBy);
  return out;
}

double drawn_fraction(double drawn, double as_given, double mean) {
  if (drawn <= as_given || as_given >= 1.0) return as_given > 0.0 ? mean * drawn / as_given : mean;
  return 1.0 - (1.0 - mean) * (1.0 - drawn) / (1.0 - as_given);
}

std::vector<std::optional<DrawnRun>> runs_with_factors(const Scenario& scenario, const RunResult& result,
                                                       const RunOptions& options,
                                                       std::vector<std::vector<double>> factors) {
  const auto inputs = parse_uncertain_inputs(scenario.run.uncertain, "");
  invariant(inputs.value.has_value(), "run.uncertain has findings: it does not come from resolve()");
  const auto results = coarse_runs(scenario, *inputs.value, result, options, factors, kRangeSamples);
  std::vector<std::optional<DrawnRun>> out(results.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i]) out[i] = as_drawn(*results[i], std::move(factors[i]));
  return out;
}

RunResult with_uncertain_inputs(const Scenario& scenario, RunResult result, const RunOptions& options,
                                std::int64_t draws) {
  const auto inputs = parse_uncertain_inputs(scenario.run.uncertain, "");
  invariant(inputs.value.has_value(), "run.uncertain has findings: it does not come from resolve()");
  const auto began = std::chrono::steady_clock::now();
  InputSpread spread;
  spread.draws_wanted = draws;
  spread.simulation = intervals_of(result);
  for (const UncertainInput& input : *inputs.value)
    spread.inputs.push_back({input.pointer, input.low_factor, input.high_factor, 0.0, 0.0});
  Runs runs = run_draws(scenario, *inputs.value, result, options, draws);
  if (!runs.as_given) runs = {RunResult(), {}, {}};
  widen(result, spread, runs);
  const std::vector<double> of_utilization = shares_of(runs, spread.inputs.size(), utilization);
  const std::vector<double> of_throughput = shares_of(runs, spread.inputs.size(), throughput);
  for (std::size_t i = 0; i < spread.inputs.size(); ++i) {
    spread.inputs[i].utilization_share = of_utilization[i];
    spread.inputs[i].throughput_share = of_throughput[i];
  }
  spread.as_given = as_drawn(*runs.as_given, std::vector<double>(spread.inputs.size(), 1.0));
  for (std::size_t d = 0; d < runs.drawn.size(); ++d) {
    spread.drawn.push_back(as_drawn(runs.drawn[d], std::move(runs.factors[d])));
    result.events += runs.drawn[d].events;
  }
  result.events += runs.as_given->events;
  result.wall_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  result.converged = result.converged && static_cast<std::int64_t>(spread.drawn.size()) == draws;
  result.inputs = std::move(spread);
  return result;
}

}  // namespace stallcast
