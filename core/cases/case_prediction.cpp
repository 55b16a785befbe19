#include "core/cases/case_prediction.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/cost/price_run.h"
#include "core/model/storage/cache_play.h"
#include "core/plan/evaluate/assertion.h"
#include "core/report/json/jobs_document.h"
#include "core/report/json/result_document.h"
#include "core/result/estimate.h"
#include "core/result/input_spread.h"
#include "core/result/run_result.h"
#include "core/result/serving_result.h"
#include "core/run/input_ranges.h"
#include "core/run/model_error.h"
#include "core/run/simulate.h"
#include "core/run/simulate_once.h"
#include "core/run/simulate_serving.h"
#include "core/run/uncertainty.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/resolve/assumed_value.h"
#include "core/scenario/resolve/resolve.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/scenario/scenario.h"
#include "core/steps/parallel.h"
#include "core/steps/run_options.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

// "regimes[1].samples_per_s" as results are asked for it: "regimes.1.samples_per_s".
Assertion asked(const std::string& figure) {
  Assertion out;
  for (const char c : figure) {
    if (c == '[') out.path += '.';
    if (c != '[' && c != ']') out.path += c;
  }
  return out;
}

ordered_json document_of(const ResolvedScenario& resolved, const RunResult& result) {
  return result_document(result, {}, price_run(resolved, result), nullptr, nullptr);
}

ordered_json document_of(const ResolvedScenario& resolved, const ServingResult& result) {
  return serving_document(resolved, result, price_run(resolved, as_run(resolved.scenario, result)));
}

// Whether the model's own error is in a figure: in what takes time. Sizes, counts and shares of bytes are counted.
bool takes_time(const std::string& path) {
  const Dimension dimension = dimension_of_path(path);
  if (dimension == Dimension::kTime || dimension == Dimension::kRate || dimension == Dimension::kByteRate) return true;
  return path.find("gpu_utilization") != std::string::npos || path.starts_with("au");
}

class Prediction {
 public:
  Prediction(const PublishedCase& published, ResolvedScenario resolved, const CaseOptions& options)
      : published_(published), resolved_(std::move(resolved)), options_(options) {
    run_.stop = options.stop;
    run_.threads = options.threads;
  }

  PredictedCase run() {
    PredictedCase out;
    out.published = published_;
    const ordered_json given = full_run();
    std::vector<UncertainInput> inputs;
    const auto known = parse_uncertain_inputs(resolved_.scenario.run.uncertain, "");
    if (known.value) inputs = *known.value;
    const std::vector<AssumedInput> assumed = as_assumed(resolved_, RunResult()).inputs;
    for (const AssumedInput& input : assumed) inputs.push_back(input.assumed.range);
    most_error_ = most_model_error(assumed);
    out.assumed = inputs.size();
    const std::vector<ordered_json> draws = drawn(inputs);
    for (const KnownOutcome& outcome : published_.outcomes) out.outcomes.push_back(outcome_of(outcome, given, draws));
    return out;
  }

 private:
  bool serves() const { return resolved_.scenario.job == JobKind::kServing; }

  ordered_json full_run() {
    if (serves()) return document_of(resolved_, simulate_serving(resolved_.scenario, run_));
    result_ = simulate(resolved_.scenario, run_);
    return document_of(resolved_, result_);
  }

  std::uint64_t seed() const { return static_cast<std::uint64_t>(resolved_.scenario.run.seed); }

  // As given first, then drawn; all as coarse as draws are. Those that a stop left undone are null.
  std::vector<ordered_json> drawn(const std::vector<UncertainInput>& inputs) {
    std::vector<std::vector<double>> factors = drawn_factors(inputs, seed(), inputs.empty() ? 0 : kRangeDraws);
    factors.insert(factors.begin(), std::vector<double>(inputs.size(), 1.0));
    CoarseRun coarse{resolved_.scenario, run_, 0.0};
    if (!serves()) coarse = coarse_run(resolved_.scenario, result_, run_, kRangeSamples);
    coarse.options.threads = 1;
    std::vector<ordered_json> out(factors.size());
    parallel_for(static_cast<std::int64_t>(factors.size()), options_.threads, [&](std::int64_t d) {
      if (options_.stop.stop_requested()) return;
      const auto at = static_cast<std::size_t>(d);
      ResolvedScenario one = resolved_;
      one.scenario = coarse.drawn(inputs, factors[at]);
      out[at] = serves() ? document_of(one, simulate_serving(one.scenario, coarse.options))
                         : document_of(one, simulate_once(one.scenario, seed(), coarse.options, nullptr));
    });
    return out;
  }

  PredictedOutcome outcome_of(const KnownOutcome& known, const ordered_json& given,
                              const std::vector<ordered_json>& draws) const {
    PredictedOutcome out;
    out.known = known;
    const Assertion figure = asked(known.figure);
    out.predicted = check(figure, given).found;
    if (!out.predicted) return out;
    const double mean = *out.predicted;
    out.low = out.high = mean;
    const std::optional<double> base = check(figure, draws.front()).found;
    if (!base || !(*base > 0.0) || !(mean > 0.0)) return out;
    const bool fraction = dimension_of_path(figure.path) == Dimension::kFraction;
    std::vector<double> ratios;
    for (const ordered_json& draw : draws) {
      const std::optional<double> value = draw.is_null() ? std::nullopt : check(figure, draw).found;
      if (value) ratios.push_back(fraction ? drawn_fraction(*value, *base, mean) / mean : *value / *base);
    }
    double half = 0.0;
    if (takes_time(figure.path))
      half = mean * model_error(check(asked("gpu_utilization.mean"), given).found.value_or(0.0), most_error_);
    const Estimate range = widened({mean, mean - half, mean + half}, ratios);
    out.low = range.ci95_low;
    out.high = range.ci95_high;
    if (figure.path.find("served_fraction") != std::string::npos) {
      out.low = std::max(0.0, out.low - kCachePlayError);
      out.high += kCachePlayError;
    }
    if (fraction) out.high = std::min(1.0, out.high);
    return out;
  }

  const PublishedCase& published_;
  ResolvedScenario resolved_;
  const CaseOptions& options_;
  RunOptions run_;
  RunResult result_;
  double most_error_ = kModelError;
};

}  // namespace

double PredictedOutcome::ratio() const {
  if (!predicted) return 0.0;
  if (*predicted < known.known_low) return *predicted / known.known_low;
  return *predicted > known.known_high ? *predicted / known.known_high : 1.0;
}

bool PredictedOutcome::in_range() const {
  constexpr double kRounded = 1e-9;  // where nothing was drawn, low and high are the prediction
  return predicted && low <= known.known_high * (1.0 + kRounded) && high >= known.known_low * (1.0 - kRounded);
}

CaseScore score_of(const std::vector<PredictedCase>& cases) {
  CaseScore out;
  double near = 0.0, within = 0.0, held = 0.0;
  for (const PredictedCase& one : cases) {
    out.outcomes += one.published.outcomes.size();
    out.expressible += one.outcomes.size();
    for (const PredictedOutcome& outcome : one.outcomes) {
      const double ratio = outcome.ratio();
      near += std::abs(ratio - 1.0) <= 0.3 ? 1.0 : 0.0;
      within += ratio >= 0.5 && ratio <= 2.0 ? 1.0 : 0.0;
      held += outcome.in_range() ? 1.0 : 0.0;
    }
  }
  if (out.outcomes > 0) {
    out.within_30_percent = near / static_cast<double>(out.outcomes);
    out.within_factor_2 = within / static_cast<double>(out.outcomes);
  }
  if (out.expressible > 0) out.in_range = held / static_cast<double>(out.expressible);
  return out;
}

Loaded<std::vector<PredictedCase>> predict_cases(const std::vector<PublishedCase>& cases, const Catalogue& catalogue,
                                                 const CaseOptions& options) {
  Loaded<std::vector<PredictedCase>> out;
  out.value.emplace();
  for (const PublishedCase& published : cases) {
    if (options.stop.stop_requested()) break;
    if (options.progress) options.progress(out.value->size(), cases.size());
    if (!published.not_expressible.empty()) {
      out.value->push_back({published, {}, 0});
      continue;
    }
    Loaded<ScenarioFile> file = parse_scenario(published.scenario, published.name);
    out.findings.append(file.findings);
    if (!file.ok()) continue;
    Loaded<ResolvedScenario> resolved = resolve(*file.value, catalogue);
    if (!resolved.ok()) {
      out.findings.append(resolved.findings);
      continue;
    }
    out.value->push_back(Prediction(published, std::move(*resolved.value), options).run());
    for (const PredictedOutcome& outcome : out.value->back().outcomes) {
      if (outcome.predicted || options.stop.stop_requested()) continue;
      out.findings.add({Severity::kError, "no_such_figure", published.name, "/outcomes", outcome.known.figure,
                        "a figure that `stallcast simulate --format json` has for this scenario", "", ""});
    }
  }
  if (options.progress) options.progress(cases.size(), cases.size());
  return out;
}

}  // namespace stallcast
