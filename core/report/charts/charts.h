// The charts of results: which numbers stand where. Reports and windows draw the same ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/cost/cost_breakdown.h"
#include "core/plan/compare/comparison.h"
#include "core/plan/evaluate/kpi.h"
#include "core/plan/explain/curve.h"
#include "core/plan/explain/worded_change.h"
#include "core/plan/search/size.h"
#include "core/plan/sensitivity/sensitivity.h"
#include "core/report/charts/chart.h"
#include "core/result/run_result.h"
#include "core/result/timeline_result.h"
#include "core/result/trace.h"

namespace stallcast {

// One result and what it is called in a chart; `key` stands for it in all of them.
struct NamedResult {
  std::string name, key;
  const RunResult* result = nullptr;
  const CostBreakdown* cost = nullptr;
};

// Where the GPU time goes: a bar for each result, computing first, then every cause that is a thousandth of any.
Chart lost_time_chart(const std::vector<NamedResult>& results);

// From the dollars that computed, over those lost to each cause, to the total of the bill; nothing useful without a
// price: then the series is empty and `alt` says what is missing.
Chart cost_waterfall_chart(const NamedResult& result);

// What several runs cost, a bar for each: the parts that the waterfall has, on top of one another. Those without a
// price are left out, and `alt` says what is missing.
Chart cost_chart(const std::vector<NamedResult>& results);

// What a curve is drawn beside: the scenario that changes are shown against.
struct CurveBaseline {
  std::string value;             // that it has of the field, as --set takes it
  const Curve* curve = nullptr;  // its own along the field; null where that is the same one
};

// The figure over the field, with its interval as a band, the knee and the value as it is; beside it that of a
// baseline.
Chart curve_chart(const Curve& curve, const Kpi& kpi, const std::optional<CurveBaseline>& baseline = std::nullopt);

// Cost against utilization (or time) of the front; those that keep the targets stand out.
Chart pareto_chart(const SizeResult& result, Figure x, Figure y);

// How far each uncertain input moves the figure, widest first, at most `most`.
Chart tornado_chart(const Sensitivity& sensitivity, std::size_t figure, const std::vector<const Kpi*>& figures,
                    std::size_t most = 12);

// What each change by itself makes of the GPU utilization `now`, most first: what a person can set apart from limits
// that somebody would have to take away. Changes that make a thousandth or less are left out, and all beyond `most`.
Chart changes_chart(double now, const std::vector<WordedChange>& changes, std::size_t most = 12);

// From the utilization `now` to the target, a stair for each change of the way.
Chart way_chart(double now, const std::vector<WordedChange>& steps, double target);

// Where wall time went over the simulated runs: training kept, done again, recovering, ...; empty where nothing
// interrupts.
Chart goodput_chart(const TimelineResult& timeline);

// Spans of a stretch of the run on lanes, `from_s` to `to_s`; a track is a lane.
Chart timeline_chart(const Trace& trace, double from_s, double to_s);

// Colour of a lost-time cause, the same everywhere; computing has its own.
int cause_colour(LostTime cause);
int computing_colour();

}  // namespace stallcast
