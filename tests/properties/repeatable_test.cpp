// A run is a function of its scenario and seed, of nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <thread>

#include "core/engine/statistics.h"
#include "core/run/simulate.h"
#include "tests/properties/random_scenario.h"

namespace stallcast {
namespace {

constexpr std::uint64_t kRepeatedJobs = 60;

// Every number of a result but wall_s, which is real time.
std::vector<double> numbers_of(const RunResult& r) {
  std::vector<double> all = {static_cast<double>(r.seed),
                             r.gpu_utilization.mean,
                             r.gpu_utilization.ci95_low,
                             r.gpu_utilization.ci95_high,
                             r.au,
                             r.au_steady,
                             r.au_mlperf,
                             r.samples_per_s,
                             r.samples_per_s_steady,
                             r.samples_per_s_mlperf,
                             r.step_time_s.mean,
                             r.step_time_s.p50,
                             r.step_time_s.p99,
                             r.time_to_first_batch_s,
                             r.simulated_s,
                             r.time_to_train_s,
                             static_cast<double>(r.steps),
                             static_cast<double>(r.samples),
                             r.read_bytes,
                             r.wanted_bytes,
                             r.written_bytes,
                             r.cpu_busy_fraction,
                             r.storage_busy_fraction,
                             static_cast<double>(r.checkpoints),
                             r.goodput_fraction,
                             r.converged ? 1.0 : 0.0,
                             static_cast<double>(r.events)};
  all.insert(all.end(), r.lost_fraction.begin(), r.lost_fraction.end());
  return all;
}

// A job with luck in it that stops at its precision.
Scenario open_ended_job() {
  Scenario s;
  s.cluster.cores_per_node = 8;
  s.workload.step_time = Distribution::lognormal(0.02, 0.3);
  s.workload.batch_size = 4;
  s.dataset.layout = DatasetLayout::kRecords;
  s.dataset.sample_size = Distribution::constant(1e5);
  s.storage.latency = Distribution::lognormal(0.015, 0.8);
  s.loader.num_workers = 3;
  s.run.precision = 0.01;
  return s;
}

TEST(Repeatable, TheSameSeedGivesTheSameResult) {
  for (std::uint64_t i = 0; i < kRepeatedJobs; ++i) {
    const Scenario s = random_scenario(i);
    EXPECT_EQ(numbers_of(simulate(s)), numbers_of(simulate(s))) << describe(s);
  }
  EXPECT_EQ(numbers_of(simulate(open_ended_job())), numbers_of(simulate(open_ended_job())));
}

TEST(Repeatable, TwoThreadsAtOnceDoNotDisturbEachOther) {
  std::vector<std::vector<double>> alone, first(kRepeatedJobs), second(kRepeatedJobs);
  for (std::uint64_t i = 0; i < kRepeatedJobs; ++i) alone.push_back(numbers_of(simulate(random_scenario(i))));
  const auto run = [](std::vector<std::vector<double>>& out) {
    for (std::uint64_t i = 0; i < kRepeatedJobs; ++i) out[i] = numbers_of(simulate(random_scenario(i)));
  };
  {
    const std::jthread one([&] { run(first); }), two([&] { run(second); });
  }
  EXPECT_EQ(first, alone);
  EXPECT_EQ(second, alone);
}

TEST(Repeatable, AnotherSeedGivesOtherLuck) {
  const Scenario s = open_ended_job();
  RunOptions other;
  other.seed = 99;
  EXPECT_EQ(simulate(s, other).seed, 99u);
  EXPECT_NE(simulate(s).au, simulate(s, other).au);
}

// Where every time is constant there is no luck: the seed is the only difference.
TEST(Repeatable, WithoutRandomTimesTheSeedDoesNotMatter) {
  Scenario s = open_ended_job();
  s.workload.step_time = Distribution::constant(0.02);
  s.storage.latency = Distribution::constant(0.015);
  RunOptions other;
  other.seed = 99;
  RunResult result = simulate(s, other);
  result.seed = 1;
  EXPECT_EQ(numbers_of(result), numbers_of(simulate(s)));
}

TEST(Repeatable, ATraceChangesNothing) {
  for (std::uint64_t i = 0; i < kRepeatedJobs; ++i) {
    const Scenario s = random_scenario(i);
    Trace trace;
    RunOptions options;
    options.trace = &trace;
    const RunResult traced = simulate(s, options);
    EXPECT_EQ(numbers_of(traced), numbers_of(simulate(s))) << describe(s);
    if (traced.steps == 0) continue;
    EXPECT_FALSE(trace.spans.empty()) << describe(s);
    for (const TraceSpan& span : trace.spans) {
      EXPECT_LT(span.track, trace.tracks.size());
      EXPECT_LT(span.begin_ns, span.end_ns);
    }
  }
}

TEST(Repeatable, AFullTraceStopsAtItsLimit) {
  Trace trace;
  trace.limit = 100;
  RunOptions options;
  options.trace = &trace;
  const RunResult traced = simulate(open_ended_job(), options);
  EXPECT_TRUE(trace.truncated);
  EXPECT_EQ(trace.spans.size() + trace.counters.size(), 100u);
  EXPECT_EQ(numbers_of(traced), numbers_of(simulate(open_ended_job())));
}

TEST(Repeatable, ListeningToTheProgressChangesNothing) {
  Scenario s = open_ended_job();
  for (const bool whole : {false, true}) {
    s.run.whole_run = whole;
    s.run.steps_per_epoch = whole ? 700 : 0;
    std::vector<std::int64_t> steps;
    RunOptions options;
    options.progress = [&](const Progress& progress) { steps.push_back(progress.steps); };
    EXPECT_EQ(numbers_of(simulate(s, options)), numbers_of(simulate(s)));
    EXPECT_FALSE(steps.empty());
    EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
  }
}

// Four runs with seeds 1, 2, 3, 4: their mean, and Student's interval over them.
TEST(Replications, ArePooled) {
  Scenario s = open_ended_job();
  s.run.whole_run = true;
  s.run.steps_per_epoch = 300;
  RunOptions options;
  options.replications = 4;
  const RunResult pooled = simulate(s, options);
  std::vector<double> means;
  double useful = 0.0, time = 0.0;
  std::uint64_t events = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    RunOptions one;
    one.seed = seed;
    const RunResult result = simulate(s, one);
    means.push_back(result.gpu_utilization.mean);
    useful += result.totals.useful_gpu_s;
    time += result.time_to_train_s;
    events += result.events;
  }
  const Interval expected = mean_of_replications(means);
  EXPECT_NEAR(pooled.gpu_utilization.mean, useful / (time * static_cast<double>(s.ranks())), 1e-12)
      << "of the mean of their ledgers";
  EXPECT_NEAR(pooled.gpu_utilization.half_width(), expected.half_width, 1e-12);
  EXPECT_GT(expected.half_width, 0.0);
  EXPECT_EQ(pooled.events, events);
}

// The asked precision is reached, and the value is within it of a run a hundred times as long (with 1.5 for its luck).
TEST(Precision, IsWhatWasAsked) {
  Scenario s = open_ended_job();
  const RunResult result = simulate(s);
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.gpu_utilization.half_width(), 0.01);
  s.run.whole_run = true;
  s.run.steps_per_epoch = 20000;
  EXPECT_NEAR(result.gpu_utilization.mean, simulate(s).gpu_utilization.mean, 0.015);
}

TEST(Precision, ThatIsNotReachedIsSaid) {
  Scenario s = open_ended_job();
  s.run.precision = 1e-6;
  s.run.max_steps = 300;
  const RunResult result = simulate(s);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.steps, 300);
}

TEST(Stop, ReturnsWhatIsDone) {
  Scenario s = open_ended_job();
  s.run.precision = 1e-6;
  std::stop_source source;
  RunOptions options;
  options.stop = source.get_token();
  options.progress = [&](const Progress& progress) {
    if (progress.steps > 1000) source.request_stop();
  };
  const RunResult result = simulate(s, options);
  EXPECT_FALSE(result.converged);
  EXPECT_GT(result.steps, 1000);
  EXPECT_LT(result.steps, 2000);
  EXPECT_GT(result.gpu_utilization.mean, 0.0);
}

TEST(Stop, BeforeTheStartEndsAtOnce) {
  std::stop_source source;
  source.request_stop();
  RunOptions options;
  options.stop = source.get_token();
  options.replications = 5;
  const RunResult result = simulate(open_ended_job(), options);
  EXPECT_FALSE(result.converged);
  EXPECT_LE(result.steps, 16);
}

TEST(Stop, OfAWholeRunIsNotTheWholeRun) {
  Scenario s = open_ended_job();
  s.run.whole_run = true;
  s.run.steps_per_epoch = 1000;
  std::stop_source source;
  source.request_stop();
  RunOptions options;
  options.stop = source.get_token();
  const RunResult result = simulate(s, options);
  EXPECT_LT(result.steps, 1000);
  EXPECT_FALSE(result.converged);
}

// What the pooled runs lost is what they did not use.
TEST(Replications, LoseWhatTheyDoNotUse) {
  Scenario s = open_ended_job();
  s.run.whole_run = true;
  s.run.steps_per_epoch = 300;
  RunOptions options;
  options.replications = 4;
  const RunResult pooled = simulate(s, options);
  const double lost = std::accumulate(pooled.lost_fraction.begin(), pooled.lost_fraction.end(), 0.0);
  EXPECT_NEAR(lost, 1.0 - pooled.gpu_utilization.mean, 1e-9);
}

}  // namespace
}  // namespace stallcast
