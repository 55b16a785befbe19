// Hosts that load a model, and several jobs on one storage, as a person reads them: 80 columns.
#pragma once

#include <string>

#include "core/cost/cost_breakdown.h"
#include "core/cost/price_jobs.h"
#include "core/report/words/text_layout.h"
#include "core/result/serving_result.h"
#include "core/result/shared_result.h"
#include "core/run/jobs_ranges.h"
#include "core/run/serving_ranges.h"
#include "core/scenario/resolve/resolved_scenario.h"

namespace stallcast {

// Time until all hosts are ready, its range, the rate, where the time of the reads goes, the bound, what to change
// first, what was assumed, the bill.
std::string render_text(const ResolvedScenario& resolved, const ServingResult& result, const CostBreakdown& cost,
                        const TextStyle& style, const ServingRanges& ranges);

// A table of the jobs, alone beside together; what assumed inputs leave of it open; the run timeline of who ran with
// whom; the loads; the storage's bill and its split; what was assumed; the bills.
std::string render_text(const ResolvedScenario& resolved, const SharedResult& result, const SharedCost& cost,
                        const TextStyle& style, const JobsRanges& ranges);

}  // namespace stallcast
