// Bandwidth sharing in SimGrid: each of n flows ends and starts anew, in classes behind one tier, each class with a
// link of its own. Arguments: flows, classes, flows to end in all.
//
// The tier gives each flow a rate of 1 in the mean, and amounts are exponential of mean 1. Each flow is an actor that
// sends to the host of its class.
#include <cstdint>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "peer_report.h"

namespace sg = simgrid::s4u;

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  // Plain max-min sharing: no latency, no factor of a protocol.
  for (const char* setting :
       {"network/model:CM02", "network/TCP-gamma:0", "network/bandwidth-factor:1", "network/latency-factor:0",
        "network/crosstraffic:0", "contexts/stack-size:64", "contexts/guard-size:0"})
    sg::Engine::set_config(setting);
  const std::int64_t flows = stallcast::peers::argument(argc, argv, 1);
  const std::int64_t classes = stallcast::peers::argument(argc, argv, 2);
  const std::int64_t to_end = stallcast::peers::argument(argc, argv, 3);
  // Amounts in bytes are whole numbers in SimGrid: a unit is a million of them.
  constexpr double kUnit = 1e6;
  const double capacity = static_cast<double>(flows) * kUnit;

  sg::NetZone* zone = sg::create_full_zone("zone");
  sg::Host* tier = zone->create_host("tier", 1.0);
  const sg::Link* shared = zone->create_link("shared", capacity);
  std::vector<sg::Host*> hosts;
  for (std::int64_t c = 0; c < classes; ++c) {
    const std::string name = std::to_string(c);
    sg::Host* host = hosts.emplace_back(zone->create_host("host" + name, 1.0));
    const sg::Link* own = zone->create_link("link" + name, 2.0 * capacity / static_cast<double>(classes));
    zone->add_route(tier->get_netpoint(), host->get_netpoint(), nullptr, nullptr,
                    {sg::LinkInRoute(shared), sg::LinkInRoute(own)}, false);
  }
  zone->seal();

  std::mt19937_64 random(1);
  std::exponential_distribution<double> amount(1.0);
  std::int64_t ended = 0;
  for (std::int64_t i = 0; i < flows; ++i)
    sg::Actor::create("flow", tier, [&, host = hosts[static_cast<std::size_t>(i % classes)]] {
      for (;;) {
        sg::Comm::sendto(tier, host, static_cast<std::uint64_t>(kUnit * amount(random)));
        ++ended;
      }
    })->daemonize();
  const double simulated_s = static_cast<double>(to_end) / static_cast<double>(flows);
  sg::Actor::create("end", tier, [&] { sg::this_actor::sleep_for(simulated_s); });
  const stallcast::peers::Stopwatch watch;
  engine.run();
  // The check: what a flow moved per simulated second.
  stallcast::peers::print_measurement(ended, watch.elapsed_s(),
                                      static_cast<double>(ended) / static_cast<double>(to_end));
  return 0;
}
