#include "core/run/serving_ranges.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/run/input_ranges.h"
#include "core/run/model_error.h"
#include "core/run/simulate_serving.h"
#include "core/run/uncertainty.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

using Factors = std::vector<double>;

// One load for each set of factors; nothing for those that a stop left undone.
std::vector<std::optional<ServingResult>> loads_with(const Scenario& scenario,
                                                     const std::vector<UncertainInput>& inputs,
                                                     std::vector<Factors> factors, const RunOptions& options) {
  Scenario base = scenario;
  base.run.uncertain.clear();
  RunOptions coarse;
  coarse.seed = options.seed;
  coarse.exact = options.exact;
  coarse.stop = options.stop;
  coarse.threads = 1;
  coarse.coarse = true;
  std::vector<std::optional<ServingResult>> out(factors.size());
  parallel_for(static_cast<std::int64_t>(factors.size()), options.threads, [&](std::int64_t d) {
    if (options.stop.stop_requested()) return;
    const auto at = static_cast<std::size_t>(d);
    ServingResult one = simulate_serving(drawn_scenario(base, inputs, factors[at]), coarse);
    if (!options.stop.stop_requested()) out[at] = std::move(one);
  });
  return out;
}

std::vector<FigureRange> figures_of(const ServingResult& result, const ServingRanges& ranges) {
  std::vector<FigureRange> out;
  const auto add = [&](const char* name, double ServingResult::*member) {
    out.push_back({name, range_of_draws(result.*member, ranges.model_error * result.*member, ranges,
                                        [member](const ServingResult& r) { return r.*member; })});
  };
  add("time_to_ready_s.first", &ServingResult::first_ready_s);
  add("time_to_ready_s.median", &ServingResult::median_ready_s);
  add("time_to_ready_s.mean", &ServingResult::mean_ready_s);
  add("time_to_ready_s.last", &ServingResult::last_ready_s);
  add("last_byte_s", &ServingResult::last_byte_s);
  add("bytes_per_s", &ServingResult::bytes_per_s);
  return out;
}

}  // namespace

ServingRanges assumed_of_load(const ResolvedScenario& resolved) {
  ServingRanges out;
  for (AssumedInput& input : as_assumed(resolved, RunResult()).inputs)
    out.inputs.push_back({std::move(input.assumed), std::nullopt});
  return out;
}

ServingRanges serving_ranges(const ResolvedScenario& resolved, const ServingResult& result, const RunOptions& options) {
  ServingRanges out;
  const std::vector<AssumedInput> all = as_assumed(resolved, RunResult()).inputs;
  for (const AssumedInput& input : all) out.inputs.push_back({input.assumed, std::nullopt});
  const Scenario& s = resolved.scenario;
  std::vector<UncertainInput> inputs;
  for (const AssumedLoadInput& input : out.inputs) inputs.push_back(input.assumed.range);
  const std::size_t assumed = inputs.size();
  if (const auto known = parse_uncertain_inputs(s.run.uncertain, ""); known.value)
    inputs.insert(inputs.end(), known.value->begin(), known.value->end());
  if (inputs.empty() || !(result.last_ready_s > 0.0)) return out;

  const Factors as_given(inputs.size(), 1.0);
  std::vector<Factors> factors = drawn_factors(inputs, result.seed, kRangeDraws);
  factors.insert(factors.begin(), as_given);
  for (std::size_t i = 0; i < assumed; ++i) {
    for (const double factor : {inputs[i].low_factor, inputs[i].high_factor}) {
      factors.push_back(as_given);
      factors.back()[i] = factor;
    }
  }
  std::vector<std::optional<ServingResult>> loads = loads_with(s, inputs, std::move(factors), options);
  if (!loads.front()) return out;
  out.drawn = true;
  out.as_given = *loads.front();
  constexpr auto kDraws = static_cast<std::size_t>(kRangeDraws);
  for (std::size_t d = 1; d <= kDraws; ++d)
    if (loads[d]) out.draws.push_back(std::move(*loads[d]));
  for (std::size_t i = 0; i < assumed; ++i) {
    std::optional<ServingResult>&low = loads[kDraws + 1 + 2 * i], &high = loads[kDraws + 2 + 2 * i];
    if (!low || !high) continue;
    const double base = out.as_given.last_ready_s;
    const auto [least, most] = std::minmax({low->last_ready_s, high->last_ready_s, base});
    out.inputs[i].time_effect = (most - least) / base;
    out.inputs[i].ends = {std::move(*low), std::move(*high)};
  }
  out.model_error = model_error(0.0, most_model_error(all));
  out.figures = figures_of(result, out);
  std::stable_sort(out.inputs.begin(), out.inputs.end(),
                   [](const AssumedLoadInput& a, const AssumedLoadInput& b) { return a.time_effect > b.time_effect; });
  return out;
}

}  // namespace stallcast
