#include "core/cost/cost_breakdown.h"

#include <fmt/format.h>

#include <algorithm>

namespace stallcast {

std::string_view cost_category_name(CostCategory category) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(CostCategory::kCount)> kNames = {
      "compute", "storage", "requests", "transfer", "overheads"};
  return kNames.at(static_cast<std::size_t>(category));
}

std::string unknown_text(const UnknownCost& unknown) {
  std::string text = fmt::format("UNKNOWN {}: {}", unknown.what, unknown.why);
  if (!unknown.fix.empty()) text += "; " + unknown.fix;
  return text;
}

std::optional<Money> HourlyRates::total() const {
  if (!compute || !storage) return std::nullopt;
  return *compute + *storage;
}

std::optional<Money> CostBreakdown::category_total(CostCategory category) const {
  const auto is_of_it = [&](const UnknownCost& u) { return u.category == category; };
  if (!run_is_sized || std::any_of(unknown.begin(), unknown.end(), is_of_it)) return std::nullopt;
  Money sum;
  for (const BillLine& line : lines)
    if (line.category == category) sum += line.cost();
  return sum;
}

std::optional<Money> CostBreakdown::total() const {
  if (!run_is_sized || !unknown.empty()) return std::nullopt;
  Money sum;
  for (const BillLine& line : lines) sum += line.cost();
  return sum;
}

std::optional<Money> CostBreakdown::wasted() const {
  if (!category_total(CostCategory::kCompute)) return std::nullopt;
  Money sum;
  for (const LostDollars& cause : lost) sum += cause.dollars;
  return sum;
}

}  // namespace stallcast
