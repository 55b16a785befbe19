#include "core/cost/price_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/catalogue/capacity_rule.h"
#include "core/cost/overheads.h"
#include "core/cost/price_run.h"
#include "core/diagnostics/invariant.h"

namespace stallcast {
namespace {

constexpr int kShareDecimals = 12;  // of a job's part of a quantity

bool is_storage(const BillLine& line) {
  return line.category == CostCategory::kStorage && line.offer.resource == "storage";
}

// Charges for the system that are not known: those that name it.
bool is_about(const UnknownCost& unknown, const TierRecord& tier) {
  return unknown.category == CostCategory::kStorage && unknown.what.starts_with(tier.name + ",");
}

// The system for as long as any job is on it.
CostBreakdown storage_bill(const ResolvedScenario& resolved, const SharedResult& result) {
  Scenario s = resolved.scenario;
  RunResult time;
  s.cost.checkpoint_retention = {};
  for (std::size_t j = 0; j < result.jobs.size(); ++j) {
    const Scenario& job = j == 0 ? resolved.scenario : resolved.concurrent_jobs[j - 1].scenario;
    const RunTotals& totals = result.jobs[j].together.totals;
    time.totals.training_s = std::max(time.totals.training_s, result.jobs[j].end_s);
    if (totals.checkpoints <= 0.0 || totals.checkpoint_bytes <= 0.0 || !job.checkpoint.to_storage) continue;
    time.totals.checkpoints = time.totals.checkpoint_bytes = 1.0;
    s.cost.checkpoint_retention = std::max(s.cost.checkpoint_retention, job.cost.checkpoint_retention);
  }
  const TierRecord& tier = *resolved.records.storage;
  CostBreakdown bill = price_run(s, {nullptr, &tier, nullptr}, time);
  std::erase_if(bill.lines, [](const BillLine& line) { return !is_storage(line); });
  std::erase_if(bill.unknown, [&](const UnknownCost& unknown) { return !is_about(unknown, tier); });
  bill.lost.clear();
  return bill;
}

std::vector<ExactNumber> shares_of(const SharedResult& result) {
  std::vector<ExactNumber> bytes;
  ExactNumber all = 0;
  for (const SharedJob& job : result.jobs) {
    bytes.push_back(ExactNumber::exactly(job.together.totals.read_bytes + job.together.totals.written_bytes));
    all += bytes.back();
  }
  for (ExactNumber& share : bytes)
    share = all > 0 ? share / all : ExactNumber(1) / static_cast<std::int64_t>(result.jobs.size());
  return bytes;
}

// Effective prices follow from the total.
void refresh_prices(CostBreakdown& cost, const Scenario& s, const RunTotals& totals) {
  cost.per_useful_gpu_hour = cost.per_epoch = cost.per_million_samples = std::nullopt;
  const std::optional<Money> total = cost.total();
  if (!total) return;
  if (totals.useful_gpu_s > 0.0) cost.per_useful_gpu_hour = *total / (ExactNumber::exactly(totals.useful_gpu_s) / 3600);
  if (s.job == JobKind::kTraining) cost.per_epoch = *total / s.run.epochs;
  if (totals.samples > 0.0) cost.per_million_samples = *total / ExactNumber::exactly(totals.samples) * 1'000'000;
}

// Puts the jobs' shares of the lines of `out.storage` into their bills.
void split_cost(SharedCost& out, const std::vector<ExactNumber>& shares) {
  for (const BillLine& line : out.storage.lines) {
    ExactNumber rest = line.quantity;
    for (std::size_t j = 0; j < shares.size(); ++j) {
      BillLine part = line;
      part.what += fmt::format(", {:.3g} % of it by bytes", 100.0 * shares[j].to_double());
      part.quantity = j + 1 == shares.size() ? rest : (line.quantity * shares[j]).rounded(kShareDecimals);
      rest = rest - part.quantity;
      if (part.quantity != 0) out.together[j].lines.push_back(std::move(part));
    }
  }
}

}  // namespace

SharedCost price_jobs(const ResolvedScenario& resolved, const SharedResult& result) {
  invariant(result.jobs.size() == resolved.concurrent_jobs.size() + 1, "every job has a result");
  const auto job_at = [&](std::size_t j) -> const ResolvedScenario& {
    return j == 0 ? resolved : resolved.concurrent_jobs[j - 1];
  };
  SharedCost out;
  bool sized = true;
  for (std::size_t j = 0; j < result.jobs.size(); ++j) {
    out.alone.push_back(price_run(job_at(j), result.jobs[j].alone));
    out.together.push_back(price_run(job_at(j), result.jobs[j].together));
    sized = sized && std::isfinite(result.jobs[j].end_s);
  }
  const std::vector<ExactNumber> shares = shares_of(result);
  for (const ExactNumber& share : shares) out.storage_share.push_back(share.to_double());
  if (result.jobs.size() < 2 || !resolved.records.storage) return out;
  const TierRecord& tier = *resolved.records.storage;
  if (!is_provisioned(tier)) {
    out.notes.push_back(fmt::format("{} is charged by what each job holds, reads and writes there", tier.name));
    return out;
  }
  for (CostBreakdown& own : out.together) {
    std::erase_if(own.lines, is_storage);
    std::erase_if(own.unknown, [&](const UnknownCost& unknown) { return is_about(unknown, tier); });
  }
  if (sized) {
    out.storage = storage_bill(resolved, result);
    split_cost(out, shares);
    out.notes.push_back(
        fmt::format("{} exists from the first start to the last end; its price is split by the bytes "
                    "that each job reads and writes",
                    tier.name));
  } else {
    out.storage.unknown.push_back({CostCategory::kStorage, tier.name + ", shared", "a job has no end",
                                   "give the /dataset/samples or /run/steps_per_epoch of every job"});
  }
  for (std::size_t j = 0; j < out.together.size(); ++j) {
    CostBreakdown& own = out.together[j];
    if (!own.run_is_sized) continue;
    own.unknown.insert(own.unknown.end(), out.storage.unknown.begin(), out.storage.unknown.end());
    charge_overheads(own, job_at(j).scenario.cost, seconds(result.jobs[j].end_s));
    refresh_prices(own, job_at(j).scenario, result.jobs[j].together.totals);
  }
  return out;
}

}  // namespace stallcast
