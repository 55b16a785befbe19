// A run's epochs in order, kind by kind, with what changes while they last: credit for bursts, a copy under way.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result/run_result.h"
#include "core/result/trace.h"
#include "core/run/regimes.h"
#include "core/run/simulate.h"
#include "core/run/stretch.h"
#include "core/scenario/scenario.h"

namespace stallcast {

class EpochWalk {
 public:
  EpochWalk(const Scenario& s, std::uint64_t seed, const RunOptions& options, Trace* trace);

  // False when nothing could be simulated; result() then is what there is.
  bool pass(Regime regime);

  RunResult result() const;

 private:
  bool simulate_part(const Scenario& scenario, const Regime& regime);
  bool copy_during(Regime& regime);
  bool spend_credit_in(Regime& regime);

  const Scenario& s_;
  Scenario steady_;
  std::uint64_t seed_;
  const RunOptions& options_;
  Trace* trace_;
  double credit_;
  double copied_ = 1.0;
  double copy_s_ = 0.0;
  std::vector<Regime> regimes_;
  std::vector<Stretch> parts_;
};

}  // namespace stallcast
