// What inputs that nobody gave do to a choice between configurations, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/plan/search/option_draws.h"

namespace stallcast {

// A line for each of several scenarios: its ranges, and in how many draws it is the best. "" without draws.
std::string compared_draws_text(const OptionDraws& draws, const std::vector<std::string>& labels, Figure by);

// Of the first option, which was chosen: its ranges, in how many draws it meets the targets, and in how many it is the
// best of the options that do. "" without draws.
std::string chosen_draws_text(const OptionDraws& draws, const std::vector<Target>& targets, Figure by);

// {"draws", "by", "options": [{"label", "ranges": {figure: {"low", "high"} or null}, "meets_targets_fraction",
// "best_fraction", "meets_targets_draws", "best_draws"}]}, or null without draws. Fractions are of the draws; ranges
// hold 90 %.
nlohmann::ordered_json option_draws_json(const OptionDraws& draws, const std::vector<std::string>& labels, Figure by,
                                         const std::vector<Target>& targets = {});

}  // namespace stallcast
