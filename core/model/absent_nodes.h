// The nodes of a large job that are not simulated, as a barrier sees them: when the slowest of them is there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engine/random_stream.h"

namespace stallcast {

// **Model** Nodes are exchangeable: what a node's step takes beyond the mean of its step is drawn from one
// distribution, learnt from the simulated nodes over the steps so far (the latest kMost of them). The slowest of n
// absent nodes is that distribution's quantile at U^(1/n); beyond the largest tenth of what was seen, by a generalised
// Pareto tail fitted with probability-weighted moments.
// **Source** Pickands 1975, Annals of Statistics 3(1); Hosking & Wallis 1987, Technometrics 29(3)
// **Checked by** AbsentNodes tests against maxima of exponential, uniform and constant times
class AbsentNodes {
 public:
  AbsentNodes(std::int64_t absent, const RandomStream& stream) : absent_(absent), stream_(stream) {}

  // How much later than the slowest of the simulated nodes the slowest absent one is there, 0 when it is not.
  // **Shape** one time per simulated node, of one step. **Units** seconds
  double wait_after(std::span<const double> node_s);

 private:
  static constexpr std::size_t kMost = 16384;

  void fit();
  double quantile_above(double p) const;

  std::int64_t absent_;
  RandomStream stream_;
  std::vector<double> excess_;  // of nodes over the mean of their step; a ring once it is full
  std::size_t next_ = 0;
  std::size_t seen_ = 0, fitted_at_ = 0;
  std::vector<double> sorted_;
  std::size_t exceeding_ = 0;  // of sorted_, above the threshold
  double threshold_ = 0.0, scale_ = 0.0, shape_ = 0.0;
};

}  // namespace stallcast
