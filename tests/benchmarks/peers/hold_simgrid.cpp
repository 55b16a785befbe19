// Hold model in SimGrid: actors that sleep, again and again. Arguments: actors, holds in all.
#include <cstdint>
#include <cstdlib>
#include <random>
#include <simgrid/s4u.hpp>

#include "peer_report.h"

namespace sg = simgrid::s4u;

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  sg::Engine::set_config("contexts/stack-size:64");  // KiB; the default is 8 MiB an actor
  sg::Engine::set_config("contexts/guard-size:0");   // a guard page each is more than Linux lets a process map
  const stallcast::peers::HoldModel model(argc, argv);
  sg::NetZone* zone = sg::create_full_zone("zone");
  sg::Host* host = zone->create_host("host", 1.0);
  zone->seal();

  std::mt19937_64 random(1);
  std::exponential_distribution<double> wait(1.0);
  std::int64_t holds = 0;
  for (std::int64_t i = 0; i < model.pending; ++i)
    sg::Actor::create("hold", host, [&] {
      for (;;) {
        sg::this_actor::sleep_for(wait(random));
        ++holds;
      }
    })->daemonize();
  sg::Actor::create("end", host, [&] { sg::this_actor::sleep_for(model.simulated_s()); });
  const stallcast::peers::Stopwatch watch;
  engine.run();
  model.print(holds, watch.elapsed_s());
  return 0;
}
