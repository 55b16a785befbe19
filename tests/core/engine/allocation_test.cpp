// In steady state the engine allocates nothing: every operator new of this program is counted.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <new>

#include "core/engine/barrier.h"
#include "core/engine/core_pool.h"
#include "core/engine/flow_network.h"
#include "core/engine/mailbox.h"
#include "core/engine/random_stream.h"
#include "core/engine/simulator.h"

namespace {
std::size_t allocations = 0;
}

#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // g++ 12 at -O1 takes the two below for no pair
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace stallcast {
namespace {

struct Shared {
  Simulator sim;
  FlowNetwork network{sim};
  std::array<FlowNetwork::ClassId, 4> classes{};
  CorePool cores{sim, 3.0};
  Barrier barrier{sim, 16};
  Mailbox<int> box{sim};
};

Task<void> read(Simulator& sim, Shared& shared, std::uint64_t who, double amount) {
  co_await sim.delay(SimTime{1000});
  co_await shared.network.transfer(shared.classes[who % 4], amount);
}

Process child(Simulator& sim, Shared& shared) {
  co_await sim.delay(SimTime{10});
  shared.box.put(1);
}

Process worker(Simulator& sim, Shared& shared, std::uint64_t who) {
  RandomStream draw(1, DrawPurpose::kTest, who);
  CorePool::LastCore core;
  for (;;) {
    co_await read(sim, shared, who, draw.exponential(1.0));
    co_await shared.cores.run(draw.exponential(1.0), core);
    sim.spawn(child(sim, shared));
    co_await shared.box.get();
    co_await shared.barrier.arrive();
  }
}

TEST(Engine, AllocatesNothingInSteadyState) {
  if (FrameArena::kOneByOne) GTEST_SKIP() << "every frame is an allocation of its own";
  Shared shared;
  const auto tier = shared.network.add_link(5.0);
  for (auto& cls : shared.classes) {
    const std::array path{tier, shared.network.add_link(2.0)};
    cls = shared.network.add_class(path, 1.5);
  }
  for (std::uint64_t who = 0; who < 16; ++who) shared.sim.spawn(worker(shared.sim, shared, who));
  shared.sim.run(to_ns(2'000.0));
  const std::size_t before = allocations;
  const std::uint64_t events = shared.sim.events();
  shared.sim.run(to_ns(20'000.0));
  EXPECT_EQ(allocations, before);
  EXPECT_GT(shared.sim.events() - events, 100'000u);
}

}  // namespace
}  // namespace stallcast
