#include "core/observe/job_figures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stallcast {
namespace {

ActivityCounts looks(double running, double queue, double files, double sleep) {
  ActivityCounts out{};
  out[index(Activity::kRunning)] = running;
  out[index(Activity::kQueue)] = queue;
  out[index(Activity::kFiles)] = files;
  out[index(Activity::kSleep)] = sleep;
  return out;
}

// Two workers for 20 s and 100 batches: each 8 s on a core, 2 s queued for one, and of 10 s blocked three in four looks
// in files and one waiting for an index.
JobWatch two_workers() {
  JobWatch watch;
  watch.time_s = 20.0;
  watch.looks = watch.worker_looks = 2000;
  watch.machine_busy_s = 21.0;
  SeenRank rank;
  rank.trainer.pid = 10;
  rank.watched_s = 20.0;
  rank.main = {20.0, 1.0, 0.0, looks(100, 400, 0, 600)};
  rank.cpu_s = 1.0;
  rank.num_workers = 2;
  rank.batches = 100.0;
  for (const int pid : {11, 12}) {
    SeenWorker worker;
    worker.pid = pid;
    worker.close = true;
    worker.watched_s = 20.0;
    worker.main = {20.0, 8.0, 2.0, looks(1000, 250, 750, 0), 400.0};
    worker.cpu_s = 9.0;
    worker.io.read_bytes = 40e6;
    worker.io.reads = 500.0;
    rank.workers.push_back(worker);
  }
  watch.ranks.push_back(rank);
  return watch;
}

JobLimits two_cores() {
  JobLimits limits;
  limits.cores = 2.0;
  limits.cores_from = "all 2 of the machine";
  return limits;
}

TEST(JobFigures, DividesTimesAndBytesByBatches) {
  const JobFigures f = job_figures(two_workers(), two_cores(), {}, "/nowhere");
  EXPECT_EQ(f.workers, 2);
  ASSERT_TRUE(f.batches_per_s);
  EXPECT_DOUBLE_EQ(*f.batches_per_s, 5.0);  // 100 in 20 s
  EXPECT_DOUBLE_EQ(f.running, 0.4);         // 8 of 20 s
  EXPECT_DOUBLE_EQ(f.waiting_for_core, 0.1);
  EXPECT_DOUBLE_EQ(f.waiting_for_source, 0.375);  // three quarters of 10 of 20 s
  EXPECT_DOUBLE_EQ(f.waiting_for_index, 0.125);
  EXPECT_DOUBLE_EQ(f.load_cpu_s, 0.18);     // 2 x 9 s / 100
  EXPECT_DOUBLE_EQ(f.source_wait_s, 0.15);  // 2 x 7.5 s / 100
  EXPECT_DOUBLE_EQ(f.read_bytes, 8e5);      // 80 MB / 100
  EXPECT_DOUBLE_EQ(f.read_calls, 10.0);
  EXPECT_DOUBLE_EQ(f.source_waits, 8.0);    // 2 x 400 turns on a core / 100: not every read waits
  EXPECT_DOUBLE_EQ(f.trainer_waits, 0.38);  // 400 of 1000 looks of the 19 s in which it was blocked, of 20 s
  EXPECT_DOUBLE_EQ(f.trainer_cpu_s, 0.01);  // 1 s / 100
}

// 21 s of the machine less 1 + 18 of the job leave 0.1 core of others: no more than every machine has. With 10 s more
// they have 0.6, and two workers that want a core half of the time have one for 8 of 10 s: 0.8 of one at least.
TEST(JobFigures, OtherProgramsTakeCoresAway) {
  JobWatch watch = two_workers();
  EXPECT_DOUBLE_EQ(job_figures(watch, two_cores(), {}, "/nowhere").cores, 2.0);
  watch.machine_busy_s = 31.0;
  EXPECT_NEAR(job_figures(watch, two_cores(), {}, "/nowhere").cores, 0.8, 1e-9);
  for (SeenWorker& worker : watch.ranks[0].workers) worker.main.queued_s = 0.0;  // nobody waits for a core
  EXPECT_NEAR(job_figures(watch, two_cores(), {}, "/nowhere").cores, 1.4, 1e-9);
}

TEST(JobFigures, WithoutCountsTheLogTellsThePace) {
  JobWatch watch = two_workers();
  watch.ranks[0].batches.reset();
  EXPECT_FALSE(job_figures(watch, two_cores(), {}, "/nowhere").batches_per_s);
  const JobFigures f = job_figures(watch, two_cores(), {{"it_per_s", 4.0, 0.0, "", ""}}, "/nowhere");
  EXPECT_DOUBLE_EQ(*f.batches_per_s, 4.0);
  EXPECT_DOUBLE_EQ(f.load_cpu_s, 0.225);  // 18 s in 80 batches
}

// Without workers the trainer's sleep is its step, and its waits for files are loading.
TEST(JobFigures, OfAJobWithoutWorkersAreOfItsTrainer) {
  JobWatch watch = two_workers();
  SeenRank& rank = watch.ranks[0];
  rank.workers.clear();
  rank.num_workers = 0;
  rank.batches.reset();
  rank.main = {20.0, 10.0, 0.0, looks(500, 0, 200, 300)};
  const JobFigures f = job_figures(watch, two_cores(), {{"it_per_s", 2.0, 0.0, "", ""}}, "/nowhere");
  EXPECT_DOUBLE_EQ(f.load_cpu_s, 0.25);         // 10 s in 40 batches
  EXPECT_DOUBLE_EQ(f.source_wait_s, 0.1);       // two fifths of 10 s
  EXPECT_DOUBLE_EQ(f.trainer_blocked_s, 0.15);  // the other three
}

// 1 to 4 readers at a time, met for 5 s each.
JobWatch with_readers(double exponent) {
  JobWatch watch = two_workers();
  for (int readers = 1; readers <= 4; ++readers)
    watch.readers[2 * readers] = {5.0, 5.0 * 1e6 * std::pow(readers, exponent), 500};
  watch.readers_kept = 0.9;
  return watch;
}

TEST(JobFigures, MoreReadersAtOneRateShareIt) {
  const JobFigures f = job_figures(with_readers(0.0), two_cores(), {}, "/nowhere");
  EXPECT_EQ(f.sharing, SourceSharing::kShared);
  EXPECT_NEAR(f.sharing_exponent, 0.0, 1e-9);
  EXPECT_NEAR(f.shared_bytes_per_s, 1e6, 1e-3);
}

TEST(JobFigures, MoreReadersWithTheirOwnRatesReadMore) {
  const JobFigures f = job_figures(with_readers(1.0), two_cores(), {}, "/nowhere");
  EXPECT_EQ(f.sharing, SourceSharing::kPerReader);
  EXPECT_NEAR(f.sharing_exponent, 1.0, 1e-9);
}

TEST(JobFigures, ReadersThatComeAndGoBetweenLooksTellNothing) {
  JobWatch watch = with_readers(0.0);
  watch.readers_kept = 0.5;
  EXPECT_EQ(job_figures(watch, two_cores(), {}, "/nowhere").sharing, SourceSharing::kUnknown);
}

TEST(JobFigures, AsManyReadersAtAllTimesTellNothing) {
  JobWatch watch = two_workers();
  watch.readers[4] = {20.0, 2e7, 2000};
  EXPECT_EQ(job_figures(watch, two_cores(), {}, "/nowhere").sharing, SourceSharing::kUnknown);
}

// 80 MB in 20 s, all from the device whose limit is 5 MB/s: in use to 0.8.
TEST(JobFigures, ALimitOfTheGroupInUseIsShared) {
  JobWatch watch = two_workers();
  for (SeenWorker& worker : watch.ranks[0].workers) worker.io.fetched_bytes = worker.io.read_bytes;
  JobLimits limits = two_cores();
  limits.reads.push_back({"8:0", 5e6, 0.0});
  const JobFigures f = job_figures(watch, limits, {}, "/nowhere");
  EXPECT_EQ(f.sharing, SourceSharing::kShared);
  EXPECT_DOUBLE_EQ(f.shared_bytes_per_s, 5e6);
}

// Batches of 0.1 and 0.3 s by turns: mean 0.2 s, standard deviation 0.1 s but for the divisor n - 1.
TEST(JobFigures, VariationIsOfBatchesLongEnoughToBeTimed) {
  JobWatch watch = two_workers();
  for (int i = 0; i < 50; ++i) watch.ranks[0].workers[0].batches.push_back({i % 2 == 0 ? 0.1 : 0.3, 0.0});
  const JobFigures f = job_figures(watch, two_cores(), {}, "/nowhere");
  EXPECT_EQ(f.timed_batches, 50);
  EXPECT_NEAR(f.cpu_variation, 0.5, 0.01);
  watch.worker_looks = 40;  // half a second apart: no batch can be timed
  EXPECT_EQ(job_figures(watch, two_cores(), {}, "/nowhere").timed_batches, 0);
}

TEST(JobFigures, KnowWhetherAnythingIsLoaded) {
  JobWatch watch = two_workers();
  EXPECT_TRUE(job_figures(watch, two_cores(), {}, "/nowhere").loads_data());
  watch.ranks[0].workers.clear();
  watch.ranks[0].num_workers = 0;
  watch.ranks[0].main = {20.0, 19.0, 0.0, looks(1000, 0, 0, 0)};
  EXPECT_FALSE(job_figures(watch, two_cores(), {}, "/nowhere").loads_data());
}

}  // namespace
}  // namespace stallcast
