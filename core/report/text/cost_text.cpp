#include "core/report/text/cost_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

struct Row {
  std::string amount;
  std::string text;
  Tone tone = Tone::kPlain;
};

// Six significant digits, enough to multiply again: "733.24", "4.68997 million".
std::string quantity_text(const ExactNumber& quantity) {
  const double value = quantity.to_double();
  if (value >= 1e9) return fmt::format("{:.6g} billion", value / 1e9);
  if (value >= 1e6) return fmt::format("{:.6g} million", value / 1e6);
  return fmt::format("{:.6g}", value);
}

Row row_of(const BillLine& line) {
  const Offer& offer = line.offer;
  std::string text = fmt::format("{}: {} x {} per {}", printable(line.what), quantity_text(line.quantity),
                                 price_text(offer.list_price), offer.per);
  if (offer.discount > 0) text += fmt::format(", less {} %", format_number((100 * offer.discount).to_double()));
  if (offer.kind == "assumed") text += " (price assumed)";
  return {money_text(line.cost()), std::move(text)};
}

std::string rows_text(const std::vector<Row>& rows, const TextStyle& style) {
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.amount.size());
  std::string out;
  for (const Row& row : rows) {
    const std::size_t used = 2 + width + 2;
    const std::string amount = fmt::format("{:>{}}", row.amount, width);
    out += fmt::format("  {}  {}\n", toned(amount, row.tone, style), wrapped(row.text, used, used));
  }
  return out;
}

// " (95 %: $2.80 to $3.20)" with uncertain inputs.
std::string range_text(const std::optional<Estimate>& interval) {
  if (!interval || !std::isfinite(interval->ci95_high)) return "";
  return fmt::format(" (95 %: {} to {})", usd_text(interval->ci95_low), usd_text(interval->ci95_high));
}

std::string effective_line(const CostBreakdown& cost) {
  if (!cost.per_useful_gpu_hour) return "";
  std::string text = money_text(*cost.per_useful_gpu_hour) + " per useful GPU-hour" + range_text(cost.price_interval);
  if (cost.per_epoch) text += fmt::format(", {} per epoch", money_text(*cost.per_epoch));
  if (cost.per_million_samples) text += fmt::format(", {} per million samples", money_text(*cost.per_million_samples));
  return labelled("Effective price", text);
}

std::string lost_line(const CostBreakdown& cost) {
  const std::optional<Money> wasted = cost.wasted();
  if (!wasted || cost.lost.empty() || !(*wasted > Money())) return "";
  const auto most = std::max_element(cost.lost.begin(), cost.lost.end(),
                                     [](const LostDollars& a, const LostDollars& b) { return a.dollars < b.dollars; });
  return labelled("Idle GPU cost",
                  fmt::format("{} of the machines' {}; largest cause, {}: {}", money_text(*wasted),
                              money_text(*wasted + cost.useful_compute), money_text(most->dollars), most->phrase));
}

std::string notes_lines(const CostBreakdown& cost) {
  std::string out;
  for (const std::string& note : cost.notes) out += labelled("Not included", note);
  return out;
}

std::string by_the_hour(const CostBreakdown& cost) {
  const auto text = [](const std::optional<Money>& rate) { return rate ? money_text(*rate) : "unknown"; };
  std::string out = labelled(
      "Bill", cost.run_ends ? "none: the length of the run is not given (dataset.samples or run.steps_per_epoch)"
                            : "none: the run never ends, because interruptions undo all progress");
  out += labelled("By the hour",
                  fmt::format("machines {}, storage {}", text(cost.per_hour.compute), text(cost.per_hour.storage)));
  for (const UnknownCost& unknown : cost.unknown) out += labelled("", unknown_text(unknown));
  return out + effective_line(cost) + notes_lines(cost);
}

}  // namespace

std::string render_cost(const CostBreakdown& cost, const TextStyle& style) {
  if (!cost.run_is_sized) return by_the_hour(cost);
  std::vector<Row> rows;
  const std::string nothing = money_text({});
  std::size_t below_a_cent = 0;
  for (const BillLine& line : cost.lines) {
    if (money_text(line.cost()) != nothing) {
      rows.push_back(row_of(line));
    } else if (line.cost() > Money()) {
      ++below_a_cent;
    }
  }
  if (below_a_cent > 0)
    rows.push_back({nothing, fmt::format("{} line{} below a cent", below_a_cent, below_a_cent == 1 ? "" : "s")});
  for (const UnknownCost& unknown : cost.unknown) {
    std::string text = fmt::format("{}: {}", unknown.what, unknown.why);
    if (!unknown.fix.empty()) text += "; " + unknown.fix;
    rows.push_back({"UNKNOWN", printable(std::move(text)), Tone::kWarn});
  }
  const std::optional<Money> total = cost.total();
  rows.push_back({total ? money_text(*total) : "UNKNOWN", "total" + range_text(cost.total_interval),
                  total ? Tone::kStrong : Tone::kWarn});
  return "Bill\n" + rows_text(rows, style) + effective_line(cost) + lost_line(cost) + notes_lines(cost);
}

}  // namespace stallcast
