#include <fmt/format.h>

#include <algorithm>

#include "core/plan/compare/choice.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/figures.h"
#include "core/plan/evaluate/kpi.h"
#include "core/plan/evaluate/scaled_input.h"
#include "core/plan/explain/curve.h"
#include "core/plan/review/review.h"
#include "core/plan/search/size.h"
#include "core/plan/sensitivity/break_even.h"
#include "core/plan/sensitivity/sensitivity.h"
#include "core/report/charts/charts.h"
#include "core/report/document/document.h"
#include "core/report/review/review_parts_document.h"
#include "core/result/run_result.h"
#include "core/result/timeline_result.h"
#include "core/result/trace.h"
#include "core/scenario/fields/field_title.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

std::vector<NamedResult> named(const Review& review) {
  std::vector<NamedResult> out;
  for (const ReviewOption& option : review.options)
    out.push_back(
        {option.label + ": " + option.brief, option.label, &option.evaluation.result, &option.evaluation.cost});
  return out;
}

Section time_part(const Review& review) {
  Section part{"time", "Where the GPU time goes", {}, {}};
  part.blocks.emplace_back(ChartBlock{lost_time_chart(named(review))});
  return part;
}

Section money_part(const Review& review) {
  Section part{"money", "Where the money goes", {}, {}};
  part.blocks.emplace_back(ChartBlock{cost_chart(named(review))});
  return part;
}

Section curves_part(const ReviewPage& page) {
  const Review& review = page.review;
  Section part{"curves", "Effect of each setting", {}, {}};
  if (review.curves.empty()) {
    part.blocks.emplace_back(
        paragraph("No setting was varied: the storage has no size to choose and there are no workers."));
    return part;
  }
  part.blocks.emplace_back(
      Paragraph{{plain("Everything else and the luck are those of option " + review.options.front().label +
                       ", inputs as given. The runs are short: they give GPU utilization to "),
                 number(page.data, "/curves/precision_fraction", Dimension::kFraction),
                 plain(". Figures are scaled so that those at the present value are the option's own. Lines across "
                       "mark the present value and the knee, from which on no other is a point busier.")}});
  for (const Curve& curve : review.curves) {
    part.blocks.emplace_back(ChartBlock{curve_chart(curve, *find_kpi("gpu_utilization")), true});
    if (review.by != nullptr && review.by->name != "gpu_utilization")
      part.blocks.emplace_back(ChartBlock{curve_chart(curve, *review.by), true});
  }
  return part;
}

Section front_part(const ReviewPage& page) {
  const Review& review = page.review;
  Section part{"front", "Trade-offs", {}, {}};
  part.blocks.emplace_back(
      Paragraph{{plain("Configurations that the search simulated and that none of the others betters in cost, "
                       "utilization and time. Its runs give GPU utilization to "),
                 number(page.data, "/sizing/precision_fraction", Dimension::kFraction),
                 plain("; those of the options are as precise as the scenario asks for.")}});
  part.blocks.emplace_back(ChartBlock{pareto_chart(*review.sizing, review.sizing->objective, Figure::kUtilization)});
  return part;
}

Section timeline_part(const Review& review) {
  Section part{"part", "A part of the run, step by step", {}, {}};
  part.blocks.emplace_back(
      paragraph("One rank of option " + review.options.front().label +
                " with its loader workers, as simulated. The complete trace is attached; Perfetto opens it."));
  part.blocks.emplace_back(ChartBlock{timeline_chart(review.part.trace, review.part.from_s, review.part.to_s)});
  return part;
}

Section tornado_part(const ReviewPage& page) {
  const Review& review = page.review;
  Section part{"sensitivity", "What the result depends on", {}, {}};
  Text about = {plain("One input at a time at the ends of its 90 % interval. ")};
  if (!review.assumed_intervals.empty()) {
    about.push_back(plain("Where no source states an interval, the input was turned by "));
    about.push_back(number(page.data, "/sensitivity/assumed_share_fraction", Dimension::kFraction));
    about.push_back(plain(" either way, which is an assumption of this report."));
  }
  part.blocks.emplace_back(Paragraph{std::move(about)});
  for (std::size_t f = 0; f < review.figures.size(); ++f)
    part.blocks.emplace_back(ChartBlock{tornado_chart(review.tornado, f, review.figures)});
  return part;
}

Text side_words(const ReviewPage& page, const std::string& pointer, const BreakEvenRow& row,
                const std::optional<BreakEvenSide>& side) {
  if (!side) return {muted("no change")};
  Words value = number(page.data, pointer + "/value", Dimension::kNone);
  value.text = input_value_text(row.input.pointer, side->value);
  Text text = {value, plain(" (x ")};
  text.push_back(number(page.data, pointer + "/factor", Dimension::kNone));
  text.push_back(plain(")"));
  return text;
}

std::string break_even_caption(const Review& review) {
  const BreakEvenTable& table = review.break_even;
  const std::string reach = fmt::format("between 1/{} and {} times its value", table.furthest, table.furthest);
  if (review.break_even_options.size() > 1)
    return "Where turning one input, " + reach + ", makes another option best by " + figure_noun(*table.by) + ".";
  const std::string label = review.options.front().label;
  if (table.condition) return "Where turning one input, " + reach + ", makes " + label + " miss its target.";
  return "Where turning one input, " + reach + ", costs " + label + " more than a point of GPU utilization.";
}

Section break_even_part(const ReviewPage& page) {
  const BreakEvenTable& found = page.review.break_even;
  DocumentTable table;
  table.id = "break-even-table";
  table.caption = break_even_caption(page.review);
  table.columns = {{"Input", false}, {"As it is", true}, {"Changes below", true}, {"Changes above", true}};
  for (std::size_t r = 0; r < found.rows.size(); ++r) {
    const BreakEvenRow& row = found.rows[r];
    const std::string at = fmt::format("/sensitivity/break_even/inputs/{}", r);
    Words now = number(page.data, at + "/value", Dimension::kNone);
    now.text = input_value_text(row.input.pointer, row.value);
    std::string name = field_title(row.input.pointer);
    if (row.input.owner)
      name += " in option " + page.review.options[page.review.break_even_options[*row.input.owner]].label;
    table.rows.push_back({{plain(name)},
                          {now},
                          side_words(page, at + "/below", row, row.below),
                          side_words(page, at + "/above", row, row.above)});
  }
  Section part{"break-even", "Where the recommendation changes", {}, {}};
  part.blocks.emplace_back(std::move(table));
  return part;
}

Section goodput_part(const ReviewPage& page) {
  const ReviewOption& chosen = page.review.options.front();
  Section part{"goodput-budget", "Goodput budget", {}, {}};
  part.blocks.emplace_back(ChartBlock{goodput_chart(chosen.evaluation.result.timeline)});
  DocumentTable table;
  table.id = "goodput-table";
  table.caption = "Where wall time goes: mean over the simulated runs.";
  table.columns = {{"Option", false},    {"Wall time", true},  {"Goodput", true}, {"Interruptions by failures", true},
                   {"Done again", true}, {"Checkpoints", true}};
  for (std::size_t i = 0; i < page.review.options.size(); ++i) {
    const std::string at = fmt::format("/options/{}/result/run_timeline", i);
    if (page.data.at(nlohmann::ordered_json::json_pointer(at)).is_null()) continue;
    table.rows.push_back({{strong(page.review.options[i].label)},
                          estimate_words(page.data, at + "/wall_s", Dimension::kTime),
                          estimate_words(page.data, at + "/goodput_fraction", Dimension::kFraction),
                          {number(page.data, at + "/interruptions/failure/mean", Dimension::kNone)},
                          {number(page.data, at + "/wall_time/rework/seconds", Dimension::kTime)},
                          {number(page.data, at + "/wall_time/checkpoint/seconds", Dimension::kTime)}});
  }
  part.blocks.emplace_back(std::move(table));
  return part;
}

Section data_loss_part(const ReviewPage& page) {
  DocumentTable table;
  table.id = "data-loss-table";
  table.caption = "What the catalogue says of losing what is stored, and what that is worth within the run.";
  table.columns = {{"Option", false},
                   {"Objects that survive a year", true},
                   {"Mean time to data loss", true},
                   {"Probability within the run", true},
                   {"Expected cost of reloading", true}};
  for (std::size_t i = 0; i < page.review.options.size(); ++i) {
    const std::string at = fmt::format("/options/{}/data_loss/", i);
    const DataLoss& loss = page.review.options[i].loss;
    const auto cell = [&](const char* key, Dimension dimension, bool is_none) -> Text {
      if (is_none) return {muted(loss.is_stated ? "none stated" : "UNKNOWN")};
      return {number(page.data, at + key, dimension)};
    };
    Text durability = cell("durability_fraction", Dimension::kFraction, !loss.durability);
    if (loss.durability) durability.front().text = fmt::format("{:.9f} %", 100.0 * *loss.durability);
    table.rows.push_back({{strong(page.review.options[i].label)},
                          std::move(durability),
                          cell("mean_time_s", Dimension::kTime, loss.mean_time_s <= 0.0),
                          cell("probability_fraction", Dimension::kFraction, !loss.probability),
                          cell("expected_usd", Dimension::kUsd, !loss.usd)});
  }
  Section part{"data-loss", "Exposure to lost data", {}, {}};
  part.blocks.emplace_back(std::move(table));
  return part;
}

}  // namespace

Section evidence_section(const ReviewPage& page) {
  const Review& review = page.review;
  Section section{"evidence", "Evidence", {}, {}};
  section.parts = {time_part(review), money_part(review), curves_part(page)};
  if (review.sizing && review.sizing->front.points.size() > 1) section.parts.push_back(front_part(page));
  if (!review.part.trace.spans.empty()) section.parts.push_back(timeline_part(review));
  if (!review.tornado.tornado.empty()) section.parts.push_back(tornado_part(page));
  if (!review.break_even.rows.empty()) section.parts.push_back(break_even_part(page));
  const auto has_timeline = [](const ReviewOption& o) { return o.evaluation.result.timeline.replications > 0; };
  if (std::any_of(review.options.begin(), review.options.end(), has_timeline))
    section.parts.push_back(goodput_part(page));
  section.parts.push_back(data_loss_part(page));
  return section;
}

}  // namespace stallcast
