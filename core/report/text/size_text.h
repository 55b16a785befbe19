// The chosen configuration as a person reads it, in ten seconds and 80 columns.
#pragma once

#include <string>

#include "core/plan/search/size.h"
#include "core/report/words/text_layout.h"

namespace stallcast {

// What to set, what it gives, why it was chosen, the best of every other tier, the trade-offs, and how it was searched;
// or what would have to give where nothing keeps the targets.
// `ranges` is what inputs that nobody gave do to the choice (option_draws_text.h), told after its figures.
std::string render_text(const SizeResult& result, const std::string& name, const TextStyle& style,
                        const std::string& ranges = "");

// "no other is cheaper by more than 1.0 %; ...; remaining limit: ...". **Range** a result with a best point
std::string why_text(const SizeResult& result);

}  // namespace stallcast
