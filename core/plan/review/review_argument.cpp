// What speaks for the option recommended and against it, derived from what was computed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/plan/compare/choice.h"
#include "core/plan/emit/emit.h"
#include "core/plan/evaluate/assertion.h"
#include "core/plan/evaluate/scaled_input.h"
#include "core/plan/explain/curve_values.h"
#include "core/plan/review/review_parts.h"
#include "core/run/uncertainty.h"
#include "core/scenario/fields/field_title.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

constexpr double kLikelyLoss = 0.01;  // probability of losing data that is a risk to name
constexpr double kNearTarget = 0.02;  // of utilization, from its lower end to the target
constexpr double kNearFlip = 1.25;    // factor of an input
constexpr double kBusyCores = 0.8;
constexpr double kWorthNaming = 0.001;  // swing of utilization

std::string value_text(const Kpi& kpi, double value) { return value_of_path_text(kpi.name, value); }

std::optional<Estimate> figure_of(const ReviewOption& option, Figure figure) {
  Figures figures = simulated_figures(option.evaluation);
  set_known_figures(figures, option.resolved.scenario);
  return figures.of(figure);
}

std::string missed_text(const ReviewOption& option) {
  const Target& target = *option.missed;
  const std::optional<Estimate> value = figure_of(option, target.figure);
  std::string noun(figure_name(target.figure));
  std::replace(noun.begin(), noun.end(), '_', ' ');
  if (target.figure == Figure::kUtilization) noun = "GPU utilization";
  if (target.figure == Figure::kTime) noun = "time to train";
  if (target.figure == Figure::kTotal) noun = "total cost";
  return fmt::format("misses the target of {} {}: {}", figure_value_text(target.figure, target.limit), noun,
                     value ? figure_value_text(target.figure, value->mean) : "not known");
}

// --- risks and verdicts of options ---

std::string loss_text(const DataLoss& loss) {
  return fmt::format("loses what it holds with a probability of {} within the run",
                     value_of_path_text("probability_fraction", *loss.probability));
}

// How far above its target utilization is, at the lower end of its interval; nothing without a target.
std::optional<double> room_above_target(const Review& review, const ReviewOption& option) {
  for (const Target& target : review.targets)
    if (target.figure == Figure::kUtilization) return option.evaluation.result.gpu_utilization.ci95_low - target.limit;
  return std::nullopt;
}

// "once the latency of the storage is above 12 ms (here 9.5 ms)"
std::string side_text(const Review& review, const BreakEvenRow& row, const BreakEvenSide& side) {
  const std::string pointer = row.input.pointer;
  std::string name = field_noun(pointer);
  if (row.input.owner) name += " in option " + review.options[review.break_even_options[*row.input.owner]].label;
  return fmt::format("once {} is {} {} (here {})", name, side.factor > 1.0 ? "above" : "below",
                     input_value_text(pointer, side.value), input_value_text(pointer, row.value));
}

// What the advice then is.
std::string flipped_text(const Review& review, const BreakEvenSide& side) {
  if (review.break_even_options.size() > 1) {
    return side.advice < 0 ? "nothing can be said of any"
                           : review.options[review.break_even_options[static_cast<std::size_t>(side.advice)]].label +
                                 " becomes best";
  }
  const std::string label = review.options.front().label;
  if (side.advice < 0) return label + " is no possible job any more";
  return review.break_even.condition
             ? label + (side.advice == 1 ? " no longer meets the target" : " meets the target")
             : label + (side.advice == 1 ? " loses more than a point of utilization" : " loses nothing");
}

// "the compute time of a step was not given, and within its range (226 ms to 452 ms) GPU utilization is 54.8 % to 99.0
// %"; nothing where no assumed input matters.
std::optional<std::string> assumption_text(const Review& review) {
  if (review.ranges.inputs.empty() || !review.ranges.inputs.front().ends) return std::nullopt;
  const AssumedInput& input = review.ranges.inputs.front();
  if (input.utilization_effect < kWorthNaming) return std::nullopt;
  const ReviewOption& chosen = review.options.front();
  const double mean = chosen.evaluation.result.gpu_utilization.mean;
  const auto at = [&](const DrawnRun& run) {
    return std::min(1.0, drawn_fraction(run.gpu_utilization, input.ends->as_given.gpu_utilization, mean));
  };
  const auto [low, high] = std::minmax({at(input.ends->low), at(input.ends->high), mean});
  const UncertainInput& range = input.assumed.range;
  const std::optional<double> value = input_value(chosen.resolved, range.pointer);
  const std::string values =
      value ? fmt::format(" ({} to {})", input_value_text(range.pointer, *value * range.low_factor),
                          input_value_text(range.pointer, *value * range.high_factor))
            : "";
  return fmt::format("{} was not given, and within its range{} GPU utilization is {} to {}", field_noun(range.pointer),
                     values, figure_value_text(Figure::kUtilization, low),
                     figure_value_text(Figure::kUtilization, high));
}

std::string main_risk(const Review& review, const ReviewOption& option, bool is_chosen) {
  if (option.missed) return missed_text(option);
  if (!option.evaluation.cost.unknown.empty())
    return "a price is not known: " + option.evaluation.cost.unknown.front().what;
  if (option.loss.probability && *option.loss.probability >= kLikelyLoss) return loss_text(option.loss);
  const std::optional<double> room = room_above_target(review, option);
  if (room && *room < kNearTarget)
    return fmt::format("only {:.1f} points above the target", 100.0 * std::max(0.0, *room));
  if (is_chosen) {
    for (const BreakEvenRow& row : review.break_even.rows) {
      if (nearness(row) > kNearFlip) continue;
      const BreakEvenSide& side = row.above && row.above->factor == nearness(row) ? *row.above : *row.below;
      return flipped_text(review, side) + " " + side_text(review, row, side);
    }
    if (const std::optional<std::string> assumption = assumption_text(review)) return *assumption;
  }
  const std::string held = std::string(bottleneck_name(option.evaluation.result));
  if (held == "gpu") return "none found: the GPUs themselves are the limit";
  for (std::size_t c = 0; c < static_cast<std::size_t>(LostTime::kCount); ++c)
    if (lost_time_name(static_cast<LostTime>(c)) == held)
      return "largest loss: " + std::string(lost_time_phrase(static_cast<LostTime>(c)));
  return "largest loss: " + spoken_name(held);
}

std::string verdict(const Review& review, const ReviewOption& option) {
  if (option.missed) return missed_text(option);
  const Kpi& kpi = *review.by;
  const auto best = kpi.of(review.options.front().evaluation), mine = kpi.of(option.evaluation);
  if (!best || !mine) return "its " + figure_noun(kpi) + " is not known";
  const double more = mine->mean - best->mean;
  const bool worse = kpi.better == Better::kHigher ? more < 0.0 : more > 0.0;
  const double share = best->mean != 0.0 ? std::abs(more / best->mean) : 0.0;
  if (!worse) {
    return fmt::format("{} {} is no better by more than the search's tolerance, and it loads with more",
                       figure_noun(kpi), value_text(kpi, mine->mean));
  }
  return fmt::format("{} of {} is {} ({:.1f} %) worse", figure_noun(kpi), value_text(kpi, mine->mean),
                     value_text(kpi, std::abs(more)), 100.0 * share);
}

// --- assumptions ---

int rank_of(const Provenance& from) {
  if (from.origin == Origin::kCatalogue) return from.kind == "assumed" ? 0 : from.kind == "vendor" ? 1 : 2;
  return from.origin == Origin::kDefault ? 4 : 3;
}

bool is_said(const std::string& pointer) {
  return pointer != "/name" && pointer != "/description" && pointer != "/format_version" &&
         !pointer.starts_with("/plan/");
}

void list_assumptions(Review& review) {
  const ResolvedScenario& chosen = review.options.front().resolved;
  for (const auto& [pointer, from] : chosen.provenance) {
    if (!is_said(pointer)) continue;
    Assumption one{pointer, text_of_field(chosen.scenario, pointer), from, std::nullopt};
    const auto& bars = review.tornado.tornado;
    const auto bar =
        std::find_if(bars.begin(), bars.end(), [&one](const TornadoBar& b) { return b.input.pointer == one.pointer; });
    if (bar != bars.end()) one.bar = static_cast<std::size_t>(bar - bars.begin());
    review.assumptions.push_back(std::move(one));
    if (from.origin != Origin::kCatalogue) continue;
    ++(from.kind == "measured" ? review.measured_inputs
       : from.kind == "vendor" ? review.vendor_inputs
                               : review.assumed_inputs);
  }
  std::stable_sort(review.assumptions.begin(), review.assumptions.end(), [&](const Assumption& a, const Assumption& b) {
    const auto weight = [&](const Assumption& one) {
      return one.bar ? known_swing(review.tornado.tornado[*one.bar]) : -1.0;
    };
    return std::tuple(-weight(a), rank_of(a.from)) < std::tuple(-weight(b), rank_of(b.from));
  });
}

void list_unknowns(const Catalogue& catalogue, Review& review) {
  for (const ReviewOption& option : review.options) {
    for (const UnknownCost& unknown : option.evaluation.cost.unknown)
      review.unknowns.push_back(option.label + ": " + unknown_text(unknown));
    const CostBreakdown& cost = option.evaluation.cost;
    if (!cost.run_is_sized)
      review.unknowns.push_back(option.label + (cost.run_ends
                                                    ? ": the length of the run is not given, so neither is its total"
                                                    : ": interruptions undo what the run does"));
    if (!option.evaluation.result.converged)
      review.unknowns.push_back(option.label + ": its simulation did not reach the precision asked for");
    if (!option.loss.is_stated && !option.resolved.scenario.storage.tier.empty())
      review.unknowns.push_back(option.label + ": the catalogue says nothing of how " + storage_title(option.resolved) +
                                " may lose data");
  }
  for (const std::string& tier : review.tiers_without) {
    const auto record = catalogue.tiers.find(tier);
    const bool has_title = record != catalogue.tiers.end() && !record->second.title.empty();
    review.unknowns.push_back("no configuration of " + (has_title ? record->second.title : tier) +
                              " is a possible job");
  }
  if (!review.assumed_intervals.empty()) {
    std::string names;
    for (const std::string& pointer : review.assumed_intervals)
      names += (names.empty() ? "" : ", ") + field_noun(pointer);
    review.unknowns.push_back("nobody states how far these may be off: " + names);
  }
}

void list_changes(Review& review) {
  for (const BreakEvenRow& row : review.break_even.rows) {
    for (const auto& side : {row.below, row.above})
      if (side) review.would_change.push_back(flipped_text(review, *side) + " " + side_text(review, row, *side));
  }
}

// --- what to do ---

std::string how_to_measure(const std::string& pointer) {
  if (pointer.starts_with("/storage/") || pointer.starts_with("/origin/"))
    return "Run \"stallcast probe\" on a mount of it from a machine of the job, then \"stallcast calibrate --probe\".";
  if (pointer.starts_with("/workload/") || pointer.starts_with("/dataset/decode") || pointer.starts_with("/loader/"))
    return "Record some hundred steps of the training script, then \"stallcast calibrate --profile\".";
  if (pointer.starts_with("/dataset/")) return "List the files of the dataset with their sizes.";
  if (pointer.starts_with("/failures/")) return "Take it from the incident log of the cluster.";
  return "Measure it on a machine of the job.";
}

void find_next_measurement(Review& review) {
  const auto& bars = review.tornado.tornado;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const std::string& pointer = bars[i].input.pointer;
    const auto from = review.options.front().resolved.provenance.find(pointer);
    const bool is_measured =
        from != review.options.front().resolved.provenance.end() && from->second.kind == "measured";
    if (pointer.starts_with("/cost/") || pointer == kStoragePrices || is_measured ||
        known_swing(bars[i]) < kWorthNaming)
      continue;
    review.next_measurement = NextMeasurement{pointer, i, how_to_measure(pointer)};
    return;
  }
}

void list_risks(Review& review) {
  const ReviewOption& chosen = review.options.front();
  const Scenario& s = chosen.resolved.scenario;
  std::vector<std::string>& risks = review.risks;
  if (!s.cluster.instance.empty())
    risks.push_back(fmt::format("Quota and capacity for {} x {} are confirmed for the dates of the job",
                                s.cluster.nodes, s.cluster.instance));
  if (!s.storage.tier.empty())
    risks.push_back("Quota for " + storage_text(chosen.resolved) + " is confirmed in the machines' zone");
  risks.emplace_back("Prices are quoted: those here are list prices of the catalogue");
  for (const UnknownCost& unknown : chosen.evaluation.cost.unknown)
    risks.push_back("The price is found out: " + unknown.what);
  if (chosen.loss.probability && *chosen.loss.probability > 0.0)
    risks.push_back("Dataset and checkpoints are on durable storage too: this one " + loss_text(chosen.loss));
  if (const auto room = room_above_target(review, chosen); room && *room < kNearTarget)
    risks.emplace_back("There is a plan for missing the utilization target, which is near");
  for (const BreakEvenRow& row : review.break_even.rows) {
    if (nearness(row) <= 2.0)
      risks.push_back("Checked on the real system: " + field_noun(row.input.pointer) + " is " +
                      input_value_text(row.input.pointer, row.value));
  }
  if (review.assumed_inputs > 0)
    risks.push_back(fmt::format("The {} assumed values of the catalogue that this rests on were looked through",
                                review.assumed_inputs));
  if (chosen.evaluation.result.cpu_busy_fraction > kBusyCores)
    risks.push_back(fmt::format("Nothing else runs on the nodes: loaders keep {:.0f} % of the cores busy",
                                100.0 * chosen.evaluation.result.cpu_busy_fraction));
  if (chosen.evaluation.result.timeline.replications == 0)
    risks.emplace_back("Failures and maintenance were considered: the scenario has none");
  risks.emplace_back("The benchmark plan was run on the real storage before the job is booked");
}

void write_files(Review& review) {
  const ReviewOption& chosen = review.options.front();
  const std::string path = chosen.file.file.empty() ? "scenario.json" : chosen.file.file;
  Loaded<std::vector<EmittedFile>> files = emit_files(chosen.resolved, &chosen.evaluation.result, "all", path);
  if (files.value) review.files = std::move(*files.value);
  review.claims = claims(chosen.resolved, chosen.evaluation.result);
}

}  // namespace

DataLoss data_loss_of(const ReviewOption& option) {
  DataLoss loss;
  const Scenario& s = option.resolved.scenario;
  const RunResult& result = option.evaluation.result;
  const auto& record = option.resolved.records.storage;
  if (record && record->durability) loss.durability = record->durability->value;
  loss.mean_time_s = s.storage.mean_time_to_data_loss.base();
  loss.is_stated = loss.durability || loss.mean_time_s > 0.0;
  if (loss.mean_time_s <= 0.0 || result.time_to_train_s <= 0.0) return loss;
  loss.probability = -std::expm1(-result.time_to_train_s / loss.mean_time_s);
  const std::optional<Money> hourly = option.evaluation.cost.per_hour.total();
  const double reload_s = result.timeline.mean.time_s[static_cast<std::size_t>(WallTime::kRehydration)];
  if (hourly && result.timeline.replications > 0) loss.usd = reload_s / 3600.0 * hourly->to_double();
  return loss;
}

void make_argument(const ReviewWork& work, Review& review) {
  if (work.stopped()) return;
  for (ReviewOption& option : review.options) option.loss = data_loss_of(option);
  for (std::size_t i = 0; i < review.options.size(); ++i) {
    ReviewOption& option = review.options[i];
    option.main_risk = main_risk(review, option, i == 0);
    if (i > 0) option.verdict = verdict(review, option);
  }
  list_assumptions(review);
  list_unknowns(work.catalogue, review);
  list_changes(review);
  find_next_measurement(review);
  write_files(review);
  list_risks(review);
}

}  // namespace stallcast
