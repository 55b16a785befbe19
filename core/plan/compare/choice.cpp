#include "core/plan/compare/choice.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "core/diagnostics/invariant.h"
#include "core/plan/evaluate/assertion.h"

namespace stallcast {
namespace {

// A longer run is worth a word from this share on.
constexpr double kNoticeable = 0.01;

double mean_of_kpi(const Kpi& kpi, const Evaluation& evaluation) {
  const std::optional<Estimate> value = kpi.of(evaluation);
  return value ? value->mean : std::nan("");
}

std::string text(const Kpi& kpi, double value) { return value_of_path_text(kpi.name, value); }

// "$12.30 to $14.50", smaller end first.
std::string interval_text(const Kpi& kpi, const Estimate& ahead) {
  const double low = std::min(std::abs(ahead.ci95_low), std::abs(ahead.ci95_high));
  const double high = std::max(std::abs(ahead.ci95_low), std::abs(ahead.ci95_high));
  if (text(kpi, low) == text(kpi, high)) return "";
  return fmt::format(" (95 %: {} to {})", text(kpi, low), text(kpi, high));
}

// What the better one takes more of: "; it takes 2 h longer", or "".
std::string drawback(const Evaluation& best, const Evaluation& second) {
  const Kpi* time = find_kpi("time_to_train_s");
  const double longer = mean_of_kpi(*time, best) - mean_of_kpi(*time, second);
  if (!(longer > kNoticeable * mean_of_kpi(*time, second))) return "";
  return fmt::format("; it takes {} longer", text(*time, longer));
}

std::string sentence(const Choice& advice, const std::vector<Compared>& scenarios) {
  const Compared &best = scenarios[advice.best], &second = scenarios[advice.second];
  const Kpi& by = *advice.by;
  if (advice.ahead.mean == 0.0 && advice.ahead.half_width() == 0.0)
    return fmt::format("{} and {} do not differ in {}.", scenarios[std::min(advice.best, advice.second)].label,
                       scenarios[std::max(advice.best, advice.second)].label, figure_noun(by));
  if (!advice.told_apart) {
    return fmt::format("{} and {} cannot be told apart by {}: the difference of {} is within chance.", best.label,
                       second.label, figure_noun(by), text(by, std::abs(advice.ahead.mean)));
  }
  const double size = std::abs(advice.ahead.mean);
  const double share = size / std::abs(mean_of_kpi(by, second.evaluation));
  const bool higher = by.better == Better::kHigher;
  return fmt::format("Take {}: its {} of {} is {} ({:.1f} %) {} than that of {}{}{}.", best.label, figure_noun(by),
                     text(by, mean_of_kpi(by, best.evaluation)), text(by, size), 100.0 * share,
                     higher ? "higher" : "lower", second.label, interval_text(by, advice.ahead),
                     drawback(best.evaluation, second.evaluation));
}

}  // namespace

const Kpi& deciding_kpi(const std::vector<const Evaluation*>& evaluations) {
  const Kpi* last = find_kpi("gpu_utilization");
  invariant(last != nullptr, "kpi_table has no gpu_utilization");
  for (const char* name : {"cost.total_usd", "effective_usd_per_useful_gpu_hour", "time_to_train_s"}) {
    const Kpi* kpi = find_kpi(name);
    bool known = kpi != nullptr;
    for (const Evaluation* evaluation : evaluations) known = known && kpi->of(*evaluation).has_value();
    if (known) return *kpi;
  }
  return *last;
}

bool is_better(const Kpi& kpi, double value, double other) {
  return kpi.better == Better::kHigher ? value > other : value < other;
}

std::string figure_noun(const Kpi& kpi) {
  if (kpi.name == "effective_usd_per_useful_gpu_hour") return "price of a useful GPU-hour";
  if (kpi.label.starts_with("GPU")) return kpi.label;
  std::string noun = kpi.label;
  noun.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(noun.front())));
  return noun;
}

std::string scenario_label(std::size_t index) {
  const char letter = static_cast<char>('A' + static_cast<char>(index % 26));
  return (index >= 26 ? scenario_label(index / 26 - 1) : "") + letter;
}

Choice choose(const Kpi& by, const std::vector<Compared>& scenarios, const PairedDifference& difference) {
  invariant(scenarios.size() >= 2, "advise: nothing to choose from");
  const auto at = [&](std::size_t i) { return mean_of_kpi(by, scenarios[i].evaluation); };
  Choice out;
  out.by = &by;
  for (std::size_t i = 1; i < scenarios.size(); ++i)
    if (is_better(by, at(i), at(out.best))) out.best = i;
  out.second = out.best == 0 ? 1 : 0;
  for (std::size_t i = 0; i < scenarios.size(); ++i)
    if (i != out.best && is_better(by, at(i), at(out.second))) out.second = i;
  const std::optional<Estimate> ahead = difference(out.second, out.best);
  if (!ahead) {
    out.sentence = fmt::format("Nothing is sure: {} is not known in every paired run.", figure_noun(by));
    return out;
  }
  out.ahead = *ahead;
  out.told_apart = out.ahead.ci95_low > 0.0 || out.ahead.ci95_high < 0.0;
  out.sentence = sentence(out, scenarios);
  return out;
}

}  // namespace stallcast
