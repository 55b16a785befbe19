#include "core/run/input_ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/engine/statistics.h"
#include "core/run/model_error.h"
#include "core/run/uncertainty.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

constexpr double kEventsForEnds = 6e6;  // about half a second on two cores
constexpr std::size_t kFewestTried = 3;

// Samples per second of the run; of one without a length its utilization, which they are in proportion to.
double throughput(const DrawnRun& run) {
  return run.time_to_train_s > 0.0 ? run.totals.samples / run.time_to_train_s : run.gpu_utilization;
}

// The inputs of `spread` that are tried alone: those that the draws point to first, of utilization and of throughput in
// turn, then the others.
std::vector<std::size_t> tried(const InputSpread& spread, std::size_t count) {
  const std::size_t all = spread.inputs.size();
  std::vector<std::vector<double>> factors(all);
  std::vector<double> utilizations, throughputs;
  for (const DrawnRun& run : spread.drawn) {
    for (std::size_t i = 0; i < all; ++i) factors[i].push_back(run.factors[i]);
    utilizations.push_back(run.gpu_utilization);
    throughputs.push_back(throughput(run));
  }
  const auto first = most_influential(factors, utilizations, all), second = most_influential(factors, throughputs, all);
  std::vector<std::size_t> out;
  const auto add = [&](std::size_t i) {
    if (out.size() < count && std::find(out.begin(), out.end(), i) == out.end()) out.push_back(i);
  };
  for (std::size_t k = 0; k < all; ++k) {
    if (k < first.size()) add(first[k]);
    if (k < second.size()) add(second[k]);
  }
  for (std::size_t i = 0; i < all; ++i) add(i);
  return out;
}

// What a figure varies by over the inputs as given and both ends.
template <class Read>
double span_of(const AssumedInput::Ends& ends, double as_given, const Read& read) {
  const double low = read(ends.low), high = read(ends.high);
  return std::max({low, high, as_given}) - std::min({low, high, as_given});
}

void try_ends(InputRanges& out, const Scenario& scenario, const RunResult& result, const RunOptions& options) {
  const InputSpread& spread = out.widened.inputs;
  if (spread.drawn.empty()) return;
  const double each =
      static_cast<double>(out.widened.events - result.events) / static_cast<double>(spread.drawn.size() + 1);
  const double affordable = each > 0.0 ? kEventsForEnds / (2.0 * each) : static_cast<double>(spread.inputs.size());
  const auto count =
      static_cast<std::size_t>(std::clamp(affordable, static_cast<double>(std::min(kFewestTried, spread.inputs.size())),
                                          static_cast<double>(spread.inputs.size())));
  const std::vector<std::size_t> inputs = tried(spread, count);
  std::vector<std::vector<double>> factors;
  for (const std::size_t i : inputs) {
    for (const double factor : {spread.inputs[i].low_factor, spread.inputs[i].high_factor}) {
      factors.emplace_back(spread.inputs.size(), 1.0);
      factors.back()[i] = factor;
    }
  }
  std::vector<std::optional<DrawnRun>> runs = runs_with_factors(scenario, result, options, std::move(factors));
  const double mean = result.gpu_utilization.mean, coarse = spread.as_given.gpu_utilization;
  const double rate = throughput(spread.as_given);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto input = std::find_if(out.inputs.begin(), out.inputs.end(), [&](const AssumedInput& one) {
      return one.assumed.range.pointer == spread.inputs[inputs[k]].pointer;
    });
    if (input == out.inputs.end() || !runs[2 * k] || !runs[2 * k + 1]) continue;  // one of run.uncertain
    input->ends = {std::move(*runs[2 * k]), std::move(*runs[2 * k + 1])};
    input->utilization_effect = span_of(
        *input->ends, mean, [&](const DrawnRun& run) { return drawn_fraction(run.gpu_utilization, coarse, mean); });
    if (rate > 0.0) input->throughput_effect = span_of(*input->ends, rate, throughput) / rate;
  }
}

}  // namespace

double most_model_error(const std::vector<AssumedInput>& assumed) {
  constexpr std::array<std::string_view, 6> kDeciding = {"/storage/",    "/dataset/decode_time", "/workload/step_time",
                                                         "/checkpoint/", "/loader/num_workers",  "/serving/"};
  const bool any = std::any_of(assumed.begin(), assumed.end(), [&](const AssumedInput& input) {
    return std::any_of(kDeciding.begin(), kDeciding.end(),
                       [&](std::string_view prefix) { return input.assumed.range.pointer.starts_with(prefix); });
  });
  return any ? kUnmeasuredError : kModelError;
}

InputRanges as_assumed(const ResolvedScenario& resolved, const RunResult& result) {
  InputRanges out;
  out.widened = result;
  const auto given = parse_uncertain_inputs(resolved.scenario.run.uncertain, "");
  for (AssumedValue& assumed : assumed_values(resolved)) {
    const bool known =
        given.value && std::any_of(given.value->begin(), given.value->end(),
                                   [&](const UncertainInput& u) { return u.pointer == assumed.range.pointer; });
    if (!known) out.inputs.push_back({std::move(assumed), std::nullopt});
  }
  return out;
}

InputRanges input_ranges(const ResolvedScenario& resolved, const RunResult& result, const RunOptions& options) {
  InputRanges out = as_assumed(resolved, result);
  if (out.inputs.empty() || result.steps == 0) return out;
  out.drawn = true;
  Scenario scenario = resolved.scenario;
  for (const AssumedInput& input : out.inputs)
    scenario.run.uncertain.push_back(uncertain_input_text(input.assumed.range));
  // Draws are what is wanted here, and no timeline of them.
  RunOptions draws = options;
  draws.trace = nullptr;
  RunResult base = result;
  // Too few steps to say what luck is worth: then the range is what the inputs make it.
  Estimate& utilization = base.gpu_utilization;
  if (utilization.ci95_low <= 0.0 && utilization.ci95_high >= 1.0)
    utilization = {utilization.mean, utilization.mean, utilization.mean};
  out.widened = with_uncertain_inputs(scenario, with_model_error(std::move(base), most_model_error(out.inputs)), draws,
                                      kRangeDraws);
  out.widened.inputs.simulation = result.gpu_utilization;
  try_ends(out, scenario, result, draws);
  std::stable_sort(out.inputs.begin(), out.inputs.end(), [](const AssumedInput& a, const AssumedInput& b) {
    return std::max(a.utilization_effect, a.throughput_effect) > std::max(b.utilization_effect, b.throughput_effect);
  });
  return out;
}

}  // namespace stallcast
