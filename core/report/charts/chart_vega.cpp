#include "core/report/charts/chart_vega.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/charts/axis_scale.h"
#include "core/report/charts/chart_ink.h"
#include "core/report/charts/chart_words.h"
#include "core/report/charts/row_spans.h"
#include "core/report/words/markup.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRowHeight = 30;  // px
constexpr double kTicks = 7.0;
constexpr double kRoomForText = 65.0;  // px, beside the ends of bars
constexpr double kWidthOfText = 50.0;  // px: narrower segments have no room for one

std::string category(const ChartAxis& axis, double index) {
  return axis.categories.at(static_cast<std::size_t>(index));
}

void put(Json& row, const char* name, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) row[name] = *value;
}

std::string span_text(const Chart& chart, const RowSpan& span) {
  const ChartAxis& axis = value_axis(chart);
  if (chart.kind == ChartKind::kBars) return value_text(axis, span.datum->y);
  return chart.kind == ChartKind::kWaterfall ? waterfall_text(axis, *span.datum) : "";
}

Json row_values(const Chart& chart) {
  const ValueRange range = range_of_values(chart);
  Json values = Json::array();
  for (const RowSpan& span : row_spans(chart)) {
    Json row = {{"series", span.series->name},
                {"key", span.datum->key},
                {"about", about_datum(chart, *span.series, *span.datum)},
                {"row", category(row_axis(chart), span.row)},
                {"from", span.from},
                {"to", span.to},
                {"text", span_text(chart, span)},
                {"ink", text_on(series_colour(*span.series).light)},
                {"ink_dark", text_on(series_colour(*span.series).dark)}};
    row["share"] = std::abs(span.to - span.from) / (range.high - range.low);
    put(row, "low", span.low);
    put(row, "high", span.high);
    if (chart.kind == ChartKind::kRanges) {
      put(row, "value", span.datum->x);
      row["left_text"] = value_text(value_axis(chart), std::min(span.from, span.to));
      row["right_text"] = value_text(value_axis(chart), std::max(span.from, span.to));
    }
    values.push_back(std::move(row));
  }
  return values;
}

// Where words over a mark hang, so that they stay inside the plot.
const char* side_of(double x, const ValueRange& across) {
  const double share = (x - across.low) / (across.high - across.low);
  return share < 0.35 ? "left" : share > 0.65 ? "right" : "center";
}

Json plane_values(const Chart& chart) {
  const ValueRange across = range_of_x(chart);
  Json values = Json::array();
  for (const ChartSeries& series : chart.series)
    for (const ChartDatum& datum : series.data) {
      if (!std::isfinite(datum.x) || !std::isfinite(datum.y)) continue;
      Json row = {{"series", series.name},
                  {"key", datum.key},
                  {"about", about_datum(chart, series, datum)},
                  {"y", datum.y},
                  {"label", clipped(clean_text(datum.label), 60)},
                  {"side", side_of(datum.x, across)},
                  {"chosen", datum.chosen}};
      if (chart.x.categories.empty())
        row["x"] = datum.x;
      else if (datum.x >= 0.0 && datum.x < static_cast<double>(chart.x.categories.size()))
        row["x"] = category(chart.x, datum.x);
      else
        continue;
      put(row, "low", datum.low);
      put(row, "high", datum.high);
      values.push_back(std::move(row));
    }
  return values;
}

Json channel(const char* field, const ChartAxis& axis) {
  if (!axis.categories.empty())
    return {{"field", field},
            {"type", "nominal"},
            {"scale", {{"domain", axis.categories}}},
            {"sort", nullptr},
            {"axis", {{"title", axis.title.empty() ? Json(nullptr) : Json(axis_heading(axis))}, {"labelAngle", 0}}}};
  Json scale = {{"zero", axis.from_zero}, {"nice", true}};
  if (!axis.from_zero) scale["padding"] = 10;
  return {{"field", field}, {"type", "quantitative"}, {"scale", scale}, {"axis", {{"title", axis_heading(axis)}}}};
}

// The same ticks as in the drawing: Vega's on a logarithmic axis are many.
Json number_channel(const char* field, const ChartAxis& axis, const ValueRange& range) {
  Json place = channel(field, axis);
  if (!axis.logarithmic || !axis.categories.empty()) return place;
  const AxisScale scale = make_scale(axis, range.low, range.high, kTicks);
  if (!scale.logarithmic) return place;
  place["scale"] = {{"type", "log"}, {"domain", {scale.from, scale.to}}};
  place["axis"]["values"] = scale.ticks;
  return place;
}

Json colour_channel(const Chart& chart) {
  Json names = Json::array(), colours = Json::array();
  for (const ChartSeries& series : chart.series) {
    names.push_back(series.name);
    colours.push_back(series_colour(series).light);
  }
  Json legend = needs_legend(chart) ? Json{{"title", nullptr}, {"orient", "top"}} : Json(nullptr);
  return {
      {"field", "series"}, {"type", "nominal"}, {"scale", {{"domain", names}, {"range", colours}}}, {"legend", legend}};
}

Json hot_opacity(double usual) {
  return {{"condition", {{"test", "hot === '' || datum.key === hot"}, {"value", usual}}}, {"value", 0.2 * usual}};
}

Json tooltip() { return {{"field", "about"}, {"type", "nominal"}}; }

Json layer(Json mark, Json encoding) { return {{"mark", std::move(mark)}, {"encoding", std::move(encoding)}}; }

// The end of an axis that leaves room for text behind a bar that ends at `end`, at one side of the plot or at both.
Json beyond(double end, double span, int sides) {
  return {{"expr", fmt::format("{} + {} * {} / max(60, width - {})", end, span, kRoomForText, sides * kRoomForText)}};
}

Json value_channel(const Chart& chart) {
  Json along = channel("from", value_axis(chart));
  const ValueRange range = range_of_values(chart);
  const double span = range.high - range.low;
  const bool stacked = chart.kind == ChartKind::kBars && chart.series.size() > 1;
  if (stacked) {
    const AxisScale scale = make_scale(value_axis(chart), range.low, range.high, kTicks);
    along["scale"] = {{"domain", {scale.from, scale.to}}};
  }
  if (chart.kind == ChartKind::kTimeline) along["scale"] = {{"zero", false}, {"nice", false}};
  if (chart.kind == ChartKind::kRanges)
    along["scale"] = {{"domainMin", beyond(range.low, -span, 2)}, {"domainMax", beyond(range.high, span, 2)}};
  if (chart.kind == ChartKind::kWaterfall || (chart.kind == ChartKind::kBars && !stacked))
    along["scale"]["domainMax"] = beyond(range.high, span, 1);
  return along;
}

Json row_layers(const Chart& chart) {
  const Json along = value_channel(chart);
  Json rows = channel("row", row_axis(chart));
  rows["axis"]["title"] = nullptr;
  Json layers = {
      layer({{"type", "bar"}, {"stroke", "#808080"}, {"strokeWidth", 0.5}}, {{"y", rows},
                                                                             {"x", along},
                                                                             {"x2", {{"field", "to"}}},
                                                                             {"color", colour_channel(chart)},
                                                                             {"opacity", hot_opacity(1.0)},
                                                                             {"tooltip", tooltip()}})};
  const auto at = [&](const char* field) {
    Json place = along;
    place["field"] = field;
    return place;
  };
  if (chart.kind == ChartKind::kBars)
    layers.push_back(layer({{"type", "rule"}}, {{"y", rows}, {"x", at("low")}, {"x2", {{"field", "high"}}}}));
  if (chart.kind == ChartKind::kRanges) {
    layers.push_back(layer({{"type", "tick"}, {"thickness", 2}}, {{"y", rows}, {"x", at("value")}}));
    layers.push_back(layer({{"type", "text"}, {"align", "right"}, {"dx", -5}},
                           {{"y", rows}, {"x", at("from")}, {"text", {{"field", "left_text"}}}}));
    layers.push_back(layer({{"type", "text"}, {"align", "left"}, {"dx", 5}},
                           {{"y", rows}, {"x", at("to")}, {"text", {{"field", "right_text"}}}}));
  }
  if (chart.kind == ChartKind::kBars || chart.kind == ChartKind::kWaterfall) {
    const bool inside = chart.kind == ChartKind::kBars && chart.series.size() > 1;
    Json mark = {{"type", "text"}, {"align", inside ? "right" : "left"}, {"dx", inside ? -4 : 5}};
    Json encoding = {{"y", rows}, {"x", at("to")}, {"text", {{"field", "text"}}}};
    if (inside) encoding["color"] = {{"field", "ink"}, {"type", "nominal"}, {"scale", nullptr}};
    Json texts = layer(std::move(mark), std::move(encoding));
    if (inside) texts["transform"] = {{{"filter", fmt::format("datum.share * width > {}", kWidthOfText)}}};
    layers.push_back(std::move(texts));
  }
  return layers;
}

bool is_series_of_points(const Chart& chart) {
  return chart.kind == ChartKind::kPoints &&
         std::all_of(chart.series.begin(), chart.series.end(), [](const ChartSeries& series) {
           return series.data.size() == 1 && !series.data.front().label.empty();
         });
}

Json plane_layers(const Chart& chart, bool names_beside) {
  const Json x = number_channel("x", chart.x, range_of_x(chart)), y = number_channel("y", chart.y, range_of_y(chart));
  Json colour = colour_channel(chart);
  if (names_beside) colour["legend"] = nullptr;
  Json low = y;
  low["field"] = "low";
  const bool lines = chart.kind == ChartKind::kLines;
  Json layers = Json::array();
  if (lines) {
    layers.push_back(layer({{"type", "area"}, {"opacity", 0.2}},
                           {{"x", x}, {"y", low}, {"y2", {{"field", "high"}}}, {"color", colour}}));
    layers.push_back(layer({{"type", "line"}}, {{"x", x}, {"y", y}, {"color", colour}}));
  } else {
    layers.push_back(layer({{"type", "rule"}}, {{"x", x}, {"y", low}, {"y2", {{"field", "high"}}}}));
  }
  layers.push_back(layer({{"type", "point"}, {"filled", true}},
                         {{"x", x},
                          {"y", y},
                          {"color", colour},
                          {"size", {{"condition", {{"test", "datum.chosen"}, {"value", 190}}}, {"value", 75}}},
                          {"opacity", hot_opacity(1.0)},
                          {"tooltip", tooltip()}}));
  if (!lines) {
    Json names = layer({{"type", "text"}, {"dy", -13}, {"fontWeight", 600}, {"align", {{"expr", "datum.side"}}}},
                       {{"x", x}, {"y", y}, {"text", {{"field", "label"}}}});
    if (!names_beside) names["transform"] = {{{"filter", "datum.chosen"}}};
    layers.push_back(std::move(names));
  }
  return layers;
}

// A line at each rule and its words: `across` is "x" for upright ones, `along` that channel of the data. Words of
// neighbours go to different sides.
void add_rules(Json& layers, const Chart& chart, bool upright, const char* across, const Json& along) {
  const bool is_x = std::string_view(across) == "x";
  int count = 0;
  const std::vector<const ChartRule*> rules = rules_in_order(chart, upright);
  for (const ChartRule* rule : rules) {
    Json place = along;
    place["field"] = "at";
    const Json data = {{"values", {{{"at", rule->at}, {"label", clipped(clean_text(rule->label), 60)}}}}};
    Json line = layer({{"type", "rule"}, {"strokeDash", {5, 3}}}, {{across, place}});
    line["data"] = data;
    const bool before = count % 2 == 0, alone = rules.size() == 1;
    Json words = layer({{"type", "text"},
                        {"fontStyle", "italic"},
                        {"align", !is_x    ? "right"
                                  : alone  ? "center"
                                  : before ? "right"
                                           : "left"},
                        {"baseline", "bottom"},
                        {"dx", !is_x    ? 0
                               : before ? 3
                                        : -3},
                        {"dy", -3 - 14 * (is_x ? count / 2 : 0)}},
                       {{across, place}, {"text", {{"field", "label"}}}});
    words["encoding"][is_x ? "y" : "x"] = {{"value", is_x ? Json(0) : Json("width")}};
    words["data"] = data;
    layers.push_back(std::move(line));
    layers.push_back(std::move(words));
    ++count;
  }
}

// Vega shows text as it is.
void clean_strings(Json& json) {
  if (json.is_string()) json = clean_text(json.get_ref<const std::string&>());
  if (json.is_structured())
    for (Json& part : json) clean_strings(part);
}

}  // namespace

Json chart_vega(const Chart& chart, const VegaOptions& options) {
  const bool rows = has_rows(chart.kind);
  Json layers = rows ? row_layers(chart) : plane_layers(chart, options.names_beside && is_series_of_points(chart));
  if (!rows) {
    add_rules(layers, chart, true, "x", number_channel("x", chart.x, range_of_x(chart)));
    add_rules(layers, chart, false, "y", number_channel("y", chart.y, range_of_y(chart)));
  } else {
    add_rules(layers, chart, &value_axis(chart) == &chart.x, "x", value_channel(chart));
  }
  Json specification = {{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
                        {"width", "container"},
                        {"height", rows ? Json(kRowHeight * row_axis(chart).categories.size()) : Json(options.height)},
                        {"autosize", {{"type", "fit-x"}, {"contains", "padding"}}},
                        {"params", {{{"name", "hot"}, {"value", ""}}}},
                        {"data", {{"values", rows ? row_values(chart) : plane_values(chart)}}},
                        {"layer", std::move(layers)}};
  clean_strings(specification);
  return specification;
}

}  // namespace stallcast
