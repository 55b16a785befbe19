// The processor cores of a node, shared by everything that computes on them.
//
// **Model** processor sharing: n runnable processes on c cores each run at rate min(1, c / n).
// **Units** work in core-seconds. **Source** Kleinrock, Queueing Systems vol. 2, 4.4 (processor sharing).
#pragma once

#include <array>

#include "core/engine/flow_network.h"

namespace stallcast {

class CorePool {
 public:
  CorePool(Simulator& sim, double cores) : network_(sim), link_(network_.add_link(cores)), cores_(cores) {
    const std::array path{link_};
    class_ = network_.add_class(path, 1.0);
  }

  // co_await run(s): the process computes for `s` core-seconds, longer by the clock when cores are short.
  auto run(double core_seconds) { return network_.transfer(class_, core_seconds); }

  double cores() const { return cores_; }
  double busy_core_seconds() const { return network_.moved(link_); }
  std::int64_t runnable() const { return network_.flows(class_); }

 private:
  FlowNetwork network_;
  FlowNetwork::LinkId link_;
  FlowNetwork::ClassId class_{};
  double cores_;
};

}  // namespace stallcast
