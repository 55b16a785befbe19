// How fast the engine is: events, flows and samples per second of wall time.
//
// Counters beside a rate are what the model must get right; tests/benchmarks/rows.py has the ranges.
#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "tests/benchmarks/loader_model.h"
#include "tests/benchmarks/mm1_model.h"

namespace stallcast::benchmarks {
namespace {

void BM_MM1(benchmark::State& state) {
  constexpr std::int64_t kCustomers = 1'000'000;
  for (auto _ : state) {
    Mm1 queue;
    run_mm1(queue, kCustomers);
    state.counters["mean_sojourn"] = queue.mean_sojourn_s();
  }
  state.SetItemsProcessed(state.iterations() * 2 * kCustomers);
}
BENCHMARK(BM_MM1)->Unit(benchmark::kMillisecond);

void run_loaders(benchmark::State& state, double step_s) {
  std::int64_t samples = 0;
  for (auto _ : state) {
    LoaderPipeline pipeline(state.range(0), loader_steps(state.range(0)), step_s);
    run_loader(pipeline);
    samples += pipeline.samples();
    state.counters["simulated_s"] = to_seconds(pipeline.sim.now());
    state.counters["events"] = static_cast<double>(pipeline.sim.events());
  }
  state.SetItemsProcessed(samples);
}

// range: ranks
void BM_Loader(benchmark::State& state) { run_loaders(state, kLongStepS); }
BENCHMARK(BM_Loader)->RangeMultiplier(8)->Range(1, 512)->Unit(benchmark::kMillisecond);

void BM_LoaderWorkersBusy(benchmark::State& state) { run_loaders(state, kShortStepS); }
BENCHMARK(BM_LoaderWorkersBusy)->RangeMultiplier(8)->Range(1, 512)->Unit(benchmark::kMillisecond);

// ----------------------------------------------------------------- hold model: n processes that wait, again and again

Process hold_for_ever(Simulator& sim, std::uint64_t who) {
  RandomStream draw(1, DrawPurpose::kTest, who);
  for (;;) co_await sim.delay(to_ns(draw.exponential(1.0)));
}

// range: processes. Each is a Poisson process of rate 1.
void BM_Hold(benchmark::State& state) {
  const auto processes = static_cast<double>(state.range(0));
  Simulator sim;
  for (std::int64_t i = 0; i < state.range(0); ++i) sim.spawn(hold_for_ever(sim, static_cast<std::uint64_t>(i)));
  sim.run(to_ns(0.1));
  const SimTime from = sim.now();
  const std::uint64_t events = sim.events();
  for (auto _ : state) sim.run(after(sim.now(), to_ns(1e5 / processes)));
  const auto holds = static_cast<double>(sim.events() - events);
  state.counters["holds_per_process_s"] = holds / (processes * to_seconds(sim.now() - from));
  state.SetItemsProcessed(static_cast<std::int64_t>(holds));
}
BENCHMARK(BM_Hold)->RangeMultiplier(10)->Range(100, 1'000'000)->Unit(benchmark::kMillisecond);

// ---------------- flows: each of n ends and starts anew, in classes behind one tier, each class with a link of its own

Process flow_for_ever(Simulator& sim, FlowNetwork& network, FlowNetwork::ClassId cls, std::uint64_t who) {
  (void)sim;
  RandomStream draw(1, DrawPurpose::kTest, who);
  for (;;) co_await network.transfer(cls, draw.exponential(1.0));
}

// range: flows, classes, what binds (0 the tier, 1 every class's link, 2 the cap per flow hovers around the tier's
// share). Each flow gets a rate of 1 in the mean, and at most that.
void BM_Flows(benchmark::State& state) {
  Simulator sim;
  FlowNetwork network(sim);
  const auto flows = state.range(0), classes = state.range(1);
  const double n = static_cast<double>(flows), per_class = n / static_cast<double>(classes);
  const auto tier = network.add_link(state.range(2) == 1 ? 2.0 * n : n);
  std::vector<FlowNetwork::ClassId> ids;
  for (std::int64_t c = 0; c < classes; ++c) {
    const std::array path{tier, network.add_link(state.range(2) == 1 ? per_class : 2.0 * per_class)};
    ids.push_back(network.add_class(path, state.range(2) == 2 ? 1.0 : FlowNetwork::kUnlimited));
  }
  for (std::int64_t i = 0; i < flows; ++i)
    sim.spawn(flow_for_ever(sim, network, ids[static_cast<std::size_t>(i % classes)], static_cast<std::uint64_t>(i)));
  sim.run(to_ns(0.5));
  const SimTime from = sim.now();
  const double moved = network.moved(tier);
  for (auto _ : state) sim.run(after(sim.now(), to_ns(1e4 / n)));
  const double flows_done = network.moved(tier) - moved;  // mean amount 1
  state.counters["rate_per_flow"] = flows_done / (n * to_seconds(sim.now() - from));
  state.SetItemsProcessed(static_cast<std::int64_t>(flows_done));
}
BENCHMARK(BM_Flows)
    ->Args({100, 1, 0})
    ->Args({4096, 64, 0})
    ->Args({4096, 64, 1})
    ->Args({4096, 64, 2})
    ->Args({100'000, 1000, 0})
    ->Args({100'000, 1000, 1})
    ->Args({100'000, 1000, 2})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stallcast::benchmarks
