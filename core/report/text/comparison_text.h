// A comparison as a person reads it: the advice first, then what differs, what comes of it, and where it goes.
#pragma once

#include <string>

#include "core/plan/compare/comparison.h"
#include "core/report/words/text_layout.h"

namespace stallcast {

// At most kColumns wide. Each further scenario has a block of its own beside the first. Parts that are small in both,
// and inputs beyond the first twelve, those that somebody gave first, are left to --format json.
// **Checked by** tests/core/report/comparison_report_test.cpp
// `ranges` is what inputs that nobody gave do to it (option_draws_text.h), told after the advice.
std::string render_text(const Comparison& comparison, const TextStyle& style = {}, const std::string& ranges = "");

}  // namespace stallcast
