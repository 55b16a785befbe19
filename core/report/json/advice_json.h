// An explanation and its advice as scripts read them.
#pragma once

#include <nlohmann/json.hpp>

#include "core/plan/explain/advice.h"
#include "core/plan/explain/explain.h"
#include "core/plan/explain/shortest_way.h"

namespace stallcast {

// {"gap_reason", "bottleneck": {"cause", "change", "reason", "ties"}, "change_first", "complete",
// "checkpoint_interval",
//  "counterfactuals": [{"name", "kind", "phrase", "gpu_utilization", "gain", "usd", "usd_per_hour"}]}; dollars are null
// where a price or the length of the run is missing, checkpoint_interval where there is none.
nlohmann::ordered_json explanation_to_json(const Explanation& explanation);

// {"recommendations": [{"name", "say", "outcome": "said" | "silenced" | "impossible" | "not_tried",
//                       "set": {pointer: text}, "kpi", "before", "after", "source": {"title", "locator", "read"}}],
//  "next_units": [{"name", "phrase", "set": {pointer: text}, "gpu_utilization", "gain", "total_usd",
//                  "effective_usd_per_useful_gpu_hour"}],
//  "workers": {"knee", "complete", "points": [{"num_workers", "gpu_utilization", "loader_bytes"}]},
//  "storage_slowdown": {"searched", "factor"}, "loader": {"library", "python"}}
// kpi, before and after are null of a risk, factor where no slowdown up to kFurthestSlack matters;
// total_usd and effective_... are changes, negative where it gets cheaper, null as above.
nlohmann::ordered_json advice_to_json(const Advice& advice);

// {"target", "reached", "complete", "steps": counterfactuals in their order}
nlohmann::ordered_json shortest_way_json(const ShortestWay& way);

}  // namespace stallcast
