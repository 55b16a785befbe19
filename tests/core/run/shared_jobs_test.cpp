// Jobs that share a storage system: what they take alone and together, in closed form and by conservation.
#include "core/run/shared_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stop_token>
#include <string>

#include "core/run/simulate_serving.h"

namespace stallcast {
namespace {

constexpr double kMega = 1e6;
constexpr double kGiga = 1e9;

// Steps of 10 ms that read 1 MB, from storage of 80 MB/s: alone it needs 100 MB/s and gets 80, a step each 12.5 ms.
Scenario training(double megabytes = 1.0, std::int64_t steps = 10'000) {
  Scenario s;
  s.cluster.cores_per_node = 64;
  s.workload.step_time = Distribution::constant(0.01);
  s.dataset.layout = DatasetLayout::kRecords;
  s.dataset.sample_size = Distribution::constant(megabytes * kMega);
  s.storage.read_bandwidth = bytes_per_second(80 * kMega);
  s.loader.num_workers = 4;
  s.run.steps_per_epoch = steps;
  return s;
}

// 10 hosts that read 160 MB each: 20 s at 80 MB/s.
Scenario serving() {
  Scenario s;
  s.job = JobKind::kServing;
  s.cluster.nodes = 10;
  s.serving.weights = bytes(160 * kMega);
  s.serving.streams = 2;
  s.serving.request_size = bytes(kMega);
  s.storage.read_bandwidth = bytes_per_second(80 * kMega);
  return s;
}

Scenario starting_at(Scenario s, double start_s) {
  s.run.start = seconds(start_s);
  return s;
}

double bytes_of(const SharedResult& result) {
  double sum = 0.0;
  for (const SharedSpan& span : result.spans)
    for (const SharedSpan::Part& part : span.parts) sum += part.read_bytes_per_s * (span.end_s - span.start_s);
  return sum;
}

TEST(SharedJobs, OneJobIsItself) {
  const SharedResult result = simulate_jobs({training()});
  ASSERT_EQ(result.jobs.size(), 1U);
  const SharedJob& job = result.jobs[0];
  EXPECT_NEAR(job.alone_s, 10'000 * 0.0125, 0.5);
  EXPECT_DOUBLE_EQ(job.together_s, job.alone_s);
  EXPECT_DOUBLE_EQ(job.slowdown, 1.0);
  EXPECT_DOUBLE_EQ(job.end_s, job.alone_s);
  EXPECT_NEAR(job.together.gpu_utilization.mean, 0.8, 0.005);
  EXPECT_EQ(job.together.totals.read_bytes, job.alone.totals.read_bytes);
  EXPECT_EQ(result.spans.size(), 1U);
  EXPECT_TRUE(result.converged);
}

// Each gets 40 of 80 MB/s: half the rate. Both end at twice the time.
TEST(SharedJobs, EqualJobsShareEqually) {
  const SharedResult result = simulate_jobs({training(), training()});
  for (const SharedJob& job : result.jobs) {
    EXPECT_NEAR(job.slowdown, 2.0, 0.02);
    EXPECT_NEAR(job.together.gpu_utilization.mean, 0.4, 0.005);
    EXPECT_NEAR(job.together_s, 250.0, 2.5);
  }
  EXPECT_NEAR(result.jobs[0].together_s, result.jobs[1].together_s, 1.0);
}

// The second arrives at 60 s, when the first has done 60 of its 125 s. Until the first has done the other 65 s at half
// the rate, both go at half: to 190 s. The second has done 65 s then and does its last 60 s alone: to 250 s.
TEST(SharedJobs, AnArrivalSlowsFromThenOn) {
  const SharedResult result = simulate_jobs({training(), starting_at(training(), 60.0)});
  EXPECT_NEAR(result.jobs[0].end_s, 190.0, 2.0);
  EXPECT_NEAR(result.jobs[1].end_s, 250.0, 2.5);
  EXPECT_NEAR(result.jobs[1].together_s, 190.0, 2.5);
  ASSERT_EQ(result.spans.size(), 3U);
  EXPECT_EQ(result.spans[0].parts.size(), 1U);
  EXPECT_EQ(result.spans[1].parts.size(), 2U);
  EXPECT_EQ(result.spans[2].parts.size(), 1U);
  EXPECT_NEAR(result.spans[1].parts[0].rate, 0.5, 0.01);
  // (60 s at 80 % + 130 s at 40 %) / 190 s
  EXPECT_NEAR(result.jobs[0].together.gpu_utilization.mean, (60 * 0.8 + 130 * 0.4) / 190, 0.006);
  EXPECT_NEAR(bytes_of(result), 2 * result.jobs[0].alone.totals.read_bytes, 1e-6 * bytes_of(result));
}

// Offsets count from the first start.
TEST(SharedJobs, AnArrivalAfterTheEndOfTheOtherChangesNothing) {
  const SharedResult result = simulate_jobs({starting_at(training(), 100.0), starting_at(training(), 300.0)});
  for (const SharedJob& job : result.jobs) {
    EXPECT_DOUBLE_EQ(job.slowdown, 1.0);
    EXPECT_NEAR(job.together.gpu_utilization.mean, job.alone.gpu_utilization.mean, 1e-12);
    EXPECT_NEAR(job.together.totals.lost_gpu_s, job.alone.totals.lost_gpu_s, 1e-9);
  }
  EXPECT_EQ(result.jobs[0].start_s, 0.0);
  EXPECT_EQ(result.jobs[1].start_s, 200.0);
  ASSERT_EQ(result.spans.size(), 2U);
  EXPECT_EQ(result.spans[1].start_s, 200.0);
}

// A job that reads nothing is no burden.
TEST(SharedJobs, BesideAnIdleJobNothingChanges) {
  const SharedResult result = simulate_jobs({training(), training(0.0)});
  EXPECT_NEAR(result.jobs[0].slowdown, 1.0, 0.005);
  EXPECT_NEAR(result.jobs[1].slowdown, 1.0, 0.005);
  EXPECT_NEAR(result.jobs[0].together.gpu_utilization.mean, 0.8, 0.005);
}

// 30 and 90 MB/s wanted of 80: max-min, the small one is served whole (its one flow at a time, like the other's four).
TEST(SharedJobs, MoreBandwidthNeverHurts) {
  double before_a = 1e9, before_b = 1e9;
  for (const double bandwidth : {60.0, 80.0, 120.0, 200.0}) {
    Scenario a = training(0.3), b = training(0.9);
    a.storage.read_bandwidth = b.storage.read_bandwidth = bytes_per_second(bandwidth * kMega);
    const SharedResult result = simulate_jobs({a, b});
    EXPECT_LE(result.jobs[0].together_s, before_a * 1.01) << bandwidth;
    EXPECT_LE(result.jobs[1].together_s, before_b * 1.01) << bandwidth;
    before_a = result.jobs[0].together_s;
    before_b = result.jobs[1].together_s;
  }
  EXPECT_NEAR(before_a, 100.0, 1.0);  // nobody waits at 200 MB/s
  EXPECT_NEAR(before_b, 100.0, 1.0);
}

// A training job whose 4 workers always wait for bytes, beside 20 streams: 24 equal flows. The load gets 20/24 of
// 80 MB/s and takes 24 s in place of 20 s; the training goes at 4/24 of its rate meanwhile.
TEST(SharedJobs, ALoadBesideTraining) {
  Scenario train = training(2.0, 40'000);  // wants 200 MB/s: a step each 25 ms
  const SharedResult result = simulate_jobs({train, starting_at(serving(), 50.0)});
  const SharedJob &slow = result.jobs[0], &load = result.jobs[1];
  EXPECT_NEAR(load.alone_s, 20.0, 0.01);
  EXPECT_NEAR(load.together_s, 24.0, 0.6);
  EXPECT_NEAR(load.serving_together.last_ready_s, load.together_s, 1e-9);
  EXPECT_EQ(serving_limit(load.serving_together), "tier_bandwidth");
  ASSERT_EQ(result.spans.size(), 3U);
  EXPECT_NEAR(result.spans[1].parts[0].rate, 4.0 / 24.0, 0.02);
  EXPECT_NEAR(result.spans[1].parts[1].rate, 20.0 / 24.0, 0.02);
  // 1000 s alone; 24 s at a sixth cost 20 s.
  EXPECT_NEAR(slow.together_s - slow.alone_s, 20.0, 0.7);
  // The system carries no more than it can, and everything once.
  const SharedSpan& both = result.spans[1];
  EXPECT_NEAR(both.parts[0].read_bytes_per_s + both.parts[1].read_bytes_per_s, 80 * kMega, 2.0 * kMega);
  EXPECT_NEAR(bytes_of(result), slow.alone.totals.read_bytes + load.serving_alone.read_bytes, 1e-6 * bytes_of(result));
}

// A training job whose length is not given has no end; its figures are those beside the load.
TEST(SharedJobs, AJobWithoutAnEnd) {
  Scenario endless = training(2.0);
  endless.run.steps_per_epoch = 0;
  const SharedResult result = simulate_jobs({endless, starting_at(serving(), 50.0)});
  EXPECT_TRUE(std::isinf(result.jobs[0].end_s));
  EXPECT_NEAR(result.jobs[1].end_s, 74.0, 0.6);
  EXPECT_NEAR(result.jobs[0].slowdown, 6.0, 0.7);
  EXPECT_NEAR(result.jobs[0].together.gpu_utilization.mean, 0.4 / 6.0, 0.01);
  const SharedResult two = simulate_jobs({endless, endless});
  EXPECT_NEAR(two.jobs[0].slowdown, 2.0, 0.02);
  ASSERT_EQ(two.spans.size(), 1U);
  EXPECT_TRUE(std::isinf(two.spans[0].end_s));
}

// A second load arrives when half of the first is read, at 10 s. Both at half rate: the first needs 20 s more; then the
// second has read half, and its other half takes 10 s alone.
TEST(SharedJobs, TwoLoads) {
  const SharedResult result = simulate_jobs({serving(), starting_at(serving(), 10.0)});
  EXPECT_NEAR(result.jobs[0].end_s, 30.0, 0.3);
  EXPECT_NEAR(result.jobs[1].end_s, 40.0, 0.4);
  EXPECT_NEAR(result.jobs[0].serving_together.first_ready_s, 30.0, 0.5);
}

TEST(SharedJobs, TheSameSeedGivesTheSameResult) {
  Scenario a = training(), b = training();
  a.storage.latency = b.storage.latency = Distribution::lognormal(0.01, 1.0);
  const SharedResult one = simulate_jobs({a, b}), again = simulate_jobs({a, b});
  EXPECT_EQ(one.jobs[0].together_s, again.jobs[0].together_s);
  EXPECT_EQ(one.jobs[1].together_s, again.jobs[1].together_s);
  EXPECT_EQ(one.events, again.events);
}

// 300 and 200 machines, of which a part stands for all; four readers each of a machine's single GPU, all of them
// waiting for bytes: the system is the limit, and 3/5 and 2/5 of it are theirs.
TEST(SharedJobs, APartOfTheMachinesStandsForAll) {
  Scenario a = training(), b = training();
  a.cluster.nodes = 300;
  b.cluster.nodes = 200;
  a.run.steps_per_epoch = b.run.steps_per_epoch = 2000;
  a.storage.read_bandwidth = b.storage.read_bandwidth = bytes_per_second(10'000 * kMega);
  RunOptions exact;
  exact.exact = true;
  RunOptions few;
  few.affordable_samples = 1e5;  // fewer than the runs have
  const SharedResult all = simulate_jobs({a, b}, exact), part = simulate_jobs({a, b}, few);
  EXPECT_LT(part.events, all.events / 2);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(part.jobs[j].slowdown, all.jobs[j].slowdown, 0.02 * all.jobs[j].slowdown);
    EXPECT_NEAR(part.jobs[j].together_s, all.jobs[j].together_s, 0.02 * all.jobs[j].together_s);
  }
  ASSERT_GE(all.spans.size(), 1U);
  // 10 GB/s: alone 300 machines get 33 MB/s each and 200 get 50.
  EXPECT_NEAR(all.spans[0].parts[0].rate, 0.6, 0.02);
  EXPECT_NEAR(all.spans[0].parts[1].rate, 0.4, 0.02);
}

// Whoever stops gets what is known: the jobs alone, and no claim that more was simulated.
TEST(SharedJobs, StoppedEarly) {
  std::stop_source stop;
  stop.request_stop();
  RunOptions options;
  options.stop = stop.get_token();
  const SharedResult result = simulate_jobs({serving(), serving()}, options);
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(result.stopped);
  EXPECT_DOUBLE_EQ(result.jobs[0].slowdown, 1.0);
  EXPECT_DOUBLE_EQ(result.jobs[1].end_s, result.jobs[1].alone_s);
}

TEST(SharedJobs, JobsOfOneNameAreNumbered) {
  Scenario a = training(), b = starting_at(training(), 1000.0);
  a.name = b.name = "twin";
  const SharedResult result = simulate_jobs({a, b});
  EXPECT_EQ(result.jobs[0].name, "twin (1)");
  EXPECT_EQ(result.jobs[1].name, "twin (2)");
}

// 1,000 hosts load 400 GB each by 8 streams from 2 TB/s: 400 TB in 200 s, and it is answered at once.
TEST(SimulateServing, ManyHostsAreAnsweredFast) {
  Scenario s = serving();
  s.cluster.nodes = 1000;
  s.serving.weights = bytes(400 * kGiga);
  s.serving.streams = 8;
  s.serving.request_size = bytes(16 * 1048576.0);
  s.storage.read_bandwidth = bytes_per_second(2e12);
  s.storage.latency = Distribution::lognormal(0.02, 0.5);
  s.storage.client_read_bandwidth = bytes_per_second(12.5 * kGiga);
  const ServingResult result = simulate_serving(s);
  EXPECT_LT(result.events, 3'000'000U);
  EXPECT_NEAR(result.last_ready_s, 200.0, 4.0);
  EXPECT_GE(result.last_ready_s, result.bound_s);
  EXPECT_NEAR(result.read_bytes, 4e14, 1e6);
  EXPECT_NEAR(result.requests, 1000.0 * 8 * std::ceil(50e9 / (16 * 1048576.0)), 1000.0 * 8 * 20);
}

// 20,000 hosts: some stand for all. Without latency T = max(W / client, N W / tier).
TEST(SimulateServing, SomeHostsStandForAll) {
  Scenario s = serving();
  s.cluster.nodes = 20'000;
  s.serving.weights = bytes(100 * kGiga);
  for (const double tier : {1e12, 1e14}) {
    s.storage.read_bandwidth = bytes_per_second(tier);
    s.storage.client_read_bandwidth = bytes_per_second(2 * kGiga);
    const ServingResult result = simulate_serving(s);
    EXPECT_LT(result.simulated_hosts, result.hosts);
    EXPECT_NEAR(result.last_ready_s, std::max(50.0, 20'000 * 100 * kGiga / tier), 1e-3);
    EXPECT_NEAR(result.read_bytes, 20'000 * 100 * kGiga, 1e3);
  }
}

// The bill's quantities: machines until the last host is ready, every byte and request, and nothing useful yet.
TEST(SimulateServing, AsARunForTheBill) {
  const Scenario s = serving();
  const RunResult run = as_run(s, simulate_serving(s));
  EXPECT_NEAR(run.totals.training_s, 20.0, 0.01);
  EXPECT_NEAR(run.totals.read_bytes, 1.6 * kGiga, 1.0);
  EXPECT_EQ(run.totals.read_requests, 1600.0);
  EXPECT_NEAR(run.totals.lost_gpu_s, 200.0, 0.1);
  EXPECT_EQ(run.totals.useful_gpu_s, 0.0);
}

}  // namespace
}  // namespace stallcast
