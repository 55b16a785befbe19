// Published cases beside their predictions, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/cases/case_prediction.h"

namespace stallcast {

// One row for each outcome, furthest off last, and the score.
std::string render_cases_text(const std::vector<PredictedCase>& cases);

// {"cases": [{"case", "url", "basis", "assumed", "not_expressible", "outcomes": [{"figure", "known", "known_low",
// "known_high", "predicted", "low", "high", "ratio", "in_range"}]}], "score": {"outcomes", "expressible",
// "within_30_percent", "within_factor_2", "in_range"}}; shares are fractions of 1.
nlohmann::ordered_json cases_json(const std::vector<PredictedCase>& cases);

}  // namespace stallcast
