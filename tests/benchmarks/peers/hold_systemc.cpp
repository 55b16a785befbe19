// Hold model in SystemC: methods that trigger themselves again and again. Arguments: methods, holds in all.
#include <cstdint>
#include <memory>
#include <random>
#include <systemc>
#include <vector>

#include "peer_report.h"

namespace {

constexpr double kTicksPerUnit = 1e9;  // nanoseconds; sc_main sets that resolution

sc_core::sc_time ticks(double units) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(units * kTicksPerUnit));
}

struct Shared {
  std::mt19937_64 random{1};
  std::exponential_distribution<double> wait{1.0};
  std::int64_t fired = 0;
};

class Holder : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Holder);
  Holder(const sc_core::sc_module_name& name, Shared& shared) : sc_module(name), shared_(shared) { SC_METHOD(fire); }

 private:
  void fire() {
    ++shared_.fired;
    next_trigger(ticks(shared_.wait(shared_.random)));
  }
  Shared& shared_;
};

}  // namespace

int sc_main(int argc, char** argv) {
  const stallcast::peers::HoldModel model(argc, argv);
  sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
  Shared shared;
  std::vector<std::unique_ptr<Holder>> holders;
  for (std::int64_t i = 0; i < model.pending; ++i)
    holders.push_back(std::make_unique<Holder>(sc_core::sc_module_name(sc_core::sc_gen_unique_name("hold")), shared));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // every method runs once at the start
  shared.fired = 0;
  const stallcast::peers::Stopwatch watch;
  sc_core::sc_start(ticks(model.simulated_s()));
  model.print(shared.fired, watch.elapsed_s());
  return 0;
}
