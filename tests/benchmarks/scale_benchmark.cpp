// Time and memory as a job grows: weeks of training with checkpoints and failures, a hundred simulated runs, twice the
// GPUs each time. The rates of failures are those of Llama 3 405B per node. Ends with a plot of both.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/run/simulate.h"

namespace stallcast {
namespace {

// 54 days of steps of 6 s; the interval between checkpoints is Young's for a stop of a second.
Scenario weeks(std::int64_t gpus) {
  Scenario s;
  s.cluster.gpus_per_node = 8;
  s.cluster.nodes = gpus / 8;
  s.cluster.cores_per_node = 96;
  s.workload.step_time = Distribution::constant(6.0);
  s.dataset.sample_size = Distribution::constant(4096);
  s.loader.num_workers = 2;
  s.storage.read_bandwidth = bytes_per_second(2e12);
  s.storage.write_bandwidth = bytes_per_second(2e12);
  s.storage.latency = Distribution::lognormal(1e-3, 1.0);
  s.run.steps_per_epoch = 54 * 86400 / 6;
  s.failures.per_1000_node_days = 3.789;
  s.failures.detection_time = seconds(120);
  s.failures.replacement_time = seconds(60);
  s.failures.restart_time = seconds(240);
  s.checkpoint.mode = CheckpointMode::kAsync;
  s.checkpoint.writers = CheckpointWriters::kAll;
  s.checkpoint.size = bytes(5.7e12);
  s.checkpoint.snapshot_time = seconds(1);
  s.checkpoint.cadence = CheckpointCadence::kTime;
  const double mtti = 86400.0 / (s.failures.per_1000_node_days * 1e-3 * static_cast<double>(s.cluster.nodes));
  s.checkpoint.interval = seconds(std::sqrt(2.0 * mtti));
  return s;
}

// Peak memory of a process of its own that simulates `s`. **Units** MiB
double peak_memory(const Scenario& s) {
  const pid_t child = fork();
  if (child == 0) {
    benchmark::DoNotOptimize(simulate(s).time_to_train_s);
    _exit(0);
  }
  rusage usage{};
  int status = 0;
  wait4(child, &status, 0, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void BM_Weeks(benchmark::State& state) {
  const Scenario s = weeks(state.range(0));
  state.counters["MiB"] = peak_memory(s);
  for (auto _ : state) {
    const RunResult result = simulate(s);
    state.counters["ETTR"] = result.timeline.ettr.mean;
    state.counters["failures"] = result.timeline.interruptions[0].mean;
  }
}
BENCHMARK(BM_Weeks)->RangeMultiplier(2)->Range(64, 131072)->Unit(benchmark::kMillisecond)->UseRealTime();

// What the console shows, and then a bar for each size on a logarithmic scale.
class Plot : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const auto memory = run.counters.find("MiB");
      if (memory == run.counters.end()) continue;
      points_.push_back({run.benchmark_name(), run.GetAdjustedRealTime(), memory->second});
    }
  }
  void Finalize() override {
    std::printf("\n%-34s time (# = a quarter of a doubling from 1 ms)   memory (o = 1 MiB)\n", "");
    for (const Point& p : points_) {
      const auto quarter_doublings = static_cast<int>(std::lround(4.0 * std::log2(std::max(1.0, p.ms))));
      std::printf("%-34s %-46s %s\n", p.name.c_str(),
                  std::string(static_cast<std::size_t>(quarter_doublings), '#').c_str(),
                  std::string(static_cast<std::size_t>(std::lround(p.mib)), 'o').c_str());
    }
  }

 private:
  struct Point {
    std::string name;
    double ms, mib;
  };
  std::vector<Point> points_;
};

}  // namespace
}  // namespace stallcast

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  stallcast::Plot plot;
  benchmark::RunSpecifiedBenchmarks(&plot);
  benchmark::Shutdown();
  return 0;
}
