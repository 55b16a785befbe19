// M/M/1 in SystemC: one thread makes customers, one serves them in order. Arguments: customers.
#include <cstdint>
#include <deque>
#include <random>
#include <systemc>

#include "peer_report.h"

namespace {

constexpr double kTicksPerUnit = 1e9;  // nanoseconds; sc_main sets that resolution

class Queue : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Queue);
  Queue(const sc_core::sc_module_name& name, std::int64_t customers) : sc_module(name), customers_(customers) {
    SC_THREAD(arrive);
    SC_THREAD(serve);
  }

  double total_s() const { return total_ticks_ / kTicksPerUnit; }

 private:
  void hold(double units) { wait(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(units * kTicksPerUnit))); }

  void arrive() {
    std::exponential_distribution<double> gap(stallcast::peers::kArrivalRate);
    for (std::int64_t i = 0; i < customers_; ++i) {
      hold(gap(random_));
      waiting_.push_back(sc_core::sc_time_stamp().value());
      arrived_.notify();
    }
  }

  void serve() {
    std::exponential_distribution<double> service(stallcast::peers::kServiceRate);
    for (std::int64_t i = 0; i < customers_; ++i) {
      while (waiting_.empty()) wait(arrived_);
      hold(service(random_));
      total_ticks_ += static_cast<double>(sc_core::sc_time_stamp().value() - waiting_.front());
      waiting_.pop_front();
    }
  }

  std::int64_t customers_;
  std::deque<sc_dt::uint64> waiting_;  // arrival times, the one in service first
  sc_core::sc_event arrived_;
  std::mt19937_64 random_{1};
  double total_ticks_ = 0.0;
};

}  // namespace

int sc_main(int argc, char** argv) {
  const std::int64_t customers = stallcast::peers::argument(argc, argv, 1);
  sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
  Queue queue("queue", customers);
  const stallcast::peers::Stopwatch watch;
  sc_core::sc_start();
  stallcast::peers::print_mm1(customers, watch.elapsed_s(), queue.total_s());
  return 0;
}
