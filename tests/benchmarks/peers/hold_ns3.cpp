// Hold model in ns-3: events that schedule themselves again and again. Arguments: events, holds in all.
#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include <cstdint>
#include <random>

#include "peer_report.h"

namespace {

class Holder {
 public:
  void wait() { ns3::Simulator::Schedule(ns3::Time::From(wait_(random_), ns3::Time::S), &Holder::fire, this); }
  std::int64_t fired() const { return fired_; }

 private:
  void fire() {
    ++fired_;
    wait();
  }
  std::mt19937_64 random_{1};
  std::exponential_distribution<double> wait_{1.0};
  std::int64_t fired_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const stallcast::peers::HoldModel model(argc, argv);
  Holder holder;
  for (std::int64_t i = 0; i < model.pending; ++i) holder.wait();
  ns3::Simulator::Stop(ns3::Seconds(model.simulated_s()));
  const stallcast::peers::Stopwatch watch;
  ns3::Simulator::Run();
  model.print(holder.fired(), watch.elapsed_s());
  ns3::Simulator::Destroy();
  return 0;
}
