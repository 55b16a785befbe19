// One storage system, several bills.
#include "core/cost/price_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/core/cost/bills.h"

namespace stallcast {
namespace {

using bills::kHour;

// 1000 GiB at $0.073 per GiB-month: $0.10 an hour. Machines at $32.77/h.
ResolvedScenario on_file_system() {
  ResolvedScenario r;
  r.scenario = bills::job();
  r.scenario.cost.storage_discount = 0.0;
  r.scenario.storage.capacity = bytes(1000 * kGiB);
  r.records.storage = bills::provisioned("fs", "0.073", "GiB-month");
  return r;
}

SharedJob shared_job(const ResolvedScenario& r, double start_h, double alone_h, double together_h, double read,
                     double written) {
  SharedJob out;
  out.start_s = start_h * kHour;
  out.alone_s = alone_h * kHour;
  out.together_s = together_h * kHour;
  out.end_s = out.start_s + out.together_s;
  out.alone = bills::run(r.scenario, alone_h, 0.5);
  out.together = bills::run(r.scenario, together_h, 0.5 * alone_h / together_h);
  for (RunResult* run : {&out.alone, &out.together}) {
    run->totals.read_bytes = read;
    run->totals.written_bytes = written;
  }
  return out;
}

Money of_storage(const CostBreakdown& cost) { return *cost.category_total(CostCategory::kStorage); }

// The system is there from 0 to 10 h: $1. The first read 2 TB and wrote 1 TB, the second read 1 TB: 3/4 and 1/4 of it.
// Alone: 4 h and 5 h at $0.10.
TEST(PriceJobs, ASystemIsSplitByBytes) {
  ResolvedScenario r = on_file_system();
  r.concurrent_jobs.push_back(r);
  SharedResult result;
  result.jobs = {shared_job(r, 0, 4, 8, 2e12, 1e12), shared_job(r, 4, 5, 6, 1e12, 0)};
  const SharedCost cost = price_jobs(r, result);
  EXPECT_EQ(money_text(of_storage(cost.alone[0])), "$0.40");
  EXPECT_EQ(money_text(of_storage(cost.alone[1])), "$0.50");
  EXPECT_EQ(money_text(of_storage(cost.storage)), "$1.00");
  EXPECT_EQ(money_text(of_storage(cost.together[0])), "$0.75");
  EXPECT_EQ(money_text(of_storage(cost.together[1])), "$0.25");
  // Machines: 8 h and 6 h.
  EXPECT_EQ(bills::category(cost.together[0], CostCategory::kCompute), "$262.16");
  EXPECT_EQ(bills::category(cost.together[1], CostCategory::kCompute), "$196.62");
  EXPECT_EQ(bills::total(cost.together[0]), "$262.91");
  // 8 GPUs compute 2 h of the first: $262.91 / 16.
  EXPECT_EQ(money_text(*cost.together[0].per_useful_gpu_hour), "$16.43");
  EXPECT_EQ(cost.storage_share, (std::vector<double>{0.75, 0.25}));
  ASSERT_EQ(cost.notes.size(), 1U);
}

// Thirds have no last decimal; the shares still sum to the bill, line by line.
TEST(PriceJobs, SharesSumToTheBillExactly) {
  ResolvedScenario r = on_file_system();
  const ResolvedScenario other = r;
  r.concurrent_jobs = {other, other};
  SharedResult result;
  result.jobs = {shared_job(r, 0, 1, 3, 1e12, 0), shared_job(r, 0, 1, 7.1, 1e12, 0), shared_job(r, 1, 1, 3, 1e12, 0)};
  const SharedCost cost = price_jobs(r, result);
  Money sum;
  for (const CostBreakdown& own : cost.together) sum += of_storage(own);
  EXPECT_EQ(sum, of_storage(cost.storage));
  EXPECT_GT(sum, Money());
  for (const CostBreakdown& own : cost.together)
    for (const BillLine& line : own.lines) EXPECT_FALSE(line.quantity.decimal().empty());
}

TEST(PriceJobs, WithoutBytesTheSharesAreEqual) {
  ResolvedScenario r = on_file_system();
  r.concurrent_jobs.push_back(r);
  SharedResult result;
  result.jobs = {shared_job(r, 0, 5, 10, 0, 0), shared_job(r, 0, 5, 10, 0, 0)};
  const SharedCost cost = price_jobs(r, result);
  EXPECT_EQ(money_text(of_storage(cost.together[0])), "$0.50");
  EXPECT_EQ(money_text(of_storage(cost.together[1])), "$0.50");
}

// A bucket is not split: every job pays for the requests it made.
TEST(PriceJobs, RequestsAreEachJobsOwn) {
  ResolvedScenario r = on_file_system();
  r.records.storage = bills::s3();
  r.scenario.dataset.samples = 1000;
  r.scenario.dataset.sample_size = Distribution::constant(1e6);
  r.concurrent_jobs.push_back(r);
  SharedResult result;
  result.jobs = {shared_job(r, 0, 1, 2, 1e9, 0), shared_job(r, 0, 1, 2, 1e9, 0)};
  result.jobs[0].together.totals.read_requests = 1e6;
  result.jobs[1].together.totals.read_requests = 5e6;
  const SharedCost cost = price_jobs(r, result);
  EXPECT_EQ(bills::category(cost.together[0], CostCategory::kRequests), "$0.40");
  EXPECT_EQ(bills::category(cost.together[1], CostCategory::kRequests), "$2.00");
  EXPECT_TRUE(cost.storage.lines.empty());
}

// One job that never ends: nobody knows for how long the other shares the system.
TEST(PriceJobs, AJobWithoutAnEndLeavesTheShareOpen) {
  ResolvedScenario r = on_file_system();
  r.concurrent_jobs.push_back(r);
  SharedResult result;
  result.jobs = {shared_job(r, 0, 1, 2, 1e9, 0), shared_job(r, 0, 1, 2, 1e9, 0)};
  result.jobs[0].end_s = std::numeric_limits<double>::infinity();
  result.jobs[0].together.totals = result.jobs[0].alone.totals = {};
  const SharedCost cost = price_jobs(r, result);
  EXPECT_EQ(cost.together[1].total(), std::nullopt);
  EXPECT_EQ(bills::category(cost.together[1], CostCategory::kCompute), "$65.54");
  EXPECT_NE(bills::total(cost.alone[1]), "unknown");
}

// One that loads a model pays for its machines while they load, and for the weights in a bucket.
TEST(PriceJobs, ALoadIsABill) {
  ResolvedScenario r = on_file_system();
  r.records.storage = bills::s3();
  r.scenario.job = JobKind::kServing;
  r.scenario.serving.weights = bytes(730 * kGiB);
  SharedResult result;
  result.jobs = {shared_job(r, 0, 1, 1, 1e12, 0)};
  result.jobs[0].alone.totals.samples = result.jobs[0].alone.totals.useful_gpu_s = 0.0;
  const SharedCost cost = price_jobs(r, result);
  // 730 GiB for 1/730 of a month at $0.023.
  EXPECT_EQ(money_text(of_storage(cost.alone[0])), "$0.02");
  ASSERT_FALSE(cost.alone[0].lines.empty());
  EXPECT_EQ(cost.alone[0].lines[0].what, "1 x machine, loading the model");
  EXPECT_EQ(cost.alone[0].per_epoch, std::nullopt);
}

}  // namespace
}  // namespace stallcast
