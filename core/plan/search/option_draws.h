// What inputs that nobody gave do to a choice between configurations.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/figures.h"
#include "core/result/estimate.h"
#include "core/run/uncertainty.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

struct OptionToDraw {
  const ResolvedScenario* resolved = nullptr;
  const Evaluation* evaluation = nullptr;  // of its inputs as given
};

// Shapes [option], of drawn [option][draw]; only draws that all options have.
struct OptionDraws {
  std::vector<Figures> given;
  std::vector<double> model_error;  // that each option's figures may be off by, as a share of them (run/model_error.h)
  std::vector<std::vector<Figures>> drawn;

  std::int64_t draws() const { return drawn.empty() ? 0 : static_cast<std::int64_t>(drawn.front().size()); }

  // From the lowest to the highest draw, the model's own error added in quadrature, with the inputs as given as its
  // mean: 90 % for kRangeDraws of them, as input_ranges() has it of a single run. Nothing where a draw does not know
  // it.
  std::optional<Estimate> range(std::size_t option, Figure figure) const;

  // In how many draws the option meets every target that is simulated.
  std::int64_t met(std::size_t option, const std::vector<Target>& targets) const;

  // In how many draws no other option is better; with targets only those count that meet them.
  std::int64_t best(std::size_t option, Figure by, const std::vector<Target>& targets = {}) const;
};

// **Model** Each option again with what nobody gave, and run.uncertain, drawn from its ranges (run/uncertainty.h). What
//   is one fact in all options (is_shared_fact) has the same factor in all of them in each draw, anything else its own
//   in each; all runs have the same luck. A draw's figures are those of the option's own run times the draw over the
//   inputs as given, both coarse.
// Empty where nobody left anything open, or when stopped.
// **Cost** `draws` + 1 coarse runs of each option, on all cores.
// **Checked by** tests/core/plan/option_draws_test.cpp
OptionDraws draw_options(const std::vector<OptionToDraw>& options, const RunOptions& run,
                         std::int64_t draws = kRangeDraws);

}  // namespace stallcast
