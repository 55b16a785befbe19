// A job of real processes that talk as PyTorch's do, watched.
#include "core/observe/watch_job.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <functional>
#include <mutex>
#include <thread>

#include "core/observe/job_figures.h"
#include "core/observe/proc/job_tree.h"

namespace stallcast {
namespace {

// A thread that only writes: Python's QueueFeederThread.
class Feeder {
 public:
  explicit Feeder(int descriptor) : descriptor_(descriptor), thread_([this] { feed(); }) { thread_.detach(); }
  void put() {
    const std::lock_guard lock(mutex_);
    ++waiting_;
    wake_.notify_one();
  }

 private:
  void feed() {
    const std::array<char, 60> message{};
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return waiting_ > 0; });
      --waiting_;
      lock.unlock();
      if (::write(descriptor_, message.data(), message.size()) < 0) ::_exit(0);
    }
  }

  int descriptor_;
  std::mutex mutex_;
  std::condition_variable wake_;
  int waiting_ = 0;
  std::thread thread_;
};

void get(int descriptor) {
  pollfd one{descriptor, POLLIN, 0};
  while (::poll(&one, 1, 5000) == 0) {
  }
  std::array<char, 60> message{};
  if (::read(descriptor, message.data(), message.size()) <= 0) ::_exit(0);
}

void compute(double time_s) {
  const auto cpu_s = [] {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const double end_s = cpu_s() + time_s;
  while (cpu_s() < end_s) {
  }
}

void sleep_ms(int time) { std::this_thread::sleep_for(std::chrono::milliseconds(time)); }

// A trainer of two workers: batches take a worker 4 ms of CPU and 40 ms of sleep, and the trainer 10 ms.
class Job {
 public:
  Job() {
    batches_ = static_cast<std::atomic<int>*>(
        ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    pid_ = ::fork();
    if (pid_ == 0) train();
  }
  ~Job() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  int pid() const { return pid_; }
  int batches() const { return *batches_; }

 private:
  [[noreturn]] void train() const {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    int results[2];
    if (::pipe(results) != 0) ::_exit(1);
    std::vector<int> indices;
    for (int worker = 0; worker < 2; ++worker) {
      int index[2];
      if (::pipe(index) != 0) ::_exit(1);
      if (::fork() == 0) work(index[0], results[1]);
      indices.push_back(index[1]);
    }
    std::vector<std::unique_ptr<Feeder>> feeders;
    for (const int index : indices) {
      feeders.push_back(std::make_unique<Feeder>(index));
      feeders.back()->put();
      feeders.back()->put();
    }
    for (std::size_t i = 0;; ++i) {
      get(results[0]);
      ++*batches_;
      feeders[i % 2]->put();
      sleep_ms(10);
    }
  }

  [[noreturn]] static void work(int index, int results) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    Feeder feeder(results);
    for (;;) {
      get(index);
      compute(4e-3);
      sleep_ms(40);
      feeder.put();
    }
  }

  pid_t pid_ = 0;
  std::atomic<int>* batches_ = nullptr;
};

TEST(WatchJob, CountsBatchesAndTellsWhatWorkersDo) {
  Job job;
  sleep_ms(300);
  const JobTree tree = find_job(job.pid());
  ASSERT_EQ(tree.ranks.size(), 1U);
  ASSERT_EQ(tree.ranks[0].workers.size(), 2U);
  WatchOptions options;
  options.time_s = 2.0;
  const int before = job.batches();
  const JobWatch watch = watch_job(tree, options);
  const int counted = job.batches() - before;
  ASSERT_EQ(watch.ranks.size(), 1U);
  EXPECT_FALSE(watch.job_ended);
  ASSERT_TRUE(watch.ranks[0].batches.has_value());
  EXPECT_NEAR(*watch.ranks[0].batches, counted, 4.0);  // those under way at the two ends
  const JobFigures f = job_figures(watch, JobLimits{2.0, "all 2 of the machine", 0.0, "", {}}, {});
  EXPECT_EQ(f.workers, 2);
  // A worker sleeps ten times as long as it computes; a trainer with 10 ms to do for each 22 ms waits.
  EXPECT_GT(f.waiting_for_source, 0.5);
  EXPECT_EQ(f.source, Activity::kSleep);
  EXPECT_NEAR(f.load_cpu_s, 4e-3, 2e-3);
  EXPECT_GT(f.trainer_waits, 0.2);
}

TEST(WatchJob, KeepsToItsShareOfTheCores) {
  Job job;
  sleep_ms(300);
  WatchOptions options;
  options.time_s = 3.0;
  options.cores = 1.0;
  options.most_cpu_share = 0.002;
  const JobWatch watch = watch_job(find_job(job.pid()), options);
  // Before the first second it does not know what a look takes.
  EXPECT_LT(watch.own_cpu_s, 3.0 * (0.004 + 0.002) * options.time_s);
  EXPECT_GT(watch.looks, 5);
}

TEST(WatchJob, EndsWithTheJob) {
  auto job = std::make_unique<Job>();
  sleep_ms(300);
  const JobTree tree = find_job(job->pid());
  std::thread killer([&] {
    sleep_ms(1500);
    job.reset();
  });
  WatchOptions options;
  options.time_s = 30.0;
  const JobWatch watch = watch_job(tree, options);
  killer.join();
  EXPECT_TRUE(watch.job_ended);
  EXPECT_LT(watch.time_s, 10.0);
  EXPECT_GT(watch.ranks.at(0).batches.value_or(0.0), 0.0);
}

// As in a container whose first process collects nobody.
TEST(WatchJob, EndsWithAJobThatNobodyCollects) {
  Job job;
  sleep_ms(300);
  const JobTree tree = find_job(job.pid());
  std::thread killer([&] {
    sleep_ms(1500);
    ::kill(job.pid(), SIGKILL);
  });
  WatchOptions options;
  options.time_s = 30.0;
  const JobWatch watch = watch_job(tree, options);
  killer.join();
  EXPECT_TRUE(watch.job_ended);
  EXPECT_LT(watch.time_s, 10.0);
}

TEST(WatchJob, LearnsNothingFromAJobThatEndsAtOnce) {
  auto job = std::make_unique<Job>();
  sleep_ms(300);
  const JobTree tree = find_job(job->pid());
  job.reset();
  EXPECT_THROW(watch_job(tree, WatchOptions{}), WorldError);
}

TEST(WatchJob, StopsWhenItIsAskedTo) {
  Job job;
  sleep_ms(300);
  std::stop_source stop;
  std::thread stopper([&] {
    sleep_ms(1200);
    stop.request_stop();
  });
  WatchOptions options;
  options.time_s = 30.0;
  options.stop = stop.get_token();
  const JobWatch watch = watch_job(find_job(job.pid()), options);
  stopper.join();
  EXPECT_LT(watch.time_s, 10.0);
  EXPECT_FALSE(watch.job_ended);
}

}  // namespace
}  // namespace stallcast
