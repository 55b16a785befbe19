// The answer of `size` for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/plan/search/size.h"

namespace stallcast {

// One object: the best configurations with what to set, the best of each tier, the trade-offs and whether these are all
// ("front"), what would have to give, and how it was searched. Plain numbers in base units. All but `wall_s` is the
// same on every machine.
nlohmann::ordered_json size_document(const SizeResult& result, std::uint64_t seed);

// All numbers of the chosen configuration as result_document() has them, without its scenario; an empty object where
// there is none.
nlohmann::ordered_json chosen_document(const SizeResult& result);

// A row for each configuration of the answer: its role ("best", "other_tier", "trade_off", "relaxed_..."), its
// settings, its figures.
std::string size_csv(const SizeResult& result);

}  // namespace stallcast
