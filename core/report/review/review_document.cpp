#include "core/report/review/review_document.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "core/plan/compare/choice.h"
#include "core/report/charts/chart_parts.h"
#include "core/report/json/trace_json.h"
#include "core/report/review/review_json.h"
#include "core/report/review/review_parts_document.h"
#include "core/report/words/kpi_text.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {
namespace {

constexpr const char* kJson = "application/json";

std::string media_type(const std::string& name) {
  const std::string suffix = name.substr(name.rfind('.') == std::string::npos ? name.size() : name.rfind('.'));
  if (suffix == ".json") return kJson;
  if (suffix == ".md") return "text/markdown";
  return "text/plain";
}

std::vector<Attachment> attachments(const Review& review) {
  std::vector<Attachment> out;
  const auto text_of = [](const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  };
  out.push_back({"scenario.resolved.json", kJson, text_of(scenario_to_json(review.options.front().resolved.scenario))});
  for (const EmittedFile& file : review.files) out.push_back({file.name, media_type(file.name), file.text});
  if (!review.stretch.trace.spans.empty()) {
    std::ostringstream trace;
    write_trace_json(review.stretch.trace, trace);
    out.push_back({"timeline.perfetto.json", kJson, std::move(trace).str()});
  }
  return out;
}

Text headline(const ReviewPage& page) {
  const auto& data = page.data;
  const ReviewOption& chosen = page.review.options.front();
  Text text = {strong((chosen.missed ? "No option meets the targets. The nearest is " : "Take ") + chosen.label + ": " +
                      chosen.name)};
  text.push_back(
      plain(takes_time_beside_training(chosen.evaluation.result) ? " \u2013 useful GPU time " : " \u2013 GPUs busy "));
  text = text + estimate_words(data, figure_pointer(0, "gpu_utilization"), Dimension::kFraction);
  if (!data["options"][0]["figures"]["cost.total_usd"].is_null()) {
    text.push_back(plain(", "));
    text.push_back(number(data, figure_pointer(0, "cost.total_usd") + "/mean", Dimension::kUsd));
    text.push_back(plain(" in total"));
  }
  if (!data["options"][0]["figures"]["time_to_train_s"].is_null()) {
    text.push_back(plain(" over "));
    text.push_back(number(data, figure_pointer(0, "time_to_train_s") + "/mean", Dimension::kTime));
  }
  if (!data["options"][0]["figures"]["effective_usd_per_useful_gpu_hour"].is_null()) {
    text.push_back(plain(", "));
    text.push_back(number(data, figure_pointer(0, "effective_usd_per_useful_gpu_hour") + "/mean", Dimension::kUsd));
    text.push_back(plain(" per useful GPU-hour"));
  }
  text.push_back(plain(". "));
  return text;
}

// " that keeps GPU utilization at least 90.0 % and total cost at most $5000.00"; "" without such targets.
Text targets_words(const ReviewPage& page) {
  Text text;
  for (std::size_t i = 0; i < page.review.targets.size(); ++i) {
    const Figure figure = page.review.targets[i].figure;
    if (!is_simulated(figure)) continue;
    text.push_back(plain(std::string(text.empty() ? " that keeps " : " and ") + figure_title(figure) +
                         (higher_is_better(figure) ? " at least " : " at most ")));
    text.push_back(number(page.data, fmt::format("/targets/{}/limit", i), figure_dimension(figure)));
  }
  return text;
}

// Why this one, and what may go wrong.
Text reason(const ReviewPage& page) {
  const Review& review = page.review;
  const ReviewOption& chosen = review.options.front();
  Text text;
  if (review.sizing && !review.sizing->best.empty()) {
    text = {plain("Of "), number(page.data, "/sizing/search/points", Dimension::kCount),
            plain(" configurations it has the lowest " + figure_noun(*review.by))};
    text =
        text + targets_words(page) +
        Text{plain(" (to within "), number(page.data, "/sizing/tolerance_fraction", Dimension::kFraction), plain(")")};
  } else if (chosen.missed) {
    text = {plain("It " + chosen.main_risk)};
    return text + Text{plain(".")};
  } else if (review.options.size() > 1) {
    text = {plain(fmt::format("It has the {} {} of the {} options",
                              review.by->better == Better::kHigher ? "highest" : "lowest", figure_noun(*review.by),
                              review.options.size()))};
  } else {
    text = {plain("There is no other option to choose from")};
  }
  text.push_back(plain("; its main risk: " + chosen.main_risk + "."));
  return text;
}

struct Column {
  const char* heading;
  const char* kpi;
  Dimension dimension;
};
constexpr Column kFigureColumns[] = {{"GPU utilization (95 %)", "gpu_utilization", Dimension::kFraction},
                                     {"Time to train", "time_to_train_s", Dimension::kTime},
                                     {"Total", "cost.total_usd", Dimension::kUsd},
                                     {"Per useful GPU-hour", "effective_usd_per_useful_gpu_hour", Dimension::kUsd},
                                     {"Wasted", "cost.wasted_usd", Dimension::kUsd}};

DocumentTable options_table(const ReviewPage& page) {
  DocumentTable table;
  table.id = "options";
  table.caption = "Options, the recommended one first. Wasted: what the GPUs cost while they were idle.";
  table.columns = {{"Option", false}, {"Storage and loader", false}};
  for (const Column& column : kFigureColumns) table.columns.push_back({column.heading, true});
  table.columns.push_back({"Main risk", false});
  for (std::size_t i = 0; i < page.review.options.size(); ++i) {
    const ReviewOption& option = page.review.options[i];
    std::vector<Text> row = {{strong(option.label)}, {plain(option.name), muted(" (" + option.origin + ")")}};
    for (const Column& column : kFigureColumns) {
      Text cell = estimate_words(page.data, figure_pointer(i, column.kpi), column.dimension);
      if (column.dimension != Dimension::kFraction) cell.resize(1);  // the mean says enough here
      row.push_back(std::move(cell));
    }
    row.push_back({plain(option.main_risk)});
    table.rows.push_back(std::move(row));
  }
  table.chosen = 0;
  return table;
}

}  // namespace

Words plain(std::string text) { return {std::move(text), Words::Style::kPlain, std::nullopt, "", ""}; }
Words strong(std::string text) { return {std::move(text), Words::Style::kStrong, std::nullopt, "", ""}; }
Words code(std::string text) { return {std::move(text), Words::Style::kCode, std::nullopt, "", ""}; }
Words muted(std::string text) { return {std::move(text), Words::Style::kMuted, std::nullopt, "", ""}; }

Paragraph paragraph(std::string text) { return {{plain(std::move(text))}}; }

Text operator+(Text a, const Text& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string figure_pointer(std::size_t option, const std::string& kpi) {
  return fmt::format("/options/{}/figures/{}", option, kpi);
}

Text estimate_words(const nlohmann::ordered_json& data, const std::string& pointer, Dimension dimension) {
  const auto& value = data.at(nlohmann::ordered_json::json_pointer(pointer));
  if (value.is_null()) return {number(data, pointer, dimension)};
  Text text = {number(data, pointer + "/mean", dimension)};
  if (value.at("ci95_low") == value.at("ci95_high")) return text;
  text.push_back(plain(" ("));
  text.push_back(number(data, pointer + "/ci95_low", dimension));
  text.push_back(plain(" to "));
  text.push_back(number(data, pointer + "/ci95_high", dimension));
  text.push_back(plain(")"));
  return text;
}

std::string source_id(const std::string& record) { return "source-" + id_text(record); }

Text recommendation_text(const ReviewPage& page) { return headline(page) + reason(page); }

Chart options_chart(const Review& review) {
  const Kpi& utilization = *find_kpi("gpu_utilization");
  const Kpi* money = nullptr;
  for (const char* const name : {"cost.total_usd", "effective_usd_per_useful_gpu_hour", "time_to_train_s"})
    if (money == nullptr && find_kpi(name)->of(review.options.front().evaluation)) money = find_kpi(name);
  Chart chart;
  chart.id = "options-chart";
  chart.kind = ChartKind::kPoints;
  const ReviewOption& chosen = review.options.front();
  chart.title = chosen.missed ? "No option meets the targets"
                              : "Options above the line meet the target. Recommended: " + chosen.label;
  chart.y = number_axis(utilization.label, chart_scale(Dimension::kFraction, 1.0));
  double largest = 0.0;
  for (const ReviewOption& option : review.options)
    if (money != nullptr && money->of(option.evaluation))
      largest = std::max(largest, money->of(option.evaluation)->mean);
  const ChartScale scale = money != nullptr ? chart_scale(money->dimension, largest) : ChartScale{"", 1.0};
  chart.x = money != nullptr ? number_axis(money->label, scale) : category_axis("");
  chart.x.from_zero = chart.y.from_zero = false;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < review.options.size(); ++i) {
    const ReviewOption& option = review.options[i];
    const std::optional<Estimate> known = money != nullptr ? money->of(option.evaluation) : std::nullopt;
    if (money != nullptr && !known) continue;
    const double x = known.value_or(exact_estimate(static_cast<double>(i))).mean;
    const Estimate u = *utilization.of(option.evaluation);
    ChartDatum datum;
    datum.x = scale.factor * x;
    if (money == nullptr) chart.x.categories.push_back(option.label);
    datum.y = 100.0 * u.mean;
    if (u.half_width() > 0.0) {
      datum.low = 100.0 * u.ci95_low;
      datum.high = 100.0 * u.ci95_high;
    }
    datum.label = option.label;
    datum.key = option.label;
    datum.chosen = i == 0;
    parts.push_back(fmt::format("{} {}{}", option.label, kpi_text(utilization, u.mean),
                                money != nullptr ? " at " + kpi_text(*money, x) : ""));
    chart.series.push_back(
        {option.label + ": " + short_name(option.name, 20), option.label, static_cast<int>(1 + i), {datum}});
  }
  bool has_target = false;
  for (const Target& target : review.targets) {
    if (target.figure != Figure::kUtilization) continue;
    has_target = true;
    chart.rules.push_back({false, 100.0 * target.limit, "target " + kpi_text(utilization, target.limit)});
  }
  if (!has_target) chart.title = chosen.label + " is recommended of " + std::to_string(review.options.size());
  chart.alt = "GPU utilization of the options: " + joined(parts) + ".";
  return chart;
}

Section summary_section(const ReviewPage& page) {
  Section section{"summary", "Recommendation", {}, {}};
  section.blocks.emplace_back(Paragraph{recommendation_text(page)});
  section.blocks.emplace_back(options_table(page));
  if (page.review.options.size() > 1) section.blocks.emplace_back(ChartBlock{options_chart(page.review)});
  if (!page.review.complete)
    section.blocks.emplace_back(
        Paragraph{{strong("This report was stopped before it was complete: parts are missing.")}});
  return section;
}

Document review_document(const Review& review) {
  Document document;
  document.title = review.title;
  document.subtitle = review.question;
  document.data = review_to_json(review);
  const ReviewPage page{review, document.data};
  std::string text;
  for (const Words& words : recommendation_text(page)) text += words.text;
  document.data["recommendation"] = text;
  document.sections = {summary_section(page), evidence_section(page), argument_section(page), action_section(page),
                       reproduction_section(page)};
  document.attachments = attachments(review);
  return document;
}

}  // namespace stallcast
