#include "core/report/text/advice_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/words/kpi_text.h"
#include "core/report/words/set_options.h"
#include "core/report/words/text_layout.h"

namespace stallcast {
namespace {

// "more_workers" in words.
std::string spaced_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

// "$1.23" of the run, or of an hour of it; blank without a price.
std::string worth(const Counterfactual& change) {
  if (change.usd) return fmt::format("{:.2f}", *change.usd);
  return change.usd_per_hour ? fmt::format("{:.2f}", *change.usd_per_hour) : "";
}

// What the column of dollars holds.
std::string worth_heading(const Explanation& explanation) {
  for (const Counterfactual& change : explanation.counterfactuals) {
    if (change.usd) return "$ per run";
    if (change.usd_per_hour) return "$ an hour";
  }
  return "";
}

std::string signed_dollars(const std::optional<double>& usd) {
  return usd ? fmt::format("{}${:.2f}", *usd < 0.0 ? "-" : "+", std::abs(*usd)) : "";
}

std::string next_unit_rows(const Advice& advice) {
  const bool sized = std::any_of(advice.next_units.begin(), advice.next_units.end(),
                                 [](const NextUnit& unit) { return unit.total_usd.has_value(); });
  std::string rows;
  for (const NextUnit& unit : advice.next_units) {
    if (!unit.complete) continue;
    rows += fmt::format("  {:+6.1f} points  {:>12}  {}\n", 100.0 * unit.gain,
                        signed_dollars(sized ? unit.total_usd : unit.price_usd), wrapped(unit.phrase, 32, 32));
  }
  if (rows.empty()) return "";
  return fmt::format("\nOne more unit of each setting, and its effect on {}\n",
                     sized ? "the bill" : "the price of a useful GPU-hour") +
         rows;
}

std::string worker_rows(const WorkerCurve& curve, std::int64_t now, const TextStyle& style) {
  if (curve.points.empty()) return "";
  std::string rows = "\nLoader workers per GPU, GPU utilization, memory of batches per node\n";
  for (const WorkerPoint& point : curve.points) {
    rows += fmt::format("  {:>5}  {:>7}  {}  {:>9}{}{}\n", point.num_workers, percent(point.gpu_utilization.mean),
                        render_bar(point.gpu_utilization.mean, kBarColumns, style),
                        short_text(Dimension::kBytes, point.loader_bytes), point.num_workers == now ? "  as set" : "",
                        point.num_workers == curve.knee ? "  enough" : "");
  }
  return rows;
}

std::string setting_text(const Point& set) {
  std::string text;
  for (const std::string& option : set_options(set)) text += " " + option;
  return text;
}

// " (+- 7.1 points: may be nothing)" where a run of a job that is slow to simulate tells too little; else "".
std::string noise_clause(const Counterfactual& change) {
  constexpr double kNoiseToName = 0.02;
  const double half = change.gpu_utilization.half_width();
  if (half < kNoiseToName || half < std::abs(change.gain)) return "";
  return fmt::format(" (+- {:.1f} points: may be nothing)", 100.0 * half);
}

// ", $12.30 less a run"
std::string saving_text(const Recommendation& one) {
  if (!one.saved_usd || std::abs(*one.saved_usd) < 0.005) return "";
  return fmt::format(", {} {} a run", kpi_text(*find_kpi("cost.total_usd"), std::abs(*one.saved_usd)),
                     *one.saved_usd > 0.0 ? "less" : "more");
}

std::string recommendation_rows(const std::vector<Recommendation>& all) {
  std::string said, silenced;
  for (const Recommendation& one : all) {
    if (one.outcome == RuleOutcome::kSilenced) silenced += (silenced.empty() ? "" : ", ") + spaced_words(one.name);
    if (one.outcome != RuleOutcome::kSaid) continue;
    said += "  " + wrapped(one.say + ".", 4, 2) + "\n";
    if (one.kpi != nullptr && one.before && one.after)
      said += "    " +
              wrapped(fmt::format("{}: {} to {}{}, by{}", one.kpi->label, kpi_text(*one.kpi, *one.before),
                                  kpi_text(*one.kpi, *one.after), saving_text(one), setting_text(one.set)),
                      6, 4) +
              "\n";
    said += "    " + wrapped(fmt::format("Source: {}", one.source_title), 6, 4) + "\n";
  }
  if (said.empty() && silenced.empty()) return "";
  std::string out = "\nRecommendations, each confirmed by simulation\n" + (said.empty() ? "  nothing\n" : said);
  if (!silenced.empty()) out += "  " + wrapped("Usually recommended, but of no use here: " + silenced, 4, 2) + "\n";
  return out;
}

std::string slack_line(const StorageSlack& storage) {
  if (!storage.searched) return "";
  if (!storage.factor)
    return "\n" +
           labelled("Storage",
                    fmt::format("not a limit: even {:g} times slower storage would cost less than a percentage point",
                                kFurthestSlack));
  return "\n" + labelled("Storage", fmt::format("not a limit until it is {:.2g} times slower", *storage.factor));
}

std::string loader_lines(const LoaderScript& loader) {
  std::string out = fmt::format("\nThe loader in {}\n", loader.library);
  for (const LoaderCall& call : loader.calls) {
    const std::string head = fmt::format("{} = {}(", call.result, call.function);
    out += "  " + wrapped(fmt::format("{}{})", head, fmt::join(call.arguments, ", ")), 6, 2) + "\n";
  }
  for (const std::string& note : loader.notes) out += "  # " + wrapped(note, 4, 4) + "\n";
  return out;
}

}  // namespace

std::string render_changes(const Explanation& explanation) {
  const Bottleneck& bottleneck = explanation.bottleneck;
  std::string name = spoken_with_name(bottleneck.cause);
  if (!bottleneck.change.empty() && bottleneck.change != bottleneck.cause)
    name += fmt::format(", best relieved by {}", bottleneck.change);
  if (!bottleneck.reason.empty()) name += ": " + bottleneck.reason;
  if (!bottleneck.ties.empty()) name += fmt::format(", about as much as {}", fmt::join(bottleneck.ties, ", "));
  std::string out = labelled("Bottleneck", name) + labelled("Change first", explanation.change_first);
  if (explanation.counterfactuals.empty()) return out;
  const std::string heading = worth_heading(explanation);
  out += fmt::format("\nEffect of each change on its own{}\n", heading.empty() ? "" : ", in points and " + heading);
  std::string without_effect;
  for (const Counterfactual& change : explanation.counterfactuals) {
    if (std::abs(change.gain) < kWorthARow) {
      without_effect += (without_effect.empty() ? "" : ", ") + spaced_words(change.name);
      continue;
    }
    const std::string_view lead = change.kind == ChangeKind::kSetting ? "set " : "if ";
    const std::string row = fmt::format("  {:>7}  {:+6.1f} {:>9}  ", percent(change.gpu_utilization.mean),
                                        100.0 * change.gain, worth(change));
    out += row + wrapped(std::string(lead) + change.phrase + noise_clause(change), row.size(), row.size()) + "\n";
  }
  if (!without_effect.empty()) out += "  " + wrapped("No effect: " + without_effect, 4, 2) + "\n";
  if (!explanation.complete) out += "  (stopped before all changes were tried)\n";
  return out;
}

std::string render_advice(const Advice& advice, const Scenario& scenario, const TextStyle& style) {
  return recommendation_rows(advice.recommendations) + next_unit_rows(advice) +
         worker_rows(advice.workers, scenario.loader.num_workers, style) + slack_line(advice.storage) +
         loader_lines(advice.loader);
}

std::string render_way(const ShortestWay& way) {
  std::string out = fmt::format("The shortest way to a GPU utilization of {}, each change on top of those before\n",
                                percent(way.target));
  for (const Counterfactual& step : way.steps) {
    const std::string_view lead = step.kind == ChangeKind::kSetting ? "set " : "if ";
    out += fmt::format("  {:>7}  {:+6.1f}  {:>8}  {}\n", percent(step.gpu_utilization.mean), 100.0 * step.gain,
                       worth(step), wrapped(fmt::format("{}{}", lead, step.phrase), 29, 29));
  }
  if (!way.complete) return out + "  Stopped before the end.\n";
  if (way.reached) return out + (way.steps.empty() ? "  It is there already.\n" : "");
  return out + "  " +
         wrapped(way.steps.size() < kMostWaySteps ? "It is not reached: no single change more buys anything back."
                                                  : "It is not reached by so many changes.",
                 2, 2) +
         "\n";
}

}  // namespace stallcast
