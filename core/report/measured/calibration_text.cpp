#include "core/report/measured/calibration_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/diagnose/outcome.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

std::string signed_percent(double factor) { return fmt::format("{:+.3g} %", 100.0 * (factor - 1.0)); }

std::string interval_text(const ValueChange& change) {
  if (change.is_setting) return "a setting";
  const double low = change.low_factor, high = change.high_factor;
  return low < 1.0 || high > 1.0 ? fmt::format("90 %: {} to {}", signed_percent(low), signed_percent(high))
                                 : "interval not known";
}

bool is_fraction(const std::string& quantity) { return quantity == "gpu_utilization" || quantity.starts_with("au"); }

std::string number_text(const std::string& quantity, double value) {
  return is_fraction(quantity) ? percent(value) : fmt::format("{:.4g}", value);
}

std::string changes_text(const Calibration& calibration) {
  std::string out = "Measured\n";
  for (const ValueChange& change : calibration.changes) {
    out += fmt::format("  {}\n", dotted_name(change.pointer));
    out += "    " + wrapped(fmt::format("{}  ({})", printable(change.after), interval_text(change)), 4, 4) + "\n";
    out += "    " + wrapped(fmt::format("was {} ({})", printable(change.before), change.before_origin), 8, 4) + "\n";
    out += "    " + wrapped(fmt::format("from {}", printable(change.source)), 8, 4) + "\n";
  }
  return out;
}

std::string fit_text(const StorageFit& fit) {
  const double worst =
      fit.residuals.empty()
          ? 0.0
          : std::abs(std::max_element(fit.residuals.begin(), fit.residuals.end(), [](const auto& a, const auto& b) {
                       return std::abs(a.relative_error()) < std::abs(b.relative_error());
                     })->relative_error());
  return labelled("Fit",
                  fmt::format("{} points, off by {} in the median, {} at the 90th percentile, {} at worst",
                              fit.residuals.size(), percent(fit.median_error), percent(fit.p90_error), percent(worst)));
}

std::string observations_text(const Calibration& calibration, const BeforeAndAfter* results) {
  if (calibration.observations.empty()) return "";
  std::string out = "\nObserved values, and predictions without and with the measured inputs\n";
  for (const Observation& seen : calibration.observations) {
    const auto before = results ? predicted_outcome(seen.quantity, results->before, results->scenario) : std::nullopt;
    const auto after = results ? predicted_outcome(seen.quantity, results->after, results->scenario) : std::nullopt;
    std::string line = fmt::format("{} {}", seen.quantity, number_text(seen.quantity, seen.value));
    if (seen.spread > 0.0) line += fmt::format(" +- {}", number_text(seen.quantity, seen.spread));
    if (before && after) {
      line += fmt::format(", predicted {} before, {} after", number_text(seen.quantity, *before),
                          number_text(seen.quantity, *after));
    } else {
      line += ", not predicted";
    }
    out += "  " + wrapped(fmt::format("{} ({}; {})", line, printable(seen.definition), printable(seen.source)), 6, 2) +
           "\n";
  }
  return out;
}

std::string assumed_text(const Calibration& calibration) {
  if (calibration.still_assumed.empty()) return "\nNothing that can be measured stayed assumed.\n";
  std::string out = "\nStill assumed, and what would measure it\n";
  for (const OpenValue& open : calibration.still_assumed)
    out += "  " +
           wrapped(fmt::format("{} {} ({}): {}", dotted_name(open.pointer), printable(open.value), open.origin,
                               open.measured_by),
                   6, 2) +
           "\n";
  return out;
}

std::string utilization_text(const Estimate& estimate) {
  return fmt::format("{} ({} to {})", percent(estimate.mean), percent(estimate.ci95_low), percent(estimate.ci95_high));
}

Json summary_json(const RunResult& result) {
  return {{"gpu_utilization",
           {{"mean", result.gpu_utilization.mean},
            {"ci95_low", result.gpu_utilization.ci95_low},
            {"ci95_high", result.gpu_utilization.ci95_high}}},
          {"samples_per_s", result.samples_per_s},
          {"bottleneck", std::string(bottleneck_name(result))}};
}

Json number_json(const FittedNumber& number) {
  if (!number.known) return nullptr;
  return {{"value", number.value}, {"low", number.low}, {"high", number.high}};
}

Json fit_json(const StorageFit& fit) {
  Json out = {{"latency_s", number_json(fit.latency_s)},
              {"latency_sigma", number_json(fit.latency_sigma)},
              {"requests_per_s", number_json(fit.requests_per_s)},
              {"bytes_per_s", number_json(fit.bytes_per_s)},
              {"stream_bytes_per_s", number_json(fit.stream_bytes_per_s)},
              {"held_fraction", number_json(fit.held_fraction)},
              {"sequential_latency_ratio", number_json(fit.sequential_latency_ratio)},
              {"open_latency_s", number_json(fit.open_latency_s)},
              {"opens_per_s", number_json(fit.opens_per_s)},
              {"median_error_fraction", fit.median_error},
              {"p90_error_fraction", fit.p90_error},
              {"residuals", Json::array()}};
  for (const FitResidual& residual : fit.residuals)
    out["residuals"].push_back({{"pattern", access_pattern_name(residual.point.pattern)},
                                {"request_bytes", residual.point.request_bytes},
                                {"in_flight", residual.point.in_flight},
                                {"measured_requests_per_s", residual.point.requests_per_s()},
                                {"fitted_requests_per_s", residual.predicted_requests_per_s},
                                {"from", residual.point.from}});
  return out;
}

}  // namespace

std::string render_text(const Calibration& calibration, const BeforeAndAfter* results, const TextStyle& style) {
  std::string out = changes_text(calibration);
  if (calibration.fit) out += "\n" + fit_text(*calibration.fit);
  out += observations_text(calibration, results) + assumed_text(calibration);
  if (results == nullptr) return out;
  out += "\n" + labelled("GPU utilization",
                         fmt::format("before {}, after {}", utilization_text(results->before.gpu_utilization),
                                     toned(utilization_text(results->after.gpu_utilization), Tone::kStrong, style)));
  out += labelled("Bottleneck", fmt::format("before {}, after {}", bottleneck_name(results->before),
                                            bottleneck_name(results->after)));
  return out;
}

Json calibration_json(const Calibration& calibration, const BeforeAndAfter* results) {
  Json out = {{"changes", Json::array()}, {"still_assumed", Json::array()}, {"observations", Json::array()}};
  for (const ValueChange& c : calibration.changes)
    out["changes"].push_back({{"pointer", c.pointer},
                              {"before", c.before},
                              {"before_origin", c.before_origin},
                              {"after", c.after},
                              {"low_factor", c.low_factor},
                              {"high_factor", c.high_factor},
                              {"source", c.source},
                              {"is_setting", c.is_setting}});
  for (const OpenValue& o : calibration.still_assumed)
    out["still_assumed"].push_back(
        {{"pointer", o.pointer}, {"value", o.value}, {"origin", o.origin}, {"measured_by", o.measured_by}});
  for (const Observation& seen : calibration.observations) {
    const auto before = results ? predicted_outcome(seen.quantity, results->before, results->scenario) : std::nullopt;
    const auto after = results ? predicted_outcome(seen.quantity, results->after, results->scenario) : std::nullopt;
    out["observations"].push_back({{"quantity", seen.quantity},
                                   {"measured", seen.value},
                                   {"spread", seen.spread},
                                   {"predicted_before", before ? Json(*before) : Json(nullptr)},
                                   {"predicted_after", after ? Json(*after) : Json(nullptr)},
                                   {"definition", seen.definition},
                                   {"source", seen.source}});
  }
  out["fit"] = calibration.fit ? fit_json(*calibration.fit) : Json(nullptr);
  out["before"] = results ? summary_json(results->before) : Json(nullptr);
  out["after"] = results ? summary_json(results->after) : Json(nullptr);
  return out;
}

}  // namespace stallcast
