#include "core/report/words/assumed_of_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/cost/money/money.h"
#include "core/cost/price_run.h"
#include "core/report/words/assumed_inputs.h"
#include "core/report/words/text_layout.h"
#include "core/run/model_error.h"
#include "core/run/simulate_serving.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

std::optional<double> usd_of(const ResolvedScenario& resolved, const ServingResult& load) {
  const std::optional<Money> total = price_run(resolved, as_run(resolved.scenario, load)).total();
  return total ? std::optional<double>(total->to_double()) : std::nullopt;
}

// By which the bill differs between the ends of an input's range, on the scale of the full simulation.
std::optional<double> effect_usd(const AssumedOfLoad& all, const AssumedLoadInput& input) {
  if (!input.ends) return std::nullopt;
  const auto given = usd_of(all.scenario, all.result), base = usd_of(all.scenario, all.ranges.as_given);
  const auto low = usd_of(all.scenario, input.ends->first), high = usd_of(all.scenario, input.ends->second);
  if (!given || !base || !low || !high || !(*base > 0.0)) return std::nullopt;
  return *given / *base * (std::max({*low, *high, *base}) - std::min({*low, *high, *base}));
}

ordered_json total_range(const AssumedOfLoad& all) {
  const auto given = usd_of(all.scenario, all.result);
  if (!given) return nullptr;
  return low_and_high(
      range_of_draws(*given, all.ranges.model_error * *given, all.ranges,
                     [&](const ServingResult& load) { return usd_of(all.scenario, load).value_or(0.0); }));
}

}  // namespace

std::string range_line(const AssumedOfLoad& all) {
  if (!all.ranges.drawn) return "";
  const Estimate last = range_of_draws(all.result.last_ready_s, all.ranges.model_error * all.result.last_ready_s,
                                       all.ranges, [](const ServingResult& load) { return load.last_ready_s; });
  return labelled("", fmt::format("{} to {} allowing for assumed inputs (see Assumed)", duration_text(last.ci95_low),
                                  duration_text(last.ci95_high)));
}

std::string assumed_inputs_block(const AssumedOfLoad& all) {
  const std::vector<AssumedLoadInput>& inputs = all.ranges.inputs;
  if (inputs.empty()) return "";
  if (!all.ranges.drawn) return not_drawn_block(inputs.size());
  std::string out;
  std::size_t rows = 0;
  const auto add = [&](const std::string& text) { out += labelled(rows++ == 0 ? "Assumed" : "", text); };
  for (const AssumedLoadInput& input : inputs) {
    if (rows == kMostAssumedRows || input.time_effect < kLeastPartOfTime) break;
    std::string effect = duration_text(input.time_effect * all.result.last_ready_s);
    if (const auto usd = effect_usd(all, input); usd && *usd > 0.0) effect += ", " + usd_text(*usd);
    add(assumed_row(all.scenario, input.assumed, effect));
  }
  if (rows < inputs.size()) {
    const double effect = inputs[rows].time_effect;
    add(fmt::format("{}{} more that you did not give, {}", rows == 0 ? "" : "and ", inputs.size() - rows,
                    effect >= kLeastPartOfTime
                        ? fmt::format("each worth {} or less", duration_text(effect * all.result.last_ready_s))
                        : std::string("with a negligible effect")));
  }
  add(fmt::format("and the model's own error: {}, as measured on {} (stallcast validate)",
                  duration_text(2.0 * all.ranges.model_error * all.result.last_ready_s),
                  all.ranges.model_error > kModelError ? "published runs" : "149 runs"));
  return out + "\n";
}

ordered_json assumed_inputs_to_json(const AssumedOfLoad& all) {
  ordered_json ranges = ordered_json::object();
  for (const char* name : {"first", "median", "mean", "last"}) ranges["time_to_ready_s"][name] = nullptr;
  for (const char* name : {"last_byte_s", "bytes_per_s", "total_usd"}) ranges[name] = nullptr;
  if (all.ranges.drawn) {
    for (const FigureRange& figure : all.ranges.figures) {
      const std::size_t dot = figure.name.find('.');
      ordered_json& at = dot == std::string::npos ? ranges[figure.name]
                                                  : ranges[figure.name.substr(0, dot)][figure.name.substr(dot + 1)];
      at = low_and_high(figure.range);
    }
    ranges["total_usd"] = total_range(all);
  }
  ordered_json inputs = ordered_json::array();
  for (const AssumedLoadInput& input : all.ranges.inputs) {
    const auto usd = effect_usd(all, input);
    ordered_json one = assumption_to_json(all.scenario, input.assumed);
    one["effect_s"] = input.ends ? ordered_json(input.time_effect * all.result.last_ready_s) : ordered_json();
    one["effect_usd"] = usd ? ordered_json(*usd) : ordered_json();
    one["narrow_by"] = input.assumed.narrow_by;
    inputs.push_back(std::move(one));
  }
  return {{"ranges", std::move(ranges)}, {"assumptions", std::move(inputs)}};
}

}  // namespace stallcast
