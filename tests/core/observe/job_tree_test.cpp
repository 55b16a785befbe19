#include "core/observe/proc/job_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/finding.h"
#include "tests/core/observe/fake_proc.h"

namespace stallcast {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int> worker_pids(const JobRank& rank) {
  std::vector<int> out;
  for (const JobProcess& worker : rank.workers) out.push_back(worker.pid);
  return out;
}

const std::string kTrain = "python3\0train.py\0"s;
const std::string kSpawned = "python3\0-c\0from multiprocessing.spawn import spawn_main; spawn_main(pipe=9)\0"s;

TEST(JobTree, ForkedWorkersHaveTheirParentsCommand) {
  FakeProc proc;
  proc.process(10, 1, "python3", kTrain);
  proc.process(11, 10, "python3", kTrain);
  proc.process(12, 10, "pt_data_worker", kTrain);
  proc.process(13, 10, "nvidia-smi", "nvidia-smi\0"s);
  const JobTree job = find_job(10, proc.path());
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].trainer.pid, 10);
  EXPECT_EQ(job.ranks[0].trainer.command, "python3 train.py");
  EXPECT_THAT(worker_pids(job.ranks[0]), ElementsAre(11, 12));
  EXPECT_FALSE(job.ranks[0].workers[0].spawned);
}

TEST(JobTree, SpawnedWorkersAreKnownByTheirCommandAndTheTrackerIsNone) {
  FakeProc proc;
  proc.process(10, 1, "python3", kTrain);
  proc.process(11, 10, "python3", "python3\0-c\0from multiprocessing.resource_tracker import main;main(7)\0"s);
  proc.process(12, 10, "python3", kSpawned);
  const JobTree job = find_job(10, proc.path());
  EXPECT_THAT(worker_pids(job.ranks.at(0)), ElementsAre(12));
  EXPECT_TRUE(job.ranks[0].workers[0].spawned);
}

// What attach is offered: two scripts of one shell are two jobs, two ranks of one launcher are one.
TEST(JobTree, JobsWithWorkersAreFound) {
  FakeProc proc;
  proc.process(9, 1, "bash", "bash\0"s);
  for (const int trainer : {20, 30}) {
    proc.process(trainer, 9, "python3", kTrain);
    proc.process(trainer + 1, trainer, "python3", kTrain);
  }
  proc.process(40, 9, "torchrun", "python3\0torchrun\0"s);
  for (const int rank : {50, 60}) {
    proc.process(rank, 40, "python3", kSpawned);
    proc.process(rank + 1, rank, "python3", kSpawned);
  }
  proc.process(70, 1, "nginx", "nginx: master\0"s);
  proc.process(71, 70, "nginx", "nginx: master\0"s);
  proc.process(80, 9, "python3", "python3\0notebook.py\0"s);  // without workers
  const std::vector<JobTree> jobs = jobs_with_workers(proc.path());
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(jobs[0].asked, 20);
  EXPECT_THAT(worker_pids(jobs[0].ranks.at(0)), ElementsAre(21));
  EXPECT_EQ(jobs[1].asked, 30);
  EXPECT_EQ(jobs[2].asked, 50);
  ASSERT_EQ(jobs[2].ranks.size(), 2U);
  EXPECT_THAT(worker_pids(jobs[2].ranks[1]), ElementsAre(61));
}

// torchrun starts two ranks, each with a worker; ranks of multiprocessing look like workers, but have some themselves.
TEST(JobTree, ALauncherAboveLeadsToItsRanks) {
  FakeProc proc;
  proc.process(9, 1, "bash", "bash\0run.sh\0"s);
  proc.process(10, 9, "torchrun", "python3\0torchrun\0"s);
  for (const int rank : {20, 30}) {
    proc.process(rank, 10, "python3", kSpawned);
    proc.process(rank + 1, rank, "python3", kSpawned);
  }
  const JobTree job = find_job(9, proc.path());
  ASSERT_EQ(job.ranks.size(), 2U);
  EXPECT_EQ(job.ranks[0].trainer.pid, 20);
  EXPECT_THAT(worker_pids(job.ranks[1]), ElementsAre(31));
}

TEST(JobTree, AWorkerBelowLeadsToItsTrainer) {
  FakeProc proc;
  proc.process(10, 1, "python3", kTrain);
  proc.process(11, 10, "python3", kTrain);
  proc.process(12, 10, "python3", kTrain);
  const JobTree job = find_job(12, proc.path());
  EXPECT_EQ(job.ranks.at(0).trainer.pid, 10);
  EXPECT_THAT(worker_pids(job.ranks[0]), ElementsAre(11, 12));
  EXPECT_EQ(job.asked, 12);
}

TEST(JobTree, WithoutWorkersItIsTheBusiestBelow) {
  FakeProc proc;
  proc.process(9, 1, "bash", "bash\0run.sh\0"s, 2);
  proc.process(10, 9, "python3", kTrain, 500);
  proc.process(11, 9, "tee", "tee\0log\0"s, 3);
  const JobTree job = find_job(9, proc.path());
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].trainer.pid, 10);
  EXPECT_TRUE(job.ranks[0].workers.empty());
}

TEST(JobTree, TellsWhatAContainerCallsIt) {
  FakeProc proc;
  proc.process(10, 1, "python3", kTrain);
  proc.write("10/status", "NSpid:\t10\t7\n");
  EXPECT_EQ(find_job(10, proc.path()).container_pid, "7");
}

std::string failure(int pid, const FakeProc& proc) {
  try {
    find_job(pid, proc.path());
  } catch (const WorldError& error) {
    return error.what();
  }
  return "";
}

TEST(JobTree, SaysWhyItCannotBeWatched) {
  FakeProc proc;
  proc.process(10, 1, "python3", kTrain, 0, 'Z');
  EXPECT_THAT(failure(99, proc), HasSubstr("there is no process 99. Where the job runs in a container"));
  EXPECT_THAT(failure(10, proc), HasSubstr("process 10 has ended"));
  proc.process(11, 1, "python3", kTrain);
  std::filesystem::remove(proc.path() / "11/io");
  EXPECT_THAT(failure(11, proc), HasSubstr("process 11 has just ended"));
}

}  // namespace
}  // namespace stallcast
