// M/M/1 in SimGrid: one actor makes customers, one serves them in order. Arguments: customers.
#include <cstdint>
#include <deque>
#include <random>
#include <simgrid/s4u.hpp>

#include "peer_report.h"

namespace sg = simgrid::s4u;

namespace {

struct Queue {
  std::deque<double> waiting;  // arrival times
  sg::SemaphorePtr arrived = sg::Semaphore::create(0);
  std::mt19937_64 random{1};
  double total = 0.0;
};

void arrive(Queue& queue, std::int64_t customers) {
  std::exponential_distribution<double> gap(stallcast::peers::kArrivalRate);
  for (std::int64_t i = 0; i < customers; ++i) {
    sg::this_actor::sleep_for(gap(queue.random));
    queue.waiting.push_back(sg::Engine::get_clock());
    queue.arrived->release();
  }
}

void serve(Queue& queue, std::int64_t customers) {
  std::exponential_distribution<double> service(stallcast::peers::kServiceRate);
  for (std::int64_t i = 0; i < customers; ++i) {
    queue.arrived->acquire();
    sg::this_actor::sleep_for(service(queue.random));
    queue.total += sg::Engine::get_clock() - queue.waiting.front();
    queue.waiting.pop_front();
  }
}

}  // namespace

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  const std::int64_t customers = stallcast::peers::argument(argc, argv, 1);
  sg::NetZone* zone = sg::create_full_zone("zone");
  sg::Host* host = zone->create_host("host", 1.0);
  zone->seal();

  Queue queue;
  sg::Actor::create("arrive", host, [&] { arrive(queue, customers); });
  sg::Actor::create("serve", host, [&] { serve(queue, customers); });
  const stallcast::peers::Stopwatch watch;
  engine.run();
  stallcast::peers::print_mm1(customers, watch.elapsed_s(), queue.total);
  return 0;
}
