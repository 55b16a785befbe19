// M/M/1 as two processes: one makes customers, one serves them in order. Two holds per customer.
#pragma once

#include <cstdint>

#include "core/engine/mailbox.h"
#include "core/engine/random_stream.h"
#include "core/engine/simulator.h"

namespace stallcast::benchmarks {

// **Model** arrivals at rate 0.75/s, service at 1/s: the mean sojourn is 1 / (1 - 0.75) = 4 s.
struct Mm1 {
  static constexpr double kMeanGapS = 1.0 / 0.75;
  static constexpr double kMeanServiceS = 1.0;

  Simulator sim;
  Mailbox<SimTime> waiting{sim};
  double sojourn_s = 0.0;
  std::int64_t served = 0;

  double mean_sojourn_s() const { return sojourn_s / static_cast<double>(served); }
};

inline Process arrive(Simulator& sim, Mm1& queue, std::int64_t customers) {
  RandomStream draw(1, DrawPurpose::kTest, 1);
  for (std::int64_t i = 0; i < customers; ++i) {
    co_await sim.delay(to_ns(draw.exponential(Mm1::kMeanGapS)));
    queue.waiting.put(sim.now());
  }
}

inline Process serve(Simulator& sim, Mm1& queue) {
  RandomStream draw(1, DrawPurpose::kTest, 2);
  for (;;) {
    const SimTime came = co_await queue.waiting.get();
    co_await sim.delay(to_ns(draw.exponential(Mm1::kMeanServiceS)));
    queue.sojourn_s += to_seconds(sim.now() - came);
    ++queue.served;
  }
}

inline void run_mm1(Mm1& queue, std::int64_t customers) {
  queue.sim.spawn(arrive(queue.sim, queue, customers));
  queue.sim.spawn(serve(queue.sim, queue));
  queue.sim.run();
}

}  // namespace stallcast::benchmarks
