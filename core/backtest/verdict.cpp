#include "core/backtest/verdict.h"

#include <fmt/format.h>

#include <cmath>

namespace stallcast {

BacktestVerdict judge(const BacktestScore& score, const MachineRest& rest) {
  BacktestVerdict out;
  out.rest = rest;
  out.holds = score.settings > 0 && score.mape <= out.limit;
  const double most = 100.0 * kMostNoise;
  if (rest.drift > kMostNoise)
    out.unrest.push_back(
        fmt::format("decoding and reading alone changed between the runs so much that predictions "
                    "made before and after differ by {:.1f} % on average (quiet: up to {:g} %)",
                    100.0 * rest.drift, most));
  if (rest.repeat_difference > 2.0 * kMostNoise)
    out.unrest.push_back(fmt::format("runs of one setting differ by {:.1f} % on average (quiet: up to {:g} %)",
                                     100.0 * rest.repeat_difference, 2.0 * most));
  if (rest.others_fraction + rest.stolen_fraction > kMostNoise)
    out.unrest.push_back(
        fmt::format("other processes took {:.1f} % of the cores' time and the hypervisor {:.1f} % "
                    "(quiet: up to {:g} % together)",
                    100.0 * rest.others_fraction, 100.0 * rest.stolen_fraction, most));
  return out;
}

double rate_drift(const BacktestInputs& inputs, const std::vector<Bracket>& brackets, const SampleFiles& files,
                  const std::vector<SettingOutcome>& outcomes, std::uint64_t seed) {
  double sum = 0.0, count = 0.0;
  for (std::size_t i = 1; i < brackets.size(); ++i) {
    if (!brackets[i].whole()) continue;
    BacktestInputs before =
        with_brackets(inputs, {brackets.begin(), brackets.begin() + static_cast<std::ptrdiff_t>(i)});
    BacktestInputs after = with_brackets(inputs, {brackets[i]});
    before.pace.clear();  // the level is compared, not the luck of a run
    after.pace.clear();
    for (const SettingOutcome& outcome : outcomes) {
      const double old_rate = middle_rate(before, files, outcome.setting, seed);
      sum += std::abs(middle_rate(after, files, outcome.setting, seed) / old_rate - 1.0);
      count += 1.0;
    }
  }
  return count > 0.0 ? sum / count : 0.0;
}

}  // namespace stallcast
