// M/M/1 in ns-3: an arrival and an end of service are events. Arguments: customers.
#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <random>

#include "peer_report.h"

namespace {

class Queue {
 public:
  explicit Queue(std::int64_t customers) : to_come_(customers) {}
  double total_s() const { return total_s_; }
  void wait_for_arrival() { after(gap_(random_), &Queue::arrive); }

 private:
  void after(double seconds, void (Queue::*what)()) {
    ns3::Simulator::Schedule(ns3::Time::From(seconds, ns3::Time::S), what, this);
  }
  void arrive() {
    waiting_.push_back(ns3::Simulator::Now());
    if (waiting_.size() == 1) after(service_(random_), &Queue::end_service);
    if (--to_come_ > 0) wait_for_arrival();
  }
  void end_service() {
    total_s_ += (ns3::Simulator::Now() - waiting_.front()).GetSeconds();
    waiting_.pop_front();
    if (!waiting_.empty()) after(service_(random_), &Queue::end_service);
  }

  std::int64_t to_come_;
  std::deque<ns3::Time> waiting_;  // arrival times, the one in service first
  std::mt19937_64 random_{1};
  std::exponential_distribution<double> gap_{stallcast::peers::kArrivalRate}, service_{stallcast::peers::kServiceRate};
  double total_s_ = 0.0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t customers = stallcast::peers::argument(argc, argv, 1);
  Queue queue(customers);
  queue.wait_for_arrival();
  const stallcast::peers::Stopwatch watch;
  ns3::Simulator::Run();
  stallcast::peers::print_mm1(customers, watch.elapsed_s(), queue.total_s());
  ns3::Simulator::Destroy();
  return 0;
}
