// How fast priority queues are on what real models ask of them: stallcast_queue_benchmark STREAM.events...
//
// Every queue replays every stream from empty. Pairs of time and scheduling order are all different, so that each takes
// events out in one and the same order, which is checked.
#include <benchmark/benchmark.h>

#include <boost/heap/pairing_heap.hpp>
#include <boost/pool/pool_alloc.hpp>
#include <cstdint>
#include <filesystem>
#include <queue>
#include <string>
#include <vector>

#include "core/engine/event_queue.h"
#include "tests/benchmarks/calendar_queue.h"
#include "tests/benchmarks/event_stream.h"

namespace stallcast::benchmarks {
namespace {

struct Later {
  bool operator()(const Event& a, const Event& b) const { return b.before(a); }
};

// A heap that knows top() and pop() apart.
template <class Heap>
class PopsFirst {
 public:
  void push(const Event& event) { heap_.push(event); }
  Event pop() {
    const Event first = heap_.top();
    heap_.pop();
    return first;
  }

 private:
  Heap heap_;
};
using BinaryHeap = PopsFirst<std::priority_queue<Event, std::vector<Event>, Later>>;
// Nodes from a pool without locks: the system's allocator would take most of the time.
using NodePool =
    boost::fast_pool_allocator<Event, boost::default_user_allocator_new_delete, boost::details::pool::null_mutex>;
using PairingHeap =
    PopsFirst<boost::heap::pairing_heap<Event, boost::heap::compare<Later>, boost::heap::allocator<NodePool>>>;

// A number that tells orders of events apart. **Source** FNV-1a, by words instead of bytes.
class OrderHash {
 public:
  void add(const Event& event) { hash_ = (hash_ ^ event.order) * 0x100000001b3ULL; }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

template <class Queue>
std::uint64_t replay(const EventStream& stream) {
  Queue queue;
  OrderHash hash;
  std::uint64_t order = 0;
  for (const SimTime operation : stream) {
    if (operation == kPopped) {
      hash.add(queue.pop());
    } else {
      queue.push({operation, order++, nullptr});
    }
  }
  return hash.value();
}

double mean_pending(const EventStream& stream) {
  double sum = 0.0;
  std::int64_t pending = 0;
  for (const SimTime operation : stream) {
    pending += operation == kPopped ? -1 : 1;
    sum += static_cast<double>(pending);
  }
  return sum / static_cast<double>(stream.size());
}

template <class Queue>
void add_benchmark(const std::string& name, const EventStream& stream) {
  benchmark::RegisterBenchmark(name.c_str(), [&stream](benchmark::State& state) {
    const std::uint64_t expected = replay<BinaryHeap>(stream);
    std::int64_t wrong = 0, popped = 0;
    for (const SimTime operation : stream) popped += static_cast<std::int64_t>(operation == kPopped);
    for (auto _ : state) wrong += static_cast<std::int64_t>(replay<Queue>(stream) != expected);
    state.counters["wrong_orders"] = static_cast<double>(wrong);
    state.counters["mean_pending"] = mean_pending(stream);
    state.SetItemsProcessed(state.iterations() * popped);
  });
}

void add_benchmarks(const std::string& model, const EventStream& stream) {
  add_benchmark<EventQueue>(model + "/stallcast", stream);
  add_benchmark<QuadHeap<Event>>(model + "/4-ary heap", stream);
  add_benchmark<BinaryHeap>(model + "/binary heap", stream);
  add_benchmark<PairingHeap>(model + "/pairing heap", stream);
  add_benchmark<CalendarQueue>(model + "/calendar queue", stream);
}

}  // namespace
}  // namespace stallcast::benchmarks

int main(int argc, char** argv) {
  using namespace stallcast::benchmarks;
  benchmark::Initialize(&argc, argv);
  std::vector<EventStream> streams;
  streams.reserve(static_cast<std::size_t>(argc));  // they stay where they are
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path path = argv[i];
    add_benchmarks(path.stem().string(), streams.emplace_back(read_stream(path)));
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
