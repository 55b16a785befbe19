#include "core/report/assumed_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/cost/money.h"
#include "core/plan/scaled_input.h"
#include "core/report/text_layout.h"
#include "core/scenario/uncertain_input.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostRows = 4;

double width(const Estimate& e) { return e.ci95_high - e.ci95_low; }

double share_of(const AssumedInput& input) { return std::max(input.utilization_share, input.throughput_share); }

// The range that this input alone would leave: independent inputs add in quadrature.
double effect_points(const AssumedRanges& all, const AssumedInput& input) {
  return 100.0 * std::sqrt(input.utilization_share) * width(all.ranges.widened.gpu_utilization);
}

std::optional<double> effect_usd(const AssumedRanges& all, const AssumedInput& input) {
  if (!all.cost.total_interval) return std::nullopt;
  return std::sqrt(input.throughput_share) * width(*all.cost.total_interval);
}

ordered_json range_of(const std::optional<Estimate>& e) {
  if (!e || (e->ci95_low == 0.0 && e->ci95_high == 0.0)) return nullptr;
  return {{"low", e->ci95_low}, {"high", e->ci95_high}};
}

std::string row(const AssumedRanges& all, const AssumedInput& input) {
  const UncertainInput& range = input.assumed.range;
  const std::optional<double> value = input_value(all.scenario, range.pointer);
  std::string text = dotted_name(range.pointer);
  if (value) {
    text += fmt::format(" {}, may be {} to {}", input_value_text(range.pointer, *value),
                        input_value_text(range.pointer, *value * range.low_factor),
                        input_value_text(range.pointer, *value * range.high_factor));
  } else {
    text += fmt::format(" may be {:.3g} to {:.3g} times what was taken", range.low_factor, range.high_factor);
  }
  text += fmt::format(": {:.1f} points", effect_points(all, input));
  if (const std::optional<double> usd = effect_usd(all, input); usd && *usd > 0.0)
    text += fmt::format(", {}", usd_text(*usd));
  return text + fmt::format("; {}. To narrow it: {}", input.assumed.basis, input.assumed.narrow_by);
}

}  // namespace

std::string range_line(const AssumedRanges& all) {
  if (!all.ranges.drawn) return "";
  const Estimate& range = all.ranges.widened.gpu_utilization;
  return labelled("", fmt::format("{:.1f} to {:.1f} % with what nobody gave, see Assumed", 100.0 * range.ci95_low,
                                  100.0 * range.ci95_high));
}

std::string assumed_inputs_block(const AssumedRanges& all) {
  const std::size_t count = all.ranges.inputs.size();
  if (count == 0) return "";
  if (!all.ranges.drawn) {
    return labelled("Assumed", fmt::format("{} that nobody gave; --inputs ranges says what {} worth",
                                           count == 1 ? "an input" : fmt::format("{} inputs", count),
                                           count == 1 ? "it is" : "they are")) +
           "\n";
  }
  std::string out;
  std::size_t rows = 0;
  for (const AssumedInput& input : all.ranges.inputs) {
    if (rows == kMostRows || share_of(input) <= 0.0) break;
    out += labelled(rows++ == 0 ? "Assumed" : "", row(all, input));
  }
  if (rows < count)
    out +=
        labelled(rows == 0 ? "Assumed" : "", fmt::format("{}{} that nobody gave: no effect that can be told from none",
                                                         rows == 0 ? "" : "and ", count - rows));
  return out + "\n";
}

ordered_json assumed_inputs_to_json(const AssumedRanges& all) {
  const RunResult& r = all.ranges.widened;
  const bool any = all.ranges.drawn;
  const auto range = [any](const std::optional<Estimate>& e) { return any ? range_of(e) : ordered_json(); };
  ordered_json ranges = {{"gpu_utilization", range(r.gpu_utilization)},
                         {"samples_per_s", range(r.inputs.samples_per_s)},
                         {"time_to_train_s", range(r.inputs.time_to_train_s)},
                         {"goodput_fraction", range(r.inputs.goodput_fraction)},
                         {"total_usd", range(all.cost.total_interval)},
                         {"effective_usd_per_useful_gpu_hour", range(all.cost.price_interval)}};
  ordered_json inputs = ordered_json::array();
  for (const AssumedInput& input : all.ranges.inputs) {
    const AssumedValue& a = input.assumed;
    const std::optional<double> value = input_value(all.scenario, a.range.pointer);
    const auto times = [&](double factor) { return value ? ordered_json(*value * factor) : ordered_json(); };
    const std::optional<double> usd = effect_usd(all, input);
    inputs.push_back({{"path", dotted_name(a.range.pointer)},
                      {"value", times(1.0)},
                      {"low", times(a.range.low_factor)},
                      {"high", times(a.range.high_factor)},
                      {"low_factor", a.range.low_factor},
                      {"high_factor", a.range.high_factor},
                      {"kind", a.from.kind},
                      {"source", a.from.source},
                      {"basis", a.basis},
                      {"effect_points", any ? ordered_json(effect_points(all, input)) : ordered_json()},
                      {"effect_usd", any && usd ? ordered_json(*usd) : ordered_json()},
                      {"narrow_by", a.narrow_by}});
  }
  return {{"ranges", std::move(ranges)}, {"assumptions", std::move(inputs)}};
}

ordered_json assumed_ranges_shape() {
  constexpr Estimate kSomething{1.0, 1.0, 1.0};
  const ResolvedScenario nothing;
  InputRanges ranges;
  ranges.drawn = true;
  RunResult& r = ranges.widened;
  r.gpu_utilization = r.inputs.samples_per_s = r.inputs.time_to_train_s = r.inputs.goodput_fraction = kSomething;
  CostBreakdown cost;
  cost.total_interval = cost.price_interval = kSomething;
  ordered_json shape = assumed_inputs_to_json({nothing, ranges, cost});
  shape.erase("assumptions");
  return shape;
}

}  // namespace stallcast
