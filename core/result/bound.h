// What no arrangement of the same parts can beat: the roofline that stands beside a simulated value.
#pragma once

#include <string>
#include <vector>

namespace stallcast {

// `gpu_utilization` <= 1 is the compute time over the step time if every resource were always busy when it can be.
struct Bound {
  double gpu_utilization = 1.0;
  double samples_per_s = 0.0;               // of all ranks
  std::string binding_resource = "gpu";     // the first of `tied`
  std::vector<std::string> tied = {"gpu"};  // every resource that some minimum cut contains
};

}  // namespace stallcast
