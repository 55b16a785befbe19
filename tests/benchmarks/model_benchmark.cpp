// How fast a whole scenario is: samples and events per second of wall time through simulate().
#include <benchmark/benchmark.h>

#include "core/run/simulate.h"

namespace stallcast::benchmarks {
namespace {

Scenario fleet(std::int64_t nodes) {
  Scenario s;
  s.cluster.nodes = nodes;
  s.cluster.gpus_per_node = 8;
  s.cluster.cores_per_node = 96;
  s.workload.batch_size = 32;
  s.workload.step_time = Distribution::constant(0.1);
  s.dataset.sample_size = Distribution::constant(150e3);
  s.dataset.decode_time = Distribution::constant(5e-3);
  s.loader.num_workers = 8;
  s.storage.read_bandwidth = BytesPerSecond::from_base(1.3e9 * static_cast<double>(nodes));
  s.storage.latency = Distribution::lognormal(1e-3, 1.0);
  s.run.whole_run = true;
  s.run.steps_per_epoch = std::max<std::int64_t>(16, 512 / nodes);
  return s;
}

void BM_Simulate(benchmark::State& state) {
  const Scenario s = fleet(state.range(0));
  RunOptions options;
  options.exact = true;  // every rank
  std::int64_t samples = 0;
  double events = 0.0;
  for (auto _ : state) {
    const RunResult result = simulate(s, options);
    samples += result.samples;
    events += static_cast<double>(result.events);
    state.counters["utilization"] = result.au;
  }
  state.SetItemsProcessed(samples);
  state.counters["events/s"] = benchmark::Counter(events, benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Simulate)->Arg(1)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stallcast::benchmarks
