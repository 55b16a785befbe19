// What was seen of a running job and what it says of its inputs, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/diagnose/outcome_fit.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

// `job` is the scenario before the fit.
std::string render_text(const OutcomeFit& fit, const ResolvedScenario& job);

// For a fit that is not explained.
std::string unexplained_text();

// {"outcomes": [{"quantity", "run", "seen", "deviation", "before", "after"}], "inputs": [{"path", "before", "after",
// "low", "high", "factor", "low_factor", "high_factor", "learned_fraction", "narrow_by"}], "says_nothing_of": [path],
// "explained": bool}: values in base units, null where an input is several numbers; factors of an interval are of the
// fitted value.
nlohmann::ordered_json outcome_fit_json(const OutcomeFit& fit, const ResolvedScenario& job);

}  // namespace stallcast
