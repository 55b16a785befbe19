// Charts of plans: a field turned, the front of a search, what a figure depends on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/plan/evaluate/figures.h"
#include "core/plan/evaluate/kpi.h"
#include "core/plan/explain/curve.h"
#include "core/plan/explain/curve_values.h"
#include "core/plan/explain/explain.h"
#include "core/plan/explain/worded_change.h"
#include "core/plan/search/best_first.h"
#include "core/plan/search/size.h"
#include "core/plan/sensitivity/sensitivity.h"
#include "core/plan/space/space.h"
#include "core/report/charts/chart.h"
#include "core/report/charts/chart_parts.h"
#include "core/report/charts/charts.h"
#include "core/report/words/kpi_text.h"
#include "core/result/estimate.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_title.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr double kWorthARange = 0.005;  // of the widest
constexpr int kLineColour = 1;
constexpr int kBaselineColour = 8;
constexpr int kKeepsColour = 1;
constexpr int kMissesColour = 8;

struct PlacedStep {
  std::size_t step = 0;
  double place = 0.0;  // along x, in its unit
  Estimate value;      // base units
};

std::vector<PlacedStep> known_points(const Curve& curve, const Kpi& kpi, double factor) {
  std::vector<PlacedStep> points;
  for (std::size_t i = 0; i < curve.steps.size(); ++i) {
    if (!curve.steps[i].figures) continue;
    if (const auto& value = value_of(kpi, *curve.steps[i].figures))
      points.push_back({i, factor * curve.steps[i].value, *value});
  }
  return points;
}

double largest_of(const std::vector<PlacedStep>& points) {
  double largest = 0.0;
  for (const PlacedStep& point : points) largest = std::max(largest, std::abs(point.value.mean));
  return largest;
}

// Whether two values differ by more than a point, or a hundredth: what runs to a point of utilization can tell apart.
bool is_worth_a_word(const Kpi& kpi, double low, double high) {
  constexpr double kLeast = 0.01;
  return high - low > (kpi.dimension == Dimension::kFraction ? kLeast : kLeast * std::abs(high));
}

// The last of two or more points from the first on that a figure is as good at as anywhere, where it gets worse beyond;
// else null.
const PlacedStep* last_of_a_shelf(const Kpi& kpi, const std::vector<PlacedStep>& points) {
  const double first = points.front().value.mean;
  const auto differs = [&](const PlacedStep& point) {
    return is_worth_a_word(kpi, std::min(first, point.value.mean), std::max(first, point.value.mean));
  };
  const auto is_better = [&](const PlacedStep& point) {
    return differs(point) && (kpi.better == Better::kLower) == (point.value.mean < first);
  };
  const auto end = std::find_if(points.begin(), points.end(), differs);
  if (end - points.begin() < 2 || end == points.end() || std::any_of(end, points.end(), is_better)) return nullptr;
  return &*(end - 1);
}

std::string curve_title(const Curve& curve, const Kpi& kpi, const std::vector<PlacedStep>& points) {
  const std::string field = field_noun(curve.pointer);
  if (points.empty()) return fmt::format("How {} depends on {} is not known", kpi.label, field);
  const auto text = [&](const PlacedStep& point) { return curve.steps[point.step].text; };
  const auto less = [](const PlacedStep& a, const PlacedStep& b) { return a.value.mean < b.value.mean; };
  const auto [lowest, highest] = std::minmax_element(points.begin(), points.end(), less);
  if (lowest->value.mean == highest->value.mean)
    return fmt::format("{} is {} whatever {} is", kpi.label, kpi_text(kpi, lowest->value.mean), field);
  if (!is_worth_a_word(kpi, lowest->value.mean, highest->value.mean))
    return fmt::format("{} hardly depends on {}: {} to {}", kpi.label, field, kpi_text(kpi, lowest->value.mean),
                       kpi_text(kpi, highest->value.mean));
  if (kpi.name == "gpu_utilization" && curve.knee && *curve.knee > points.front().step)
    return fmt::format("{} stops growing at {}", kpi.label,
                       field_with_value(curve.pointer, curve.steps[*curve.knee].text));
  if (const PlacedStep* const last = last_of_a_shelf(kpi, points))
    return fmt::format("{} stays at {} up to {}", kpi.label, kpi_text(kpi, points.front().value.mean),
                       field_with_value(curve.pointer, text(*last)));
  const bool least = kpi.better == Better::kLower;
  const PlacedStep& best = least ? *lowest : *highest;
  return fmt::format("{} is {} at {}: {}", kpi.label, least ? "lowest" : "highest",
                     field_with_value(curve.pointer, text(best)), kpi_text(kpi, best.value.mean));
}

// "78.6 % at 4 and 98.1 % at 8".
std::string points_text(const Curve& curve, const Kpi& kpi, const std::vector<PlacedStep>& points) {
  std::vector<std::string> parts;
  for (const PlacedStep& point : points)
    parts.push_back(fmt::format("{} at {}", kpi_text(kpi, point.value.mean), curve.steps[point.step].text));
  return parts.empty() ? "not known" : joined(parts);
}

std::string curve_alt(const Curve& curve, const Kpi& kpi, const std::vector<PlacedStep>& points) {
  std::string alt =
      fmt::format("{} over {}: {}.", kpi.label, field_title(curve.pointer), points_text(curve, kpi, points));
  if (curve.now) alt += fmt::format(" The scenario has {}.", curve.steps[*curve.now].text);
  if (curve.knee) alt += fmt::format(" From {} on no other is a point busier.", curve.steps[*curve.knee].text);
  for (const CurveStep& step : curve.steps)
    if (!step.why_not.empty()) alt += fmt::format(" {} cannot be: {}.", step.text, step.why_not);
  return alt;
}

// A knee at the first step says nothing: there nothing grows.
std::optional<std::size_t> knee_worth_a_line(const Curve& curve) {
  for (std::size_t i = 0; curve.knee && i < *curve.knee; ++i)
    if (curve.steps[i].figures) return curve.knee;
  return std::nullopt;
}

// "as it is, and knee: 4": a line for each value that means something, with all that it means.
std::vector<ChartRule> curve_rules(const Curve& curve, const std::optional<CurveBaseline>& baseline, double factor) {
  std::vector<std::pair<std::string, std::string>> values;  // of the field, and what it is
  const auto add = [&](const std::string& value, const std::string& what) {
    const auto same = std::find_if(values.begin(), values.end(), [&](const auto& one) { return one.first == value; });
    if (same == values.end()) {
      values.emplace_back(value, what);
    } else {
      same->second += ", and " + what;
    }
  };
  if (curve.now) add(curve.steps[*curve.now].text, "as it is");
  if (const auto knee = knee_worth_a_line(curve)) add(curve.steps[*knee].text, "knee");
  if (baseline) add(baseline->value, "baseline");
  std::vector<ChartRule> rules;
  for (const auto& [value, what] : values) {
    const bool is_now = curve.now && curve.steps[*curve.now].text == value;
    if (const auto place = number_of_text(curve.pointer, value))
      rules.push_back({true, factor * *place, what + ": " + value, is_now ? curve.pointer : ""});
  }
  return rules;
}

ChartSeries curve_series(const Curve& curve, const std::vector<PlacedStep>& points, double up) {
  ChartSeries series;
  for (const PlacedStep& point : points) {
    ChartDatum datum;
    datum.x = point.place;
    datum.y = up * point.value.mean;
    if (point.value.half_width() > 0.0) {
      datum.low = up * point.value.ci95_low;
      datum.high = up * point.value.ci95_high;
    }
    datum.label = curve.steps[point.step].text;
    datum.key = curve.pointer + "=" + curve.steps[point.step].text;
    datum.chosen = curve.now == point.step;
    series.data.push_back(std::move(datum));
  }
  return series;
}

}  // namespace

Chart curve_chart(const Curve& curve, const Kpi& kpi, const std::optional<CurveBaseline>& baseline) {
  Chart chart;
  chart.id = "curve-" + id_text(curve.pointer) + "-" + id_text(kpi.name);
  const bool ordered = has_order(curve.pointer);
  ChartScale along;
  if (ordered && !curve.steps.empty()) {
    const Field& field = *field_or_parent(curve.pointer);
    along = chart_scale_of_text(field.kind == FieldKind::kInteger ? Dimension::kCount : field.dimension,
                                curve.steps[curve.now.value_or(0)].text, curve.steps.back().value);
  }
  const std::vector<PlacedStep> points = known_points(curve, kpi, along.factor);
  std::vector<PlacedStep> beside;
  if (baseline && baseline->curve != nullptr) beside = known_points(*baseline->curve, kpi, along.factor);
  const ChartScale up = chart_scale(kpi.dimension, std::max(largest_of(points), largest_of(beside)));
  chart.kind = ordered ? ChartKind::kLines : ChartKind::kPoints;
  chart.title = curve_title(curve, kpi, points);
  chart.alt = curve_alt(curve, kpi, points);
  chart.x = ordered ? number_axis(field_title(curve.pointer), along) : category_axis(field_title(curve.pointer));
  if (!ordered)
    for (const CurveStep& step : curve.steps) chart.x.categories.push_back(step.text);
  chart.y = number_axis(kpi.label, up);
  ChartSeries series = curve_series(curve, points, up.factor);
  series.name = beside.empty() ? kpi.label : "as it is";
  series.key = beside.empty() ? kpi.name : "now";
  series.colour = kLineColour;
  chart.series.push_back(std::move(series));
  if (!beside.empty()) {
    ChartSeries other = curve_series(*baseline->curve, beside, up.factor);
    other.name = other.key = "baseline";
    other.colour = kBaselineColour;
    chart.series.push_back(std::move(other));
    chart.alt += fmt::format(" The baseline: {}.", points_text(*baseline->curve, kpi, beside));
  }
  if (ordered) chart.rules = curve_rules(curve, baseline, along.factor);
  return chart;
}

namespace {

// "99000 GiB of Google Cloud Managed Lustre; 8 loader workers per GPU"
std::string setting_text(const Point& point, const std::map<std::string, std::string>& tier_titles) {
  std::string tier, capacity, others;
  for (const Assignment& one : point) {
    if (one.text.empty()) continue;
    if (one.pointer == "/storage/tier") {
      const auto title = tier_titles.find(one.text);
      tier = title == tier_titles.end() ? one.text : title->second;
    } else if (one.pointer == "/storage/capacity") {
      capacity = one.text;
    } else {
      others += (others.empty() ? "" : "; ") + field_with_value(one.pointer, one.text);
    }
  }
  std::string storage = capacity.empty() ? tier : capacity + (tier.empty() ? " of storage" : " of " + tier);
  if (storage.empty()) return others;
  return others.empty() ? storage : storage + "; " + others;
}

ChartDatum front_datum(const SizeResult& result, const FrontPoint& front, Figure x, Figure y, const ChartScale& along,
                       const ChartScale& up) {
  ChartDatum datum;
  const Estimate value = *front.point.figures.of(y);
  datum.x = along.factor * front.point.figures.at(x);
  datum.y = up.factor * value.mean;
  if (value.half_width() > 0.0) {
    datum.low = up.factor * value.ci95_low;
    datum.high = up.factor * value.ci95_high;
  }
  datum.label = setting_text(front.point.point, result.tier_titles);
  datum.key = fmt::format("point-{}", front.point.index);
  return datum;
}

std::string pareto_title(const SizeResult& result, Figure x, Figure y, std::size_t count) {
  if (count == 0) return fmt::format("{} against {}: nothing is known", figure_title(y), figure_title(x));
  const bool one = count == 1;
  if (result.best.empty())
    return one ? "The best configuration misses the targets"
               : fmt::format("None of {} best trade-offs meets the targets", count);
  const SizedPoint& best = result.best.front();
  const std::string which =
      one ? "One configuration beats all others" : fmt::format("The configuration chosen of {} trade-offs", count);
  return fmt::format("{}: {}, {}", which, figure_text(x, best.figures.at(x)), figure_text(y, best.figures.at(y)));
}

}  // namespace

Chart pareto_chart(const SizeResult& result, Figure x, Figure y) {
  Chart chart;
  chart.id = "pareto-" + id_text(figure_name(x)) + "-" + id_text(figure_name(y));
  chart.kind = ChartKind::kPoints;
  std::vector<const FrontPoint*> known;
  double most_x = 0.0, most_y = 0.0;
  for (const FrontPoint& front : result.front.points) {
    if (front.like_another) continue;
    if (!front.point.figures.of(x) || !front.point.figures.of(y)) continue;
    known.push_back(&front);
    most_x = std::max(most_x, front.point.figures.at(x));
    most_y = std::max(most_y, front.point.figures.at(y));
  }
  const ChartScale along = chart_scale(figure_dimension(x), most_x), up = chart_scale(figure_dimension(y), most_y);
  chart.title = pareto_title(result, x, y, known.size());
  chart.x = number_axis(figure_title(x), along);
  chart.y = number_axis(figure_title(y), up);
  chart.x.from_zero = chart.y.from_zero = false;
  ChartSeries keeps{"meets the targets", "keeps", kKeepsColour, {}};
  ChartSeries misses{"misses a target", "misses", kMissesColour, {}};
  std::vector<std::string> parts;
  for (const FrontPoint* front : known) {
    ChartDatum datum = front_datum(result, *front, x, y, along, up);
    datum.chosen = !result.best.empty() && result.best.front().index == front->point.index;
    parts.push_back(fmt::format("{} and {} with {}{}", figure_text(x, front->point.figures.at(x)),
                                figure_text(y, front->point.figures.at(y)), datum.label,
                                datum.chosen           ? " (chosen)"
                                : front->keeps_targets ? ""
                                                       : " (misses a target)"));
    (front->keeps_targets ? keeps : misses).data.push_back(std::move(datum));
  }
  chart.alt = fmt::format("{} against {}: {}.", figure_title(y), figure_title(x),
                          parts.empty() ? "nothing is known" : joined(parts));
  if (!keeps.data.empty()) chart.series.push_back(std::move(keeps));
  if (!misses.data.empty()) chart.series.push_back(std::move(misses));
  for (const Target& target : result.targets) {
    const std::string label = fmt::format("target {}", figure_text(target.figure, target.limit));
    const std::string key(figure_name(target.figure));
    if (target.figure == x) chart.rules.push_back({true, along.factor * target.limit, label, key});
    if (target.figure == y) chart.rules.push_back({false, up.factor * target.limit, label, key});
  }
  return chart;
}

namespace {

struct Bar {
  const TornadoBar* bar = nullptr;
  double low = 0.0, high = 0.0;  // of the figure
};

// Widest first; those whose ends are not known are left out.
std::vector<Bar> tornado_bars(const Sensitivity& sensitivity, std::size_t figure, std::size_t most) {
  std::vector<Bar> bars;
  for (const TornadoBar& bar : sensitivity.tornado) {
    const double a = bar.at_low.at(figure), b = bar.at_high.at(figure), given = sensitivity.as_given.at(figure);
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(given)) continue;
    bars.push_back({&bar, std::min({a, b, given}), std::max({a, b, given})});
  }
  std::stable_sort(bars.begin(), bars.end(),
                   [](const Bar& a, const Bar& b) { return a.high - a.low > b.high - b.low; });
  // What does next to nothing would only take room.
  const double least = bars.empty() ? 0.0 : kWorthARange * (bars.front().high - bars.front().low);
  std::erase_if(bars, [&](const Bar& bar) { return bar.high - bar.low <= least; });
  if (bars.size() > most) bars.resize(most);
  return bars;
}

}  // namespace

Chart tornado_chart(const Sensitivity& sensitivity, std::size_t figure, const std::vector<const Kpi*>& figures,
                    std::size_t most) {
  const Kpi& kpi = *figures.at(figure);
  Chart chart;
  chart.id = "tornado-" + id_text(kpi.name);
  chart.kind = ChartKind::kRanges;
  const std::vector<Bar> bars = tornado_bars(sensitivity, figure, most);
  chart.title = kpi.label + " depends on no uncertain input";
  chart.alt = chart.title + ".";
  chart.y = category_axis("");
  double largest = 0.0;
  for (const Bar& bar : bars) largest = std::max(largest, std::abs(bar.high));
  const ChartScale scale = chart_scale(kpi.dimension, largest);
  chart.x = number_axis(kpi.label, scale);
  chart.x.from_zero = false;
  if (bars.empty()) return chart;
  const double given = sensitivity.as_given.at(figure);
  const auto range_text = [&](const Bar& bar) {
    return fmt::format("{} to {}", kpi_text(kpi, bar.low), kpi_text(kpi, bar.high));
  };
  if (bars.front().high > bars.front().low)
    chart.title = fmt::format("{} depends most on {}: {}", kpi.label, field_noun(bars.front().bar->input.pointer),
                              range_text(bars.front()));
  ChartSeries series{kpi.label, kpi.name, kLineColour, {}};
  std::vector<std::string> parts;
  for (const Bar& bar : bars) {
    const std::string name = field_title(bar.bar->input.pointer);
    ChartDatum datum;
    datum.x = scale.factor * given;
    datum.y = static_cast<double>(chart.y.categories.size());
    datum.low = scale.factor * bar.low;
    datum.high = scale.factor * bar.high;
    datum.label = uncertain_input_text(bar.bar->input);
    datum.key = bar.bar->input.pointer;
    chart.y.categories.push_back(name);
    parts.push_back(name + " " + range_text(bar));
    series.data.push_back(std::move(datum));
  }
  chart.alt = fmt::format("{} is {} as given. With one input at the ends of its interval: {}.", kpi.label,
                          kpi_text(kpi, given), joined(parts));
  chart.series.push_back(std::move(series));
  chart.rules.push_back({true, scale.factor * given, "as given: " + kpi_text(kpi, given)});
  return chart;
}

Chart changes_chart(double now, const std::vector<WordedChange>& changes, std::size_t most) {
  const Kpi& kpi = *find_kpi("gpu_utilization");
  const ChartScale scale = chart_scale(kpi.dimension, 1.0);
  Chart chart;
  chart.id = "changes";
  chart.kind = ChartKind::kRanges;
  chart.title = "No change that you can make brings half a point";
  chart.x = number_axis(kpi.label, scale);
  chart.x.from_zero = false;
  chart.y = category_axis("");
  ChartSeries can{"can be set", "can", kKeepsColour, {}}, ideal{"if a limit were gone", "ideal", kMissesColour, {}};
  std::vector<std::string> parts;
  bool first = true;
  for (const WordedChange& change : changes) {
    if (std::abs(change.after - change.before) <= kWorthTelling || chart.y.categories.size() == most) continue;
    const std::string reach = fmt::format("{} to {}", kpi_text(kpi, change.before), kpi_text(kpi, change.after));
    ChartDatum datum;
    datum.x = scale.factor * now;
    datum.y = static_cast<double>(chart.y.categories.size());
    datum.low = scale.factor * std::min(change.before, change.after);
    datum.high = scale.factor * std::max(change.before, change.after);
    datum.label = fmt::format("{}: {}", change.words, reach);
    if (change.usd)
      datum.label += fmt::format(", {} {} a run", kpi_text(*find_kpi("cost.total_usd"), std::abs(*change.usd)),
                                 *change.usd < 0 ? "more" : "less");
    datum.key = change.name;
    if (change.can_be_set && std::exchange(first, false) && change.after - change.before >= kSmallestGain)
      chart.title = fmt::format("Of what you can set, this brings most: {}, {}", change.words, reach);
    chart.y.categories.push_back(change.words);
    parts.push_back(fmt::format("{}, {}", reach, change.words));
    (change.can_be_set ? can : ideal).data.push_back(std::move(datum));
  }
  chart.alt = parts.empty() ? "No change makes a difference." : fmt::format("GPU utilization {}.", joined(parts));
  for (ChartSeries* const series : {&can, &ideal})
    if (!series->data.empty()) chart.series.push_back(std::move(*series));
  chart.rules.push_back({true, scale.factor * now, "now: " + kpi_text(kpi, now)});
  return chart;
}

Chart way_chart(double now, const std::vector<WordedChange>& steps, double target) {
  const Kpi& kpi = *find_kpi("gpu_utilization");
  const ChartScale scale = chart_scale(kpi.dimension, 1.0);
  Chart chart;
  chart.id = "way";
  chart.kind = ChartKind::kWaterfall;
  chart.x = category_axis("");
  chart.y = number_axis(kpi.label, scale);
  ChartSeries series{kpi.label, std::string(kpi.name), kKeepsColour, {}};
  const auto add = [&](const std::string& words, const std::string& key, double height, bool stands) {
    ChartDatum datum;
    datum.x = static_cast<double>(chart.x.categories.size());
    datum.y = scale.factor * height;
    datum.label = words;
    datum.key = key;
    datum.chosen = stands;
    chart.x.categories.push_back(words);
    series.data.push_back(std::move(datum));
  };
  add("now", "now", now, true);
  double reached = now;
  std::vector<std::string> parts;
  for (const WordedChange& step : steps) {
    add(step.words, step.name, step.after - step.before, false);
    reached = step.after;
    parts.push_back(fmt::format("{} with \"{}\"", kpi_text(kpi, reached), step.words));
  }
  if (!steps.empty()) add("then", "then", reached, true);
  const std::string goal = kpi_text(kpi, target), here = kpi_text(kpi, now);
  chart.title = now >= target   ? fmt::format("GPU utilization is {}: no change is needed for {}", here, goal)
                : steps.empty() ? fmt::format("From {} nothing that was tried leads to {}", here, goal)
                : reached >= target
                    ? fmt::format("{} change{} to get from {} to {}", steps.size(), steps.size() == 1 ? "" : "s", here,
                                  kpi_text(kpi, reached))
                    : fmt::format("What was tried leads from {} to {}, not to {}", here, kpi_text(kpi, reached), goal);
  chart.alt = fmt::format("GPU utilization is {}{}.", here, parts.empty() ? "" : "; then " + joined(parts));
  chart.series.push_back(std::move(series));
  chart.rules.push_back({false, scale.factor * target, "target " + goal, "target"});
  return chart;
}

}  // namespace stallcast
