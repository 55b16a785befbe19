// M/M/1 in SimGrid: one actor makes customers, one serves them in order. Arguments: customers, arrival rate.
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <random>
#include <simgrid/s4u.hpp>

#include "peer_report.h"

namespace sg = simgrid::s4u;

namespace {

constexpr double kServiceRate = 1.0;

struct Queue {
  std::deque<double> waiting;  // arrival times
  sg::SemaphorePtr arrived = sg::Semaphore::create(0);
  std::mt19937_64 random{1};
  double total = 0.0;
};

void arrive(Queue& queue, std::int64_t customers, double arrival_rate) {
  std::exponential_distribution<double> gap(arrival_rate);
  for (std::int64_t i = 0; i < customers; ++i) {
    sg::this_actor::sleep_for(gap(queue.random));
    queue.waiting.push_back(sg::Engine::get_clock());
    queue.arrived->release();
  }
}

void serve(Queue& queue, std::int64_t customers) {
  std::exponential_distribution<double> service(kServiceRate);
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
  const std::int64_t customers = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const double arrival_rate = argc > 2 ? std::atof(argv[2]) : 0.75;
  sg::NetZone* zone = sg::create_full_zone("zone");
  sg::Host* host = zone->create_host("host", 1.0);
  zone->seal();

  Queue queue;
  sg::Actor::create("arrive", host, [&] { arrive(queue, customers, arrival_rate); });
  sg::Actor::create("serve", host, [&] { serve(queue, customers); });
  const stallcast::peers::Stopwatch watch;
  engine.run();
  stallcast::peers::print_measurement({.engine = "SimGrid",
                                       .model = "mm1",
                                       .item = "events",
                                       .items = 2.0 * static_cast<double>(customers),
                                       .wall_s = watch.elapsed_s(),
                                       .check_name = "mean_sojourn",
                                       .check = queue.total / static_cast<double>(customers)});
  return 0;
}
