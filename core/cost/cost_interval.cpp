#include "core/cost/cost_interval.h"

#include <algorithm>
#include <vector>

#include "core/result/input_spread.h"
#include "core/scenario/fields/uncertain_input.h"

namespace stallcast {
namespace {

CostBreakdown bill_of(const DrawnRun& draw, const Scenario& scenario, const PriceRecords& records,
                      const RunResult& result) {
  Scenario drawn = scenario;
  for (std::size_t i = 0; i < draw.factors.size(); ++i)
    drawn = scaled(drawn, result.inputs.inputs[i].pointer, draw.factors[i]);
  RunResult run = result;
  run.inputs = {};
  run.gpu_utilization.mean = draw.gpu_utilization;
  run.time_to_train_s = draw.time_to_train_s;
  run.totals = draw.totals;
  return price_run(drawn, records, run);
}

// `amount` with its interval; nothing when it is unknown, here or in a draw.
template <class Read>
std::optional<Estimate> interval_of(const std::vector<CostBreakdown>& bills, const CostBreakdown& as_given,
                                    const CostBreakdown& cost, double half, const Read& read) {
  const std::optional<Money> amount = read(cost), base = read(as_given);
  if (!amount || !base || !(*base > Money())) return std::nullopt;
  std::vector<double> ratios;
  for (const CostBreakdown& bill : bills) {
    const std::optional<Money> drawn = read(bill);
    if (!drawn) return std::nullopt;
    ratios.push_back(drawn->to_double() / base->to_double());
  }
  const double mean = amount->to_double();
  return widened({mean, std::max(0.0, mean * (1.0 - half)), mean * (1.0 + half)}, ratios);
}

}  // namespace

std::optional<double> drawn_total_usd(const DrawnRun& draw, const DrawnRun& as_given, const CostBreakdown& cost,
                                      const ResolvedScenario& resolved, const RunResult& result) {
  const PriceRecords records = price_records(resolved);
  const auto total = [&](const DrawnRun& run) { return bill_of(run, resolved.scenario, records, result).total(); };
  const std::optional<Money> all = cost.total(), drawn = total(draw), base = total(as_given);
  if (!all || !drawn || !base || !(*base > Money())) return std::nullopt;
  return all->to_double() * drawn->to_double() / base->to_double();
}

void add_intervals(CostBreakdown& cost, const Scenario& scenario, const PriceRecords& records,
                   const RunResult& result) {
  const InputSpread& spread = result.inputs;
  if (spread.drawn.empty()) return;
  const CostBreakdown as_given = bill_of(spread.as_given, scenario, records, result);
  std::vector<CostBreakdown> bills;
  for (const DrawnRun& draw : spread.drawn) bills.push_back(bill_of(draw, scenario, records, result));
  cost.total_interval = interval_of(bills, as_given, cost, spread.simulation_half,
                                    [](const CostBreakdown& bill) { return bill.total(); });
  cost.price_interval = interval_of(bills, as_given, cost, spread.simulation_half,
                                    [](const CostBreakdown& bill) { return bill.per_useful_gpu_hour; });
}

}  // namespace stallcast
