#include "core/report/words/interval_text.h"

#include <fmt/format.h>

#include <string_view>

#include "core/report/words/text_layout.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

std::string row(double interval_s, double ettr, std::string_view text) {
  const std::string share = interval_s > 0.0 ? percent(ettr) : "-";
  const std::string lead = fmt::format("  {:>9}  {:>7}  ", duration_text(interval_s), share);
  return lead + wrapped(text, lead.size(), lead.size()) + "\n";
}

std::string reason_row(const IntervalReason& reason) {
  const std::string points = reason.ettr ? fmt::format("{:+.2f} points", 100.0 * *reason.ettr) : "";
  const std::string lead = fmt::format("  {:>9}  {:>13}  ", duration_text(reason.size_s), points);
  return lead + wrapped(reason.phrase, lead.size(), lead.size()) + "\n";
}

}  // namespace

std::string render_interval(const IntervalExplanation& interval) {
  const std::string heading =
      fmt::format("Checkpoint interval and its ETTR, for {} per checkpoint, an MTTI of {} and {} to go on",
                  duration_text(interval.cost_s), duration_text(interval.mtti_s), duration_text(interval.restart_s));
  std::string out = "\n" + wrapped(heading, 0, 0) + "\n";
  out += row(interval.chosen_s, interval.simulated_ettr.mean,
             fmt::format("chosen ({} steps), simulated (95 %: {:.1f} to {:.1f} %)",
                         format_number(rounded(interval.chosen_steps)), 100.0 * interval.simulated_ettr.ci95_low,
                         100.0 * interval.simulated_ettr.ci95_high));
  out += row(interval.chosen_s, interval.formula_ettr, "the same, by Daly's formula");
  if (interval.simulated_best_s > 0.0)
    out += row(interval.simulated_best_s, interval.simulated_best_ettr, "best of those simulated");
  for (const IntervalFormula& formula : interval.formulas) out += row(formula.interval_s, formula.ettr, formula.phrase);
  if (!interval.reasons.empty()) out += "Why simulation and formulas differ\n";
  for (const IntervalReason& reason : interval.reasons) out += reason_row(reason);
  return out;
}

}  // namespace stallcast
