// How far the time until machines can serve a model may be off because of inputs that nobody gave.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/result/input_spread.h"
#include "core/result/serving_result.h"
#include "core/scenario/resolve/assumed_value.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// One input that nobody gave, and what it does.
struct AssumedLoadInput {
  AssumedValue assumed;
  // The load with this input alone at the low and at the high end of its range; none where it was not tried.
  std::optional<std::pair<ServingResult, ServingResult>> ends;
  // By which ServingResult::last_ready_s differs between the ends, over that as given. **Range** >= 0
  double time_effect = 0.0;
};

struct ServingRanges {
  std::vector<AssumedLoadInput> inputs;  // most effect first, where they were drawn
  bool drawn = false;                    // what they are worth is known
  ServingResult as_given;                // simulated as the draws are: what they are compared with
  std::vector<ServingResult> draws;
  double model_error = 0.0;          // relative half-width that the model's own error leaves (run/model_error.h)
  std::vector<FigureRange> figures;  // 90 % ranges, by the names of serving_result_to_json()
};

// What was assumed, without a look at what it is worth.
ServingRanges assumed_of_load(const ResolvedScenario& resolved);

// The load again with what nobody gave, and with run.uncertain, drawn from its intervals as input_ranges() draws it;
// then with one input alone at either end of its range.
// **Cost** 20 loads of a tenth of the streams, and two for each input, on all cores; nothing where nothing was assumed.
// **Checked by** tests/core/run/serving_ranges_test.cpp
ServingRanges serving_ranges(const ResolvedScenario& resolved, const ServingResult& result, const RunOptions& options);

}  // namespace stallcast
