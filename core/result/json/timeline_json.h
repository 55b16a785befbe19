// The run timeline as JSON, and one simulated run read back exactly.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "core/result/timeline_result.h"

namespace stallcast {

// {"wall_s", "time_s": {part: seconds}, "interruptions": {kind: count}, then every other member by its name}. Every
// number written as text reads back as the same number; a wall_s without end is null.
nlohmann::ordered_json simulated_run_to_json(const SimulatedRun& run);

// Nothing unless `json` is what simulated_run_to_json() gives: all of its keys, no others, each a finite number but for
// a wall_s that is null.
std::optional<SimulatedRun> simulated_run_from_json(const nlohmann::ordered_json& json);

// null where nothing interrupts the run, else {"replications", "interrupted", "mtti_s", "ideal_s", "startup_s",
// "wall_s": {"mean", "ci95_low", "ci95_high", "p10", "p90"}, "goodput_fraction", "ettr": estimates,
// "wall_time": {part: {"seconds", "fraction", "goodput_bucket"}}, "interruptions": {kind: {estimate, "sd"}},
// "mean": {counts of SimulatedRun, means per run}, "checkpoint": {every member of CheckpointBehaviour},
// "optimum": {"interval_s", "wall_s", "points": [{"interval_s", "wall_s"}]},
// "requirements": {"target_ettr", "wall_s", "interruption_cost_s", "stop_s", "between_interruptions_s"}}.
// The seconds of wall_time sum to wall_s/mean. A checkpoint, optimum or requirement that there is none of is null, and
// so is an mtti_s of 0.
nlohmann::ordered_json timeline_to_json(const TimelineResult& timeline);

}  // namespace stallcast
