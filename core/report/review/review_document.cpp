#include "core/report/review/review_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/plan/compare/choice.h"
#include "core/plan/evaluate/scaled_input.h"
#include "core/report/charts/chart_parts.h"
#include "core/report/json/trace_json.h"
#include "core/report/review/review_json.h"
#include "core/report/review/review_parts_document.h"
#include "core/report/words/kpi_text.h"
#include "core/scenario/fields/field_title.h"
#include "core/scenario/fields/uncertain_input.h"
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
  if (!review.part.trace.spans.empty()) {
    std::ostringstream trace;
    write_trace_json(review.part.trace, trace);
    out.push_back({"timeline.perfetto.json", kJson, std::move(trace).str()});
  }
  return out;
}

// "54.2 % to 91.3 %", of {"low", "high"} at `pointer`; a dash where it is null.
Text range_words(const nlohmann::ordered_json& data, const std::string& pointer, Dimension dimension) {
  const auto& range = data.at(nlohmann::ordered_json::json_pointer(pointer));
  if (range.is_null()) return {muted("\u2013")};
  const auto end = [&](const char* key) {
    Words words = number(data, pointer + key, dimension);
    // Nobody knows the ends of a range to a cent.
    constexpr double kNoCents = 100.0;
    const double value = data.at(nlohmann::ordered_json::json_pointer(pointer + key));
    if (dimension == Dimension::kUsd && value >= kNoCents) words.text = words.text.substr(0, words.text.rfind('.'));
    return words;
  };
  return {end("/low"), plain(" to "), end("/high")};
}

// A figure of each option. **Definitions** `drawn` is its name among the ranges, nullptr where those do not know it
struct Column {
  const char* heading;
  const char* kpi;
  Dimension dimension;
  const char* drawn;
};
constexpr Column kFigureColumns[] = {
    {"GPU utilization", "gpu_utilization", Dimension::kFraction, "gpu_utilization"},
    {"Time to train", "time_to_train_s", Dimension::kTime, nullptr},
    {"Total", "cost.total_usd", Dimension::kUsd, "total_usd"},
    {"Per useful GPU-hour", "effective_usd_per_useful_gpu_hour", Dimension::kUsd, nullptr}};

bool has_draws(const ReviewPage& page) { return page.review.draws.draws() > 0; }

// "87.4 % (46.9 % to 100.0 %)": the mean, and what inputs that nobody gave leave it; where all was given, of a fraction
// what luck does.
Text figure_words(const ReviewPage& page, std::size_t option, const Column& column) {
  Text text = estimate_words(page.data, figure_pointer(option, column.kpi), column.dimension);
  const bool drawn = has_draws(page);
  if (drawn || column.dimension != Dimension::kFraction) text.resize(1);
  if (!drawn || column.drawn == nullptr) return text;
  const std::string at = fmt::format("/ranges/options/{}/ranges/{}", option, column.drawn);
  if (page.data.at(nlohmann::ordered_json::json_pointer(at)).is_null()) return text;
  text.push_back(plain(" ("));
  text = text + range_words(page.data, at, column.dimension);
  text.push_back(plain(")"));
  return text;
}

// What to take, then what it costs, takes and brings.
Text headline(const ReviewPage& page) {
  const auto& figures = page.data["options"][0]["figures"];
  const ReviewOption& chosen = page.review.options.front();
  const auto known = [&](const char* kpi) { return !figures[kpi].is_null(); };
  Text text = {strong((chosen.missed ? "No option meets the targets. The nearest is " : "Take ") + chosen.label + ": " +
                      chosen.name + ".")};
  const bool costs = known("cost.total_usd"), ends = known("time_to_train_s");
  if (costs) text = text + Text{plain(" The run costs ")} + figure_words(page, 0, kFigureColumns[2]);
  if (ends) {
    text.push_back(plain(costs ? " and takes " : " The run takes "));
    text.push_back(number(page.data, figure_pointer(0, "time_to_train_s") + "/mean", Dimension::kTime));
  }
  if (costs || ends) text.push_back(plain("."));
  const bool beside = takes_time_beside_training(chosen.evaluation.result);
  text.push_back(plain(beside ? " GPUs do useful work " : " GPUs are busy "));
  text = text + figure_words(page, 0, kFigureColumns[0]);
  text.push_back(plain(" of the time"));
  if (known("effective_usd_per_useful_gpu_hour")) {
    text.push_back(plain("; a useful GPU-hour costs "));
    text.push_back(
        number(page.data, figure_pointer(0, "effective_usd_per_useful_gpu_hour") + "/mean", Dimension::kUsd));
  }
  text.push_back(plain(has_draws(page) ? ". The ranges in brackets are what the assumed inputs leave open. " : ". "));
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
            plain(" configurations, this one has the lowest " + figure_noun(*review.by))};
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
  text.push_back(plain(". The main risk: " + chosen.main_risk + "."));
  return text;
}

DocumentTable options_table(const ReviewPage& page) {
  DocumentTable table;
  table.id = "options";
  table.caption = "Options, the recommended one first.";
  const bool drawn = has_draws(page);
  table.caption += drawn ? " In brackets: the range that assumed inputs leave, in 9 of 10 cases. Best: in how many "
                           "samples of these inputs the option is the best of those that meet the targets."
                         : " In brackets: the 95 % interval.";
  table.columns = {{"Option", false}, {"Storage and loader", false}};
  std::vector<Column> columns;
  for (const Column& column : kFigureColumns) {
    const auto& options = page.data["options"];
    const bool known = std::any_of(options.begin(), options.end(),
                                   [&](const auto& option) { return !option["figures"][column.kpi].is_null(); });
    if (!known) continue;
    columns.push_back(column);
    table.columns.push_back({column.heading, true});
  }
  if (drawn) table.columns.push_back({"Best", true});
  for (std::size_t i = 0; i < page.review.options.size(); ++i) {
    const ReviewOption& option = page.review.options[i];
    const std::string origin = option.origin + (option.missed ? "; misses a target" : "");
    std::vector<Text> row = {{strong(option.label)}, {plain(option.name), muted(" (" + origin + ")")}};
    for (const Column& column : columns) row.push_back(figure_words(page, i, column));
    if (drawn)
      row.push_back({number(page.data, fmt::format("/ranges/options/{}/best_draws", i), Dimension::kCount),
                     plain(" of "), number(page.data, "/ranges/draws", Dimension::kCount)});
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
    // How far it may be off: what nobody gave, else what luck is worth.
    const bool drawn = review.draws.draws() > 0;
    const Estimate range = drawn ? review.draws.range(i, Figure::kUtilization).value_or(u) : u;
    if (range.half_width() > 0.0) {
      datum.low = 100.0 * range.ci95_low;
      datum.high = 100.0 * range.ci95_high;
    }
    datum.label = option.label;
    datum.key = option.label;
    datum.chosen = i == 0;
    parts.push_back(fmt::format("{} {}{}", option.label, kpi_text(utilization, u.mean),
                                money != nullptr ? " at " + kpi_text(*money, x) : ""));
    chart.series.push_back({option.label + ": " + option.brief, option.label, static_cast<int>(1 + i), {datum}});
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

namespace {

constexpr std::size_t kDeciding = 3;

// How sure the choice is, with what nobody gave drawn from its ranges.
Paragraph certainty(const ReviewPage& page) {
  const std::string first = page.review.options.front().label;
  Text text = {plain("How sure is this? The assumed inputs were sampled "),
               number(page.data, "/ranges/draws", Dimension::kCount), plain(" times from their ranges: ")};
  if (!page.review.targets.empty()) {
    text.push_back(plain(first + " meets the targets in "));
    text.push_back(number(page.data, "/ranges/options/0/meets_targets_draws", Dimension::kCount));
    text.push_back(plain(" of them"));
  }
  if (page.review.options.size() > 1) {
    text.push_back(plain(page.review.targets.empty() ? first + " is the best of these options in "
                                                     : " and is the best of these options in "));
    text.push_back(number(page.data, "/ranges/options/0/best_draws", Dimension::kCount));
  } else if (page.review.targets.empty()) {
    text.push_back(plain("the range above is what came out"));
  }
  text.push_back(plain("."));
  return {std::move(text)};
}

// The inputs that nobody gave and that decide, with how to know them better.
DocumentTable deciding_table(const ReviewPage& page) {
  DocumentTable table;
  table.id = "rests-on";
  table.caption =
      "Assumed inputs that the recommendation rests on, first those that change GPU utilization or throughput most.";
  table.columns = {{"Input", false},
                   {"Taken as", true},
                   {"May be", true},
                   {"GPU utilization, points", true},
                   {"To know it better", false}};
  const auto& inputs = page.data["recommended_inputs"]["assumptions"];
  for (std::size_t i = 0; i < std::min(kDeciding, inputs.size()); ++i) {
    const std::string at = fmt::format("/recommended_inputs/assumptions/{}/", i);
    const AssumedInput& input = page.review.ranges.inputs[i];
    if (!input.ends) break;
    const std::string& pointer = input.assumed.range.pointer;
    const auto cell = [&](const char* key) -> Words {
      if (inputs[i][key].is_null()) return muted("\u2013");
      Words words = number(page.data, at + key, Dimension::kNone);
      words.text = input_value_text(pointer, inputs[i][key].get<double>());
      return words;
    };
    const bool has_range = !inputs[i]["low"].is_null() && !inputs[i]["high"].is_null();
    table.rows.push_back({{plain(field_title(pointer) + " "), code(dotted_name(pointer))},
                          {cell("value")},
                          has_range ? Text{cell("low"), plain(" to "), cell("high")} : Text{muted("\u2013")},
                          {number(page.data, at + "effect_points", Dimension::kNone)},
                          {plain(input.assumed.narrow_by)}});
  }
  return table;
}

// "What would change it: A no longer meets the target once ..., once ..., once ...": what happens is said once.
Paragraph doubts(const Review& review) {
  constexpr std::size_t kMost = 3;
  constexpr std::string_view kOnce = " once ";
  std::string text, said;
  for (std::size_t i = 0; i < std::min(kMost, review.would_change.size()); ++i) {
    const std::string& one = review.would_change[i];
    const std::size_t at = std::min(one.find(kOnce), one.size());
    const std::string what = one.substr(0, at);
    text += i == 0 ? one : what == said && at < one.size() ? "," + one.substr(at) : "; " + one;
    said = what;
  }
  if (text.empty()) text = "none of the inputs that were turned, as far as they were turned";
  const bool is_choice = review.break_even_options.size() > 1 || review.break_even.condition.has_value();
  return {{strong(is_choice ? "What would change it: " : "What would make it worse: "), plain(text + ".")}};
}

// What to do now: set what was chosen, and measure what it rests on most.
Paragraph first_steps(const Review& review) {
  Words action = plain("set what the report lists under \"Action\"");
  action.link = "#action";
  Text text = {strong("What to do now: "), std::move(action)};
  if (review.next_measurement)
    text.push_back(plain(", and before you buy, measure " + field_noun(review.next_measurement->pointer) + ". " +
                         review.next_measurement->how));
  else
    text.push_back(plain("."));
  return {std::move(text)};
}

}  // namespace

Section summary_section(const ReviewPage& page) {
  Section section{"summary", "Recommendation", {}, {}};
  section.blocks.emplace_back(Paragraph{recommendation_text(page)});
  section.blocks.emplace_back(options_table(page));
  if (page.review.draws.draws() > 0) section.blocks.emplace_back(certainty(page));
  section.blocks.emplace_back(doubts(page.review));
  section.blocks.emplace_back(first_steps(page.review));
  if (page.review.options.size() > 1) section.blocks.emplace_back(ChartBlock{options_chart(page.review)});
  if (DocumentTable deciding = deciding_table(page); !deciding.rows.empty())
    section.blocks.emplace_back(std::move(deciding));
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
  document.sections = {summary_section(page), evidence_section(page),     argument_section(page),
                       action_section(page),  reproduction_section(page), appendix_section(page)};
  document.attachments = attachments(review);
  return document;
}

}  // namespace stallcast
