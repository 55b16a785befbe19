#include "core/run/input_ranges.h"

#include <algorithm>
#include <utility>

#include "core/engine/statistics.h"
#include "core/run/uncertainty.h"
#include "core/scenario/uncertain_input.h"
#include "core/units/distribution.h"

namespace stallcast {
namespace {

// The part of the variance of `results` that goes with `factors`; 0 where it cannot be told from chance: of `inputs`
// without influence one in twenty cases shows one that looks as if it had more.
double share_of(const std::vector<double>& factors, const std::vector<double>& results, std::size_t inputs) {
  if (results.size() < 3) return 0.0;
  const double z = normal_quantile(1.0 - 0.025 / static_cast<double>(inputs));
  const double share = squared_rank_correlation(factors, results);
  return share > z * z / static_cast<double>(results.size() - 1) ? share : 0.0;
}

}  // namespace

InputRanges as_assumed(const ResolvedScenario& resolved, const RunResult& result) {
  InputRanges out;
  out.widened = result;
  const auto given = parse_uncertain_inputs(resolved.scenario.run.uncertain, "");
  for (AssumedValue& assumed : assumed_values(resolved)) {
    const bool known =
        given.value && std::any_of(given.value->begin(), given.value->end(),
                                   [&](const UncertainInput& u) { return u.pointer == assumed.range.pointer; });
    if (!known) out.inputs.push_back({std::move(assumed), 0.0, 0.0});
  }
  return out;
}

InputRanges input_ranges(const ResolvedScenario& resolved, const RunResult& result, const RunOptions& options) {
  InputRanges out = as_assumed(resolved, result);
  if (out.inputs.empty()) return out;
  out.drawn = true;
  Scenario scenario = resolved.scenario;
  for (const AssumedInput& input : out.inputs)
    scenario.run.uncertain.push_back(uncertain_input_text(input.assumed.range));
  // Draws are what is wanted here, and no timeline of them.
  RunOptions draws = options;
  draws.trace = nullptr;
  out.widened = with_uncertain_inputs(scenario, result, draws);
  const InputSpread& spread = out.widened.inputs;
  std::vector<double> utilization, throughput;
  for (const DrawnRun& run : spread.drawn) {
    utilization.push_back(run.gpu_utilization);
    throughput.push_back(run.time_to_train_s > 0.0 ? run.totals.samples / run.time_to_train_s : run.gpu_utilization);
  }
  for (AssumedInput& input : out.inputs) {
    const auto same = std::find_if(spread.inputs.begin(), spread.inputs.end(), [&input](const InputShare& share) {
      return share.pointer == input.assumed.range.pointer;
    });
    std::vector<double> factors;
    for (const DrawnRun& run : spread.drawn)
      factors.push_back(run.factors[static_cast<std::size_t>(same - spread.inputs.begin())]);
    input.utilization_share = share_of(factors, utilization, out.inputs.size());
    input.throughput_share = share_of(factors, throughput, out.inputs.size());
  }
  std::stable_sort(out.inputs.begin(), out.inputs.end(), [](const AssumedInput& a, const AssumedInput& b) {
    return std::max(a.utilization_share, a.throughput_share) > std::max(b.utilization_share, b.throughput_share);
  });
  return out;
}

}  // namespace stallcast
