#include "core/plan/sensitivity/sensitivity_study.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/plan/compare/choice.h"

namespace stallcast {
namespace {

// The best of the scenarios but `best`; nothing where none has a value.
std::optional<std::size_t> second_best(const BreakEvenTable& table, std::size_t best) {
  std::optional<std::size_t> out;
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (i == best || !std::isfinite(table.values[i])) continue;
    if (!out || is_better(*table.by, table.values[i], table.values[*out])) out = i;
  }
  return out;
}

void put_first(const Kpi* kpi, std::vector<const Kpi*>& figures) {
  std::erase(figures, kpi);
  figures.insert(figures.begin(), kpi);
}

}  // namespace

std::int64_t SensitivityStudy::runs() const {
  std::int64_t out = break_even.runs;
  for (const std::optional<Sensitivity>& one : inputs) out += one ? one->runs : 0;
  return out;
}

bool SensitivityStudy::complete() const {
  return break_even.complete && std::all_of(inputs.begin(), inputs.end(), [](const std::optional<Sensitivity>& one) {
           return !one || one->complete;
         });
}

SensitivityStudy study_sensitivity(std::vector<ResolvedScenario> scenarios, const InputsOfEach& inputs,
                                   const SensitivityOptions& options, const BreakEvenOptions& break_evens) {
  SensitivityStudy out;
  out.seed = options.run.seed.value_or(static_cast<std::uint64_t>(scenarios.front().scenario.run.seed));
  out.scenarios = std::move(scenarios);
  out.break_even = break_even(out.scenarios, break_evens);
  SensitivityOptions asked = options;
  asked.run.seed = out.seed;
  if (out.scenarios.size() > 1) put_first(out.break_even.by, asked.figures);
  out.figures = asked.figures;
  out.inputs.resize(out.scenarios.size());
  if (out.scenarios.size() > 1 && out.break_even.advice >= 0) {
    const auto best = static_cast<std::size_t>(out.break_even.advice);
    const std::optional<std::size_t> other = second_best(out.break_even, best);
    if (other && !(inputs[best].empty() && inputs[*other].empty())) {
      out.pair = analyse_pair(out.scenarios, inputs, best, *other, asked);
      if (!out.pair->of_best.inputs.empty()) out.inputs[best] = out.pair->of_best;
      if (!out.pair->of_other.inputs.empty()) out.inputs[*other] = out.pair->of_other;
    }
  }
  for (std::size_t i = 0; i < out.scenarios.size(); ++i) {
    const bool done = out.pair && (i == out.pair->best || i == out.pair->other);
    if (!done && !inputs[i].empty()) out.inputs[i] = analyse(out.scenarios[i], inputs[i], asked);
  }
  return out;
}

}  // namespace stallcast
