#include "core/report/words/assumed_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/cost/cost_interval.h"
#include "core/cost/money/money.h"
#include "core/plan/evaluate/scaled_input.h"
#include "core/report/words/text_layout.h"
#include "core/run/model_error.h"
#include "core/run/uncertainty.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

// Less than this is as good as nothing: a tenth of a point, and the same share of throughput.
constexpr double kLeastEffect = 0.0005;

bool has_effect(const AssumedInput& input) {
  return std::max(input.utilization_effect, input.throughput_effect) >= kLeastEffect;
}

// By how much the bill differs between the ends of an input's range; none where it is not known.
std::optional<double> effect_usd(const AssumedRanges& all, const AssumedInput& input) {
  if (!input.ends) return std::nullopt;
  const auto usd = [&](const DrawnRun& run) {
    return drawn_total_usd(run, input.ends->as_given, all.cost, all.scenario, all.ranges.widened);
  };
  const std::optional<double> low = usd(input.ends->low), high = usd(input.ends->high);
  const std::optional<Money> mean = all.cost.total();
  if (!low || !high || !mean) return std::nullopt;
  return std::max({*low, *high, mean->to_double()}) - std::min({*low, *high, mean->to_double()});
}

ordered_json range_of(const std::optional<Estimate>& e) {
  if (e && e->ci95_low == 0.0 && e->ci95_high == 0.0) return nullptr;
  return low_and_high(e);
}

std::string row(const AssumedRanges& all, const AssumedInput& input) {
  std::string effect = fmt::format("{:.1f} points", 100.0 * input.utilization_effect);
  if (const std::optional<double> usd = effect_usd(all, input); usd && *usd > 0.0)
    effect += fmt::format(", {}", usd_text(*usd));
  return assumed_row(all.scenario, input.assumed, effect);
}

std::string inputs_text(std::size_t count) { return count == 1 ? "an input" : fmt::format("{} inputs", count); }

// What writes checkpoints, where the scenario does not say: of these fields. None without checkpoints.
std::vector<std::string> assumed_words(const ResolvedScenario& resolved) {
  const CheckpointSpec& c = resolved.scenario.checkpoint;
  std::vector<std::string> out;
  if (c.mode == CheckpointMode::kNone || c.software.empty()) return out;
  for (const char* pointer : {"/checkpoint/software", "/checkpoint/writers"}) {
    const auto found = resolved.provenance.find(pointer);
    if (found != resolved.provenance.end() && found->second.origin == Origin::kDefault) out.emplace_back(pointer);
  }
  return out;
}

// "and checkpoints by torch_save, from rank 0: ...", or "" where both words were given.
std::string assumed_writer(const ResolvedScenario& resolved) {
  const CheckpointSpec& c = resolved.scenario.checkpoint;
  std::vector<std::string> names;
  for (const std::string& pointer : assumed_words(resolved)) names.push_back(dotted_name(pointer));
  if (names.empty()) return "";
  return labelled("", fmt::format("and checkpoints written by {}, from {}: set {} if that is not so", c.software,
                                  c.writers == CheckpointWriters::kRank0 ? "rank 0 alone" : "every rank",
                                  fmt::join(names, " and ")));
}

ordered_json assumed_word_to_json(const ResolvedScenario& resolved, const std::string& pointer) {
  const Provenance& from = resolved.provenance.at(pointer);
  const Field& field = *find_field(pointer);
  return {{"path", dotted_name(pointer)},
          {"value", value_to_json(field, field.get(resolved.scenario))},
          {"low", nullptr},
          {"high", nullptr},
          {"low_factor", nullptr},
          {"high_factor", nullptr},
          {"kind", "assumed"},
          {"source", from.source},
          {"basis", from.note},
          {"effect_points", nullptr},
          {"effect_usd", nullptr},
          {"narrow_by", fmt::format("set {}", dotted_name(pointer))}};
}

std::string not_drawn_line(std::size_t inputs) {
  return labelled("Assumed", fmt::format("{} that you did not give; --inputs ranges shows how much {} matter",
                                         inputs_text(inputs), inputs == 1 ? "that may" : "they"));
}

}  // namespace

std::string assumed_row(const ResolvedScenario& scenario, const AssumedValue& assumed, const std::string& effect) {
  const UncertainInput& range = assumed.range;
  const std::optional<double> value = input_value(scenario, range.pointer);
  std::string text = dotted_name(range.pointer);
  if (value) {
    text += fmt::format(" {}, may be {} to {}", input_value_text(range.pointer, *value),
                        input_value_text(range.pointer, *value * range.low_factor),
                        input_value_text(range.pointer, *value * range.high_factor));
  } else {
    text += fmt::format(" may be {:.3g} to {:.3g} times what was taken", range.low_factor, range.high_factor);
  }
  return text + fmt::format(": {}; {}. To narrow it: {}", effect, assumed.basis, assumed.narrow_by);
}

std::string not_drawn_block(std::size_t inputs) { return not_drawn_line(inputs) + "\n"; }

ordered_json low_and_high(const std::optional<Estimate>& range) {
  if (!range) return nullptr;
  return {{"low", range->ci95_low}, {"high", range->ci95_high}};
}

ordered_json assumption_to_json(const ResolvedScenario& scenario, const AssumedValue& a) {
  const std::optional<double> value = input_value(scenario, a.range.pointer);
  const auto times = [&](double factor) { return value ? ordered_json(*value * factor) : ordered_json(); };
  return {{"path", dotted_name(a.range.pointer)},
          {"value", times(1.0)},
          {"low", times(a.range.low_factor)},
          {"high", times(a.range.high_factor)},
          {"low_factor", a.range.low_factor},
          {"high_factor", a.range.high_factor},
          {"kind", a.from.kind},
          {"source", a.from.source},
          {"basis", a.basis}};
}

std::string range_line(const AssumedRanges& all) {
  if (!all.ranges.drawn) return "";
  const Estimate& range = all.ranges.widened.gpu_utilization;
  return labelled("", fmt::format("{:.1f} to {:.1f} % allowing for assumed inputs (see Assumed)",
                                  100.0 * range.ci95_low, 100.0 * range.ci95_high));
}

std::string assumed_inputs_block(const AssumedRanges& all) {
  const std::size_t count = all.ranges.inputs.size();
  if (count == 0) return "";
  if (!all.ranges.drawn) return not_drawn_line(count) + assumed_writer(all.scenario) + "\n";
  std::string out;
  std::size_t rows = 0;
  const auto add = [&](const std::string& text) { out += labelled(rows++ == 0 ? "Assumed" : "", text); };
  for (const AssumedInput& input : all.ranges.inputs) {
    if (rows == kMostAssumedRows || !has_effect(input)) break;
    add(row(all, input));
  }
  if (rows < count) {
    const AssumedInput& next = all.ranges.inputs[rows];
    add(fmt::format("{}{} that you did not give{}", rows == 0 ? "" : "and ", inputs_text(count - rows),
                    has_effect(next)
                        ? fmt::format(", each with an effect of {:.1f} points or less", 100.0 * next.utilization_effect)
                        : ", with a negligible effect"));
  }
  out += assumed_writer(all.scenario);
  const double utilization = all.ranges.widened.gpu_utilization.mean, most = most_model_error(all.ranges.inputs);
  if (const double half = utilization * model_error(utilization, most); half >= kLeastEffect) {
    add(fmt::format("and the model's own error: {:.1f} points, as measured on {} (stallcast validate)",
                    2.0 * 100.0 * half, most > kModelError ? "published runs" : "149 runs"));
  }
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
  for (const std::string& name : ranged_figures()) ranges[name] = nullptr;
  for (const FigureRange& figure : r.inputs.figures) ranges[figure.name] = range(figure.range);
  ordered_json inputs = ordered_json::array();
  for (const AssumedInput& input : all.ranges.inputs) {
    const std::optional<double> usd = effect_usd(all, input);
    ordered_json one = assumption_to_json(all.scenario, input.assumed);
    one["effect_points"] = input.ends ? ordered_json(100.0 * input.utilization_effect) : ordered_json();
    one["effect_usd"] = usd ? ordered_json(*usd) : ordered_json();
    one["narrow_by"] = input.assumed.narrow_by;
    inputs.push_back(std::move(one));
  }
  for (const std::string& pointer : assumed_words(all.scenario))
    inputs.push_back(assumed_word_to_json(all.scenario, pointer));
  const double utilization = r.gpu_utilization.mean;
  const double error = model_error(utilization, most_model_error(all.ranges.inputs));
  ordered_json model = any ? ordered_json(2.0 * 100.0 * utilization * error) : ordered_json();
  return {{"ranges", std::move(ranges)}, {"model_error_points", std::move(model)}, {"assumptions", std::move(inputs)}};
}

ordered_json assumed_ranges_shape() {
  constexpr Estimate kSomething{1.0, 1.0, 1.0};
  const ResolvedScenario nothing;
  InputRanges ranges;
  ranges.drawn = true;
  RunResult& r = ranges.widened;
  r.gpu_utilization = r.inputs.samples_per_s = r.inputs.time_to_train_s = r.inputs.goodput_fraction = kSomething;
  for (const std::string& name : ranged_figures()) r.inputs.figures.push_back({name, kSomething});
  CostBreakdown cost;
  cost.total_interval = cost.price_interval = kSomething;
  ordered_json shape = assumed_inputs_to_json({nothing, ranges, cost});
  shape.erase("assumptions");
  return shape;
}

}  // namespace stallcast
