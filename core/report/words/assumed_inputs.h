// How far inputs that nobody gave leave a result open, and which of them: as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/cost/cost_breakdown.h"
#include "core/run/input_ranges.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

struct AssumedRanges {
  const ResolvedScenario& scenario;
  const InputRanges& ranges;
  const CostBreakdown& cost;  // of ranges.widened
};

// "Range            61.2 to 83.4 % with what nobody gave\n", or "" when all was given.
std::string range_line(const AssumedRanges& ranges);

// "storage.latency 32 ms, may be 12 ms to 150 ms: EFFECT; stated by its source. To narrow it: stallcast probe ..."
std::string assumed_row(const ResolvedScenario& scenario, const AssumedValue& assumed, const std::string& effect);

// "Assumed          3 inputs that you did not give; ..." of answers that did not draw them.
std::string not_drawn_block(std::size_t inputs);

// {"low", "high"}, or null where the range is not known.
nlohmann::ordered_json low_and_high(const std::optional<Estimate>& range);

// {"path", "value", "low", "high", "low_factor", "high_factor", "kind", "source", "basis"}
nlohmann::ordered_json assumption_to_json(const ResolvedScenario& scenario, const AssumedValue& assumed);

// Rows of the inputs that decide; the others are counted. Of jobs whose figure is a time, an input counts from this
// part of it on.
inline constexpr std::size_t kMostAssumedRows = 4;
inline constexpr double kLeastPartOfTime = 0.005;

// What was assumed and decides, most influence first: value, interval, effect, how to narrow it. "" when nothing is.
std::string assumed_inputs_block(const AssumedRanges& ranges);

// Effects and ranges are null where nothing was drawn, and the effect of an input that was not tried alone.
// {"ranges": {figure: {"low", "high"} or null}, "assumptions": [{"path", "value", "low", "high", "kind", "source",
// "basis", "effect_points", "effect_usd", "narrow_by"}]}: 90 % ranges of what inputs and simulation leave open; of each
// input the value in base units (null where it is several numbers, and so low and high, which are then in
// "low_factor" and "high_factor" alone), and by how much the answer differs between the two.
nlohmann::ordered_json assumed_inputs_to_json(const AssumedRanges& ranges);

// Its "ranges" with every path, for --fail-if. Values mean nothing.
nlohmann::ordered_json assumed_ranges_shape();

}  // namespace stallcast
