// What the option recommended does when it is turned: curves, tornado, break-even, and a part of its run.
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "core/diagnostics/finding.h"
#include "core/plan/evaluate/assertion.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/figures.h"
#include "core/plan/evaluate/input_range.h"
#include "core/plan/evaluate/kpi.h"
#include "core/plan/evaluate/scaled_input.h"
#include "core/plan/explain/curve.h"
#include "core/plan/pairs/paired_evaluations.h"
#include "core/plan/review/review.h"
#include "core/plan/review/review_parts.h"
#include "core/plan/sensitivity/break_even.h"
#include "core/plan/sensitivity/sensitivity.h"
#include "core/result/run_result.h"
#include "core/result/trace.h"
#include "core/run/simulate.h"
#include "core/scenario/check/check.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/run_length.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr std::size_t kCurveSteps = 9;
constexpr double kFurthest = 4.0;            // factor that inputs are turned by for break-even
constexpr std::size_t kBreakEvenInputs = 4;  // of those that take simulations
constexpr std::int64_t kPartSteps = 60;      // simulated for the timeline
constexpr double kPartShown = 4.0;           // steps
constexpr std::size_t kPartRecords = 300'000;

// The field that says how often checkpoints are written; "" where there are none or the best interval is looked for.
std::string cadence_pointer(const CheckpointSpec& checkpoint) {
  if (checkpoint.mode == CheckpointMode::kNone) return "";
  switch (checkpoint.cadence) {
    case CheckpointCadence::kSteps:
      return "/checkpoint/interval_steps";
    case CheckpointCadence::kTime:
      return "/checkpoint/interval";
    case CheckpointCadence::kEpochs:
      return "/checkpoint/interval_epochs";
    default:
      return "";
  }
}

void draw_curves(ReviewWork& work, Review& review) {
  const ReviewOption& chosen = review.options.front();
  CurveOptions options;
  options.run = work.seeded_runs();
  options.pairs = work.pairs.get();
  review.curve_precision = work.pairs->precision();
  for (const std::string& pointer : {std::string("/storage/capacity"), std::string("/loader/num_workers"),
                                     cadence_pointer(chosen.resolved.scenario.checkpoint)}) {
    if (pointer.empty() || work.stopped()) continue;
    const std::vector<std::string> values = usual_values(chosen.file, work.catalogue, pointer, kCurveSteps);
    if (values.size() < 2) continue;
    std::int64_t done = 0;
    options.done = [&](std::size_t, const CurveStep&) { work.tell("values tried", ++done, std::ssize(values)); };
    Curve curve = field_curve(chosen.file, work.catalogue, pointer, values, options);
    const auto is_known = [](const CurveStep& step) { return step.figures.has_value(); };
    if (std::count_if(curve.steps.begin(), curve.steps.end(), is_known) > 1) review.curves.push_back(std::move(curve));
  }
}

// Facts, not choices.
bool is_choice(const std::string& pointer) {
  return pointer == "/loader/num_workers" || pointer == "/cluster/nodes" || pointer == "/dataset/samples";
}

// Those with an interval, then the main ones without.
std::vector<UncertainInput> inputs_of(Review& review) {
  const ResolvedScenario& resolved = review.options.front().resolved;
  std::vector<UncertainInput> inputs = uncertain_inputs(resolved.scenario, {});
  for (const SharedInput& input : main_inputs({resolved})) {
    const auto is_it = [&](const UncertainInput& one) { return one.pointer == input.pointer; };
    if (is_choice(input.pointer) || std::any_of(inputs.begin(), inputs.end(), is_it)) continue;
    inputs.push_back({input.pointer, 1.0 / (1.0 + kAssumedShare), 1.0 + kAssumedShare});
    review.assumed_intervals.push_back(input.pointer);
  }
  review.assumed_share = kAssumedShare;
  return inputs;
}

// The figures with each input at a factor of its value; not finite where that is no possible job.
std::vector<double> figures_at(ReviewWork& work, const Review& review, const std::vector<double>& factors) {
  ResolvedScenario turned = work.pairs->job();
  for (std::size_t i = 0; i < factors.size(); ++i)
    if (factors[i] != 1.0) turned = with_factor(turned, review.tornado.inputs[i].pointer, factors[i]);
  std::vector<double> values(review.figures.size(), std::numeric_limits<double>::quiet_NaN());
  if (check_scenario(turned.scenario, {}, "").has_errors()) return values;
  const KpiValues found = work.pairs->of(turned);
  for (std::size_t f = 0; f < values.size(); ++f) values[f] = mean_of(*review.figures[f], found);
  return values;
}

void draw_tornado(ReviewWork& work, Review& review) {
  review.figures = {find_kpi("gpu_utilization")};
  if (review.by != nullptr && review.by != review.figures.front()) review.figures.push_back(review.by);
  review.tornado.inputs = inputs_of(review);
  SensitivityOptions options;
  options.run = work.seeded_runs();
  options.figures = review.figures;
  options.indices = false;
  options.counted = [&](std::int64_t done, std::int64_t wanted) { work.tell("inputs turned", done, wanted); };
  review.tornado = analyse(
      review.tornado.inputs, [&](const std::vector<double>& factors) { return figures_at(work, review, factors); },
      options);
  for (TornadoBar& bar : review.tornado.tornado)
    bar.value = input_value(review.options.front().resolved, bar.input.pointer);
}

// Prices, which take no runs, and the inputs that utilization depends on most.
std::vector<std::string> break_even_inputs(const Review& review) {
  std::vector<std::string> inputs = {"/cost/node_price", std::string(kStoragePrices)};
  std::size_t physical = 0;
  for (const TornadoBar& bar : review.tornado.tornado) {
    const bool is_price = std::find(inputs.begin(), inputs.end(), bar.input.pointer) != inputs.end();
    if (is_price || physical == kBreakEvenInputs || known_swing(bar) <= 0.0) continue;
    inputs.push_back(bar.input.pointer);
    ++physical;
  }
  return inputs;
}

// The target on utilization, or the first that a result alone can be held against.
std::optional<Assertion> condition_of(const Review& review) {
  for (const Target& target : review.targets) {
    const std::string limit = format_number(target.limit);
    std::string text;
    if (target.figure == Figure::kUtilization) text = "gpu_utilization<" + limit;
    if (target.figure == Figure::kTime) text = "time_to_train_s>" + limit;
    if (target.figure == Figure::kTotal) text = "cost.total_usd>" + limit;
    if (!text.empty()) return parse_assertion(text, "target").value;
  }
  return std::nullopt;
}

void find_break_even(ReviewWork& work, Review& review) {
  std::vector<ResolvedScenario> between;
  BreakEvenOptions options;
  for (std::size_t i = 0; i < review.options.size(); ++i) {
    const ReviewOption& option = review.options[i];
    if (i > 0 && (option.missed || option.origin == "as the scenario has it")) continue;
    between.push_back(option.resolved);
    review.break_even_options.push_back(i);
    options.answers.push_back(&option.evaluation);
  }
  options.run = work.seeded_runs();
  options.by = between.size() > 1 ? review.by : nullptr;
  if (between.size() == 1) options.condition = condition_of(review);
  options.among = break_even_inputs(review);
  options.furthest = kFurthest;
  options.counted = [&](std::int64_t done, std::int64_t wanted) { work.tell("inputs looked at", done, wanted); };
  review.break_even = break_even(between, options);
}

bool is_of_first_rank(const TraceTrack& track) {
  return track.node <= 0 && (track.name == "rank 0" || track.name.starts_with("rank 0 "));
}

// Only the tracks of the first rank.
Trace first_rank(const Trace& trace) {
  Trace out;
  std::vector<std::optional<std::uint32_t>> kept(trace.tracks.size());
  for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
    if (!is_of_first_rank(trace.tracks[t])) continue;
    kept[t] = static_cast<std::uint32_t>(out.tracks.size());
    out.tracks.push_back(trace.tracks[t]);
  }
  for (TraceSpan span : trace.spans) {
    if (!kept[span.track]) continue;
    span.track = *kept[span.track];
    out.spans.push_back(span);
  }
  for (TraceCounter counter : trace.counters) {
    if (!kept[counter.track]) continue;
    counter.track = *kept[counter.track];
    out.counters.push_back(counter);
  }
  out.truncated = trace.truncated;
  return out;
}

void take_part(ReviewWork& work, Review& review) {
  Scenario scenario = sketched(review.options.front().resolved).scenario;
  scenario.run.max_steps = std::min<std::int64_t>(scenario.run.max_steps, kPartSteps);
  scenario.run.epochs = 1;
  const double all = epoch_steps(scenario);
  if (all <= 0.0 || all > static_cast<double>(kPartSteps)) scenario.run.steps_per_epoch = kPartSteps;
  Trace trace;
  trace.limit = kPartRecords;
  RunOptions run = work.seeded_run();
  run.replications = 1;
  run.trace = &trace;
  simulate(scenario, run);
  review.part.trace = first_rank(trace);
  std::int64_t end_ns = 0;
  for (const TraceSpan& span : review.part.trace.spans) end_ns = std::max(end_ns, span.end_ns);
  const double step_s = review.options.front().evaluation.result.step_time_s.mean;
  review.part.to_s = static_cast<double>(end_ns) / 1e9;
  review.part.from_s = std::max(0.0, review.part.to_s - kPartShown * step_s);
}

}  // namespace

void gather_evidence(ReviewWork& work, Review& review) {
  const ReviewOption& chosen = review.options.front();
  work.pairs = std::make_unique<PairedEvaluations>(chosen.resolved, chosen.evaluation, work.seeded_run());
  draw_curves(work, review);
  if (!work.stopped()) draw_tornado(work, review);
  if (!work.stopped()) find_break_even(work, review);
  if (!work.stopped()) take_part(work, review);
}

}  // namespace stallcast
