// The nodes of a large job that are not simulated, as a barrier sees them: when the slowest of them is there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/engine/random_stream.h"
#include "core/model/earlier_clocks.h"

namespace stallcast {

// **Model** Nodes are exchangeable, so the simulated ones say how late others are. What they would do if they did not
// wait for absent ones is known: their clock would be ahead of the run's (earlier_clocks.h).
//
// *Leaving out.* Had some of the simulated nodes not been there either, that clock would be ahead once more. The absent
// nodes put the run behind it as much again, where they are as large a part of all nodes, times what a doubling of the
// nodes costs over what the one before it did. That holds whatever makes nodes late, together or each for itself.
//
// *Excess.* Of more absent nodes than simulated ones, each of which is late for itself: what a node's step takes is
// what the step brings all nodes, and an excess of its own, which is drawn from one distribution. That is learnt from
// the simulated nodes over the latest half of the steps so far of this kind of epoch that had about as long before
// them: where nodes load ahead, hardly any is late after long steps, in which all have filled their queues. How much of
// the simulated nodes' mean is the step's doing is the shrinkage of one-way analysis of variance: none of it where
// nodes are independent. The slowest of n absent nodes has the excess's quantile at U^(1/n): the empirical one, and
// beyond the kFewestBeyond largest that were seen, that of a generalised Pareto tail fitted to the largest tenth with
// probability-weighted moments. As far as it is late for its batch, what all have just waited for others counts.
//
// Excesses say nothing where it is the step that says how far nodes are apart: workers that start together bring all
// nodes their batches in the same few steps, between which nobody is late. There, and as long as few steps are known,
// half of the nodes are left out, and each doubling beyond the first brings no more than the one before it.
// **Source** Pickands 1975, Annals of Statistics 3(1); Hosking & Wallis 1987, Technometrics 29(3); Searle, Casella &
// McCulloch, Variance Components, 1992, 3. The growth beyond what is simulated is extrapolated.
// **Checked by** SlowestOf and FastPath tests
class AbsentNodes {
 public:
  AbsentNodes(std::int64_t absent, std::int64_t ranks_per_node, const RandomStream& stream)
      : absent_(absent), ranks_per_node_(static_cast<std::size_t>(ranks_per_node)), stream_(stream) {}

  // How much later than the slowest of the simulated ranks the slowest absent one is there, 0 when it is not.
  // `ranks`: node by node. `before_s`: how long the steps took in which nodes loaded ahead for this one; the same for
  // all where they do not load ahead. `spare_s`: for how long the storage could have served more since the steps of
  // this kind began.
  // **Units** seconds
  double wait_after(std::span<const RankAtBarrier> ranks, double before_s, double spare_s);

  // Whether nodes that are left out told the latest wait.
  bool left_out() const { return left_out_; }

  // Steps from now on are of another kind: what was learnt from those before does not hold for them.
  void start_over();

 private:
  static constexpr std::size_t kMostSteps = 2048;
  static constexpr std::size_t kFewestBeyond = 5;
  static constexpr std::size_t kFewestLeftOutOf = 4;

  // What was learnt of steps that are alike.
  struct Law {
    double before_s = 0.0;       // of the steps that it was learnt from, at the most
    double mean = 0.0;           // of all nodes' steps
    double share_of_step = 1.0;  // how far a step's mean counts
    std::vector<double> excess;  // sorted
    std::size_t exceeding = 0;   // of excess, above the threshold
    double threshold = 0.0, scale = 0.0, shape = 0.0;
    bool step_says_spread = true;  // the excess says nothing

    double expected(double step_mean) const { return mean + share_of_step * (step_mean - mean); }
    double quantile_above(double p) const;
    void fit_tail();
  };

  double leave_out(double spare_s);
  double times_left_out() const;
  double drawn(const Law& law);
  void learn(double before_s);
  void fit();
  Law law_of(std::span<const std::size_t> places);
  bool step_says_spread(std::span<const std::size_t> places) const;
  const Law* law_after(double before_s) const;
  std::span<const double> times_at(std::size_t place) const;

  std::int64_t absent_;
  std::size_t ranks_per_node_;
  RandomStream stream_;
  Lead lead_;                              // of the simulated nodes' own clock over the run's
  double wanted_s_ = 0.0;                  // of that lead
  std::optional<EarlierClocks> fewer_;     // without as large a part of the nodes as is absent, or half of them
  std::optional<EarlierClocks> fewest_;    // without as large a part of those, too
  std::vector<RankAtBarrier> alone_;       // the step's ranks by their own clock
  std::vector<double> node_s_;             // likewise, when the last of a node is there
  double late_s_ = 0.0, unready_s_ = 0.0;  // of the slowest nodes: later than the mean, and that for their batches
  double overlap_s_ = 0.0;      // what the step's slowest of them had waited for absent nodes while its batch was made
  std::size_t nodes_ = 0;       // that are simulated
  std::vector<double> times_;   // of the latest steps, nodes_ each; a ring of kMostSteps
  std::vector<double> before_;  // likewise, one each
  std::size_t steps_ = 0, fitted_at_ = 0;
  std::vector<Law> laws_;  // by what was before
  bool left_out_ = false;
};

}  // namespace stallcast
