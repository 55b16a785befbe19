// A result as a person reads it, in ten seconds and 80 columns.
#pragma once

#include <string>
#include <string_view>

#include "core/catalogue/catalogue.h"
#include "core/cost/cost_breakdown.h"
#include "core/plan/explain/advice.h"
#include "core/plan/explain/explain.h"
#include "core/report/words/assumed_inputs.h"
#include "core/report/words/text_layout.h"
#include "core/result/bound.h"
#include "core/result/run_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Utilization with its interval, throughput, step time, where GPU time goes, the bound, the bill, and how the run
// ended.
// With `ranges` also how far inputs that nobody gave leave it open, and which.
std::string render_text(const Scenario& scenario, const RunResult& result, const Bound& bound,
                        const CostBreakdown& cost, const TextStyle& style, const AssumedRanges* ranges = nullptr);

// The same, the reason for the gap to the bound, what to change first, what every change buys, and the advice.
std::string render_text(const Scenario& scenario, const Explanation& explanation, const Advice& advice,
                        const TextStyle& style, const AssumedRanges* ranges = nullptr);

// "Catalogue        with overlay mine (a3c1...)" where records are not all the shipped ones, else "".
std::string render_text(const CatalogueIdentity& catalogue);

// "Converged: RUN.", or in capitals that it did not, or was stopped before its end. `run`: what was simulated.
std::string ending_text(bool converged, bool stopped, std::string_view run, const TextStyle& style);

// "7.5 h, of which 455 s listing names and 26 min copying from the origin, limited by files per s"
std::string time_to_train_text(const RunResult& result);

}  // namespace stallcast
