// Whether a backtest's error says something about the predictions, or only about a machine that does not hold still.
#pragma once

#include <string>
#include <vector>

#include "core/backtest/score.h"

namespace stallcast {

// What the mean error is judged by.
inline constexpr double kMapeLimit = 0.05;
// The most of it that the machine alone may make: errors that do not know of each other add as squares, so with half of
// the limit a mean error of 5 % is to 5 / sqrt(1 + 1/4) = 4.5 % the predictions'; with more, nobody can tell.
inline constexpr double kMostNoise = 0.5 * kMapeLimit;

// What the machine did meanwhile. **Units** relative
struct MachineRest {
  double drift = 0.0;              // mean change of predicted rates, rate_drift()
  double repeat_difference = 0.0;  // mean difference of two runs of a setting; 0 with one run of each
  double others_fraction = 0.0;    // of the cores' time
  double stolen_fraction = 0.0;
};

struct BacktestVerdict {
  double limit = kMapeLimit;
  MachineRest rest;
  std::vector<std::string> unrest;  // why the machine was not quiet, one sentence each
  bool quiet() const { return unrest.empty(); }
  bool holds = false;  // the mean error is within the limit; a verdict only when quiet
};

// **Model** not quiet when predictions drift by more than kMostNoise, when runs of one setting differ by more than
// 2 kMostNoise (their mean is off by about half of the difference of two), or when others took more than kMostNoise of
// the cores' time, of which each part may be missing at a rate.
BacktestVerdict judge(const BacktestScore& score, const MachineRest& rest);

// How far predictions made from a new bracket alone are from those made from all brackets before it: the mean of
// |new / before - 1| over brackets and settings. It is the error that a perfect model would have made.
// **Range** 0 with fewer than two brackets. **Cost** four simulations per bracket and setting.
double rate_drift(const BacktestInputs& inputs, const std::vector<Bracket>& brackets, const SampleFiles& files,
                  const std::vector<SettingOutcome>& outcomes, std::uint64_t seed);

// Something that makes a backtest say less than it would on a quiet machine with honest storage.
struct BacktestDoubt {
  std::string code;  // stable word: "noisy_machine", "repeats_differ", "page_cache", "probe_..."
  std::string text;  // one sentence with the figures
};

}  // namespace stallcast
