// How far inputs that nobody gave leave the time until machines can serve open, and which of them: as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/result/serving_result.h"
#include "core/run/serving_ranges.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

struct AssumedOfLoad {
  const ResolvedScenario& scenario;
  const ServingResult& result;
  const ServingRanges& ranges;
};

// "                 15 to 41 min allowing for assumed inputs (see Assumed)", or "" where nothing was drawn.
std::string range_line(const AssumedOfLoad& all);

// What was assumed and decides, most influence first. "" when all was given.
std::string assumed_inputs_block(const AssumedOfLoad& all);

// As assumed_inputs_to_json() of a training job: "ranges" of times, the rate and "total_usd", "assumptions" with
// "effect_s", by which the last machine is ready sooner or later, and "effect_usd".
nlohmann::ordered_json assumed_inputs_to_json(const AssumedOfLoad& all);

}  // namespace stallcast
