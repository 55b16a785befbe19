// M/M/1 in SystemC: one thread makes customers, one serves them in order. Arguments: customers, arrival rate.
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <random>
#include <systemc>

#include "peer_report.h"

namespace {

constexpr double kServiceRate = 1.0;
constexpr double kTicksPerUnit = 1e9;  // nanoseconds; sc_main sets that resolution

class Queue : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Queue);
  Queue(const sc_core::sc_module_name& name, std::int64_t customers, double arrival_rate)
      : sc_module(name), customers_(customers), arrival_rate_(arrival_rate) {
    SC_THREAD(arrive);
    SC_THREAD(serve);
  }

  double mean_time_in_system() const { return total_ticks_ / kTicksPerUnit / static_cast<double>(customers_); }

 private:
  void hold(double units) { wait(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(units * kTicksPerUnit))); }

  void arrive() {
    std::exponential_distribution<double> gap(arrival_rate_);
    for (std::int64_t i = 0; i < customers_; ++i) {
      hold(gap(random_));
      waiting_.push_back(sc_core::sc_time_stamp().value());
      arrived_.notify();
    }
  }

  void serve() {
    std::exponential_distribution<double> service(kServiceRate);
    for (std::int64_t i = 0; i < customers_; ++i) {
      while (waiting_.empty()) wait(arrived_);
      hold(service(random_));
      total_ticks_ += static_cast<double>(sc_core::sc_time_stamp().value() - waiting_.front());
      waiting_.pop_front();
    }
  }

  std::int64_t customers_;
  double arrival_rate_;
  std::deque<sc_dt::uint64> waiting_;  // arrival times, the one in service first
  sc_core::sc_event arrived_;
  std::mt19937_64 random_{1};
  double total_ticks_ = 0.0;
};

}  // namespace

int sc_main(int argc, char** argv) {
  const std::int64_t customers = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const double arrival_rate = argc > 2 ? std::atof(argv[2]) : 0.75;
  sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
  Queue queue("queue", customers, arrival_rate);
  const stallcast::peers::Stopwatch watch;
  sc_core::sc_start();
  stallcast::peers::print_measurement({.engine = "SystemC",
                                       .model = "mm1",
                                       .item = "events",
                                       .items = 2.0 * static_cast<double>(customers),
                                       .wall_s = watch.elapsed_s(),
                                       .check_name = "mean_sojourn",
                                       .check = queue.mean_time_in_system()});
  return 0;
}
