#include "core/cases/cases_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stallcast {
namespace {

using nlohmann::ordered_json;

struct Row {
  const PredictedCase* of = nullptr;
  const PredictedOutcome* outcome = nullptr;
  double off() const {
    const double ratio = outcome->ratio();
    return ratio > 0.0 ? std::abs(std::log(ratio)) : 1e9;
  }
};

}  // namespace

std::string render_cases_text(const std::vector<PredictedCase>& cases) {
  std::vector<Row> rows;
  for (const PredictedCase& one : cases)
    for (const PredictedOutcome& outcome : one.outcomes) rows.push_back({&one, &outcome});
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.off() < b.off(); });
  std::string out = fmt::format("{:<34} {:<36} {:>10} {:>10} {:>7}  {:<23} {}\n", "case", "figure", "known",
                                "predicted", "ratio", "90 % range", "holds");
  for (const Row& row : rows) {
    const PredictedOutcome& o = *row.outcome;
    out += fmt::format("{:<34} {:<36} {:>10.4g} {:>10.4g} {:>7.2f}  {:<23} {}\n", row.of->published.name,
                       o.known.figure, o.known.known, o.predicted.value_or(std::nan("")), o.ratio(),
                       fmt::format("{:.4g} to {:.4g}", o.low, o.high), o.in_range() ? "yes" : "no");
  }
  for (const PredictedCase& one : cases)
    if (!one.published.not_expressible.empty())
      out += fmt::format("{:<34} not expressible: {}\n", one.published.name, one.published.not_expressible);
  const CaseScore score = score_of(cases);
  return out + fmt::format(
                   "\n{} outcomes of {} published cases, {} of them expressible: {:.0f} % within 30 %, {:.0f} % "
                   "within a factor of 2; {:.0f} % of the ranges hold what is known\n",
                   score.outcomes, cases.size(), score.expressible, 100.0 * score.within_30_percent,
                   100.0 * score.within_factor_2, 100.0 * score.in_range);
}

ordered_json cases_json(const std::vector<PredictedCase>& cases) {
  ordered_json list = ordered_json::array();
  for (const PredictedCase& one : cases) {
    ordered_json outcomes = ordered_json::array();
    for (const PredictedOutcome& o : one.outcomes) {
      outcomes.push_back({{"figure", o.known.figure},
                          {"known", o.known.known},
                          {"known_low", o.known.known_low},
                          {"known_high", o.known.known_high},
                          {"predicted", o.predicted ? ordered_json(*o.predicted) : ordered_json()},
                          {"low", o.predicted ? ordered_json(o.low) : ordered_json()},
                          {"high", o.predicted ? ordered_json(o.high) : ordered_json()},
                          {"ratio", o.predicted ? ordered_json(o.ratio()) : ordered_json()},
                          {"in_range", o.in_range()}});
    }
    const PublishedCase& p = one.published;
    list.push_back({{"case", p.name},
                    {"title", p.title},
                    {"url", p.url},
                    {"basis", p.calibrated ? "calibrated" : "stated"},
                    {"assumed", one.assumed},
                    {"not_expressible", p.not_expressible.empty() ? ordered_json() : ordered_json(p.not_expressible)},
                    {"outcomes", std::move(outcomes)}});
  }
  const CaseScore score = score_of(cases);
  return {{"cases", std::move(list)},
          {"score",
           {{"outcomes", score.outcomes},
            {"expressible", score.expressible},
            {"within_30_percent", score.within_30_percent},
            {"within_factor_2", score.within_factor_2},
            {"in_range", score.in_range}}}};
}

}  // namespace stallcast
