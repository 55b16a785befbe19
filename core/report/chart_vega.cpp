#include "core/report/chart_vega.h"

#include <fmt/format.h>

#include <cmath>

#include "core/report/axis_scale.h"
#include "core/report/chart_frame.h"
#include "core/report/chart_words.h"
#include "core/report/row_spans.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kWorthALabel = 0.06;  // of the axis: narrower segments have no room for one

std::string category(const ChartAxis& axis, double index) {
  return axis.categories.at(static_cast<std::size_t>(index));
}

void put(Json& row, const char* name, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) row[name] = *value;
}

std::string span_text(const Chart& chart, const RowSpan& span, double whole) {
  const ChartAxis& axis = value_axis(chart);
  const bool stacked = chart.kind == ChartKind::kBars && chart.series.size() > 1;
  if (stacked) return std::abs(span.to - span.from) < kWorthALabel * whole ? "" : value_text(axis, span.datum->y);
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
                {"text", span_text(chart, span, range.high - range.low)}};
    put(row, "low", span.low);
    put(row, "high", span.high);
    if (chart.kind == ChartKind::kRanges) put(row, "value", span.datum->x);
    values.push_back(std::move(row));
  }
  return values;
}

Json plane_values(const Chart& chart) {
  Json values = Json::array();
  for (const ChartSeries& series : chart.series)
    for (const ChartDatum& datum : series.data) {
      if (!std::isfinite(datum.x) || !std::isfinite(datum.y)) continue;
      Json row = {{"series", series.name},
                  {"key", datum.key},
                  {"about", about_datum(chart, series, datum)},
                  {"y", datum.y},
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
  if (axis.logarithmic) scale = {{"type", "log"}, {"nice", true}};
  return {{"field", field}, {"type", "quantitative"}, {"scale", scale}, {"axis", {{"title", axis_heading(axis)}}}};
}

Json colour_channel(const Chart& chart) {
  Json names = Json::array(), colours = Json::array();
  const auto count = static_cast<int>(chart_colours().size());
  for (const ChartSeries& series : chart.series) {
    names.push_back(series.name);
    colours.push_back(chart_colours()[static_cast<std::size_t>((series.colour % count + count) % count)].light);
  }
  Json legend = chart.series.size() > 1 ? Json{{"title", nullptr}, {"orient", "top"}} : Json(nullptr);
  return {
      {"field", "series"}, {"type", "nominal"}, {"scale", {{"domain", names}, {"range", colours}}}, {"legend", legend}};
}

Json hot_opacity(double usual) {
  return {{"condition", {{"test", "hot === '' || datum.key === hot"}, {"value", usual}}}, {"value", 0.2 * usual}};
}

Json tooltip() { return {{"field", "about"}, {"type", "nominal"}}; }

Json layer(Json mark, Json encoding) { return {{"mark", std::move(mark)}, {"encoding", std::move(encoding)}}; }

Json row_layers(const Chart& chart) {
  Json along = channel("from", value_axis(chart));
  if (chart.kind == ChartKind::kTimeline) along["scale"] = {{"zero", false}, {"nice", false}};
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
  if (chart.kind == ChartKind::kRanges)
    layers.push_back(layer({{"type", "tick"}, {"thickness", 2}}, {{"y", rows}, {"x", at("value")}}));
  if (chart.kind == ChartKind::kBars || chart.kind == ChartKind::kWaterfall) {
    const bool inside = chart.kind == ChartKind::kBars && chart.series.size() > 1;
    Json mark = {{"type", "text"}, {"align", inside ? "right" : "left"}, {"dx", inside ? -4 : 5}};
    Json encoding = {{"y", rows}, {"x", at("to")}, {"text", {{"field", "text"}}}};
    if (inside) {
      // On a fill of any colour: outlined white text.
      mark["fill"] = "#000000";
      mark["fontWeight"] = 600;
    }
    layers.push_back(layer(std::move(mark), std::move(encoding)));
  }
  return layers;
}

Json plane_layers(const Chart& chart) {
  const Json x = channel("x", chart.x), y = channel("y", chart.y), colour = colour_channel(chart);
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
  return layers;
}

// A line at each rule and its words: `across` is "x" for upright ones. The axis keeps the title of the data.
void add_rules(Json& layers, const Chart& chart, bool upright, const char* across) {
  Json values = Json::array();
  for (const ChartRule& rule : chart.rules)
    if (rule.at_x == upright && std::isfinite(rule.at)) values.push_back({{"at", rule.at}, {"label", rule.label}});
  if (values.empty()) return;
  const Json place = {{"field", "at"}, {"type", "quantitative"}, {"title", nullptr}};
  const bool is_x = std::string_view(across) == "x";
  Json line = layer({{"type", "rule"}, {"strokeDash", {5, 3}}}, {{across, place}});
  line["data"] = {{"values", values}};
  layers.push_back(line);
  Json words = layer({{"type", "text"},
                      {"fontStyle", "italic"},
                      {"align", is_x ? "center" : "right"},
                      {"baseline", "bottom"},
                      {"dy", -3}},
                     {{across, place}, {"text", {{"field", "label"}}}});
  words["encoding"][is_x ? "y" : "x"] = {{"value", is_x ? Json(0) : Json("width")}};
  words["data"] = {{"values", values}};
  layers.push_back(words);
}

}  // namespace

Json chart_vega(const Chart& chart) {
  const bool rows = has_rows(chart.kind);
  Json layers = rows ? row_layers(chart) : plane_layers(chart);
  const bool values_along_x = &value_axis(chart) == &chart.x;
  add_rules(layers, chart, true, rows && !values_along_x ? "y" : "x");
  add_rules(layers, chart, false, rows && !values_along_x ? "x" : "y");
  Json specification = {{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
                        {"width", "container"},
                        {"height", rows ? Json{{"step", 30}} : Json(300)},
                        {"params", {{{"name", "hot"}, {"value", ""}}}},
                        {"data", {{"values", rows ? row_values(chart) : plane_values(chart)}}},
                        {"layer", std::move(layers)}};
  return specification;
}

}  // namespace stallcast
