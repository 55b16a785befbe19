// What the machine allows: the bare heap, the draw of a random number, copies in memory and reads at random places.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/engine/event_queue.h"
#include "core/engine/random_stream.h"

namespace stallcast::benchmarks {
namespace {

// xorshift64 (Marsaglia 2003): the draw must not cost more than the queue.
class CheapRandom {
 public:
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

 private:
  std::uint64_t state_ = 88172645463325252ULL;
};

// ------------------------------------- hold model of a bare queue: pop, push later, beside `far` events that never
// come

template <class Queue>
void hold_queue(benchmark::State& state, std::int64_t far) {
  Queue queue;
  CheapRandom random;
  std::uint64_t order = 0;
  std::int64_t too_early = 0;
  const auto later = [&random] { return static_cast<SimTime>(random.next() >> 40); };
  for (std::int64_t i = 0; i < far; ++i) queue.push({kNever, order++, nullptr});
  for (std::int64_t i = 0; i < state.range(0); ++i) queue.push({later(), order++, nullptr});
  SimTime now = 0;
  for (auto _ : state) {
    const Event event = queue.pop();
    too_early += static_cast<std::int64_t>(event.time < now);
    now = event.time;
    queue.push({now + later(), order++, event.process});
  }
  state.counters["too_early"] = static_cast<double>(too_early);
  state.SetItemsProcessed(state.iterations());
}
void BM_EventQueueHold(benchmark::State& state) { hold_queue<EventQueue>(state, 0); }
void BM_HeapHold(benchmark::State& state) { hold_queue<QuadHeap<Event>>(state, 0); }
// As in a loader: a few waits for the disk before many trainers' steps.
void BM_EventQueueFewNear(benchmark::State& state) { hold_queue<EventQueue>(state, 512); }
void BM_HeapFewNear(benchmark::State& state) { hold_queue<QuadHeap<Event>>(state, 512); }
BENCHMARK(BM_EventQueueHold)->RangeMultiplier(10)->Range(100, 1'000'000);
BENCHMARK(BM_HeapHold)->RangeMultiplier(10)->Range(100, 1'000'000);
BENCHMARK(BM_EventQueueFewNear)->RangeMultiplier(2)->Range(2, 64);
BENCHMARK(BM_HeapFewNear)->RangeMultiplier(2)->Range(2, 64);

// -------------------------------------------------------------------------------------------------------- random draws

void BM_ExponentialDraw(benchmark::State& state) {
  RandomStream draw(1, DrawPurpose::kTest, 1);
  double sum = 0.0;
  for (auto _ : state) sum += static_cast<double>(to_ns(draw.exponential(1.0)));
  state.counters["mean"] = sum * 1e-9 / static_cast<double>(state.iterations());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_ExponentialDraw);

// -------------------------------------------------- memory, on arrays far larger than a cache (McCalpin's STREAM,
// 1995)

constexpr std::size_t kDoubles = std::size_t{1} << 24;  // 128 MiB an array

void BM_Copy(benchmark::State& state) {
  const std::vector<double> from(kDoubles, 1.0);
  std::vector<double> to(kDoubles, 0.0);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kDoubles; ++i) to[i] = from[i];
    benchmark::ClobberMemory();
  }
  state.counters["last"] = to.back();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(2 * sizeof(double) * kDoubles));
}
void BM_Triad(benchmark::State& state) {
  const std::vector<double> left(kDoubles, 1.0), right(kDoubles, 2.0);
  std::vector<double> to(kDoubles, 0.0);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kDoubles; ++i) to[i] = left[i] + 3.0 * right[i];
    benchmark::ClobberMemory();
  }
  state.counters["last"] = to.back();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(3 * sizeof(double) * kDoubles));
}
BENCHMARK(BM_Copy)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Triad)->Unit(benchmark::kMillisecond);

// Each read says where the next one is: one ring through all places, in random order (Sattolo 1986).
void BM_DependentReads(benchmark::State& state) {
  const auto places = static_cast<std::size_t>(state.range(0)) / sizeof(std::uint64_t);
  std::vector<std::uint64_t> next(places);
  std::iota(next.begin(), next.end(), 0);
  CheapRandom random;
  for (std::size_t i = places; i-- > 1;) std::swap(next[i], next[random.next() % i]);
  std::uint64_t at = 0;
  for (auto _ : state) benchmark::DoNotOptimize(at = next[at]);
  std::size_t length = 1;
  for (std::uint64_t place = next[0]; place != 0; place = next[place]) ++length;
  state.counters["ring_share"] = static_cast<double>(length) / static_cast<double>(places);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_DependentReads)->Arg(24'000'000);  // bytes: a million events of the hold model

}  // namespace
}  // namespace stallcast::benchmarks
