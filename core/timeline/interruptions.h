// When something interrupts a run: five clocks that know nothing of what the run is doing.
#pragma once

#include <array>
#include <cstdint>

#include "core/engine/random_stream.h"
#include "core/result/timeline_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// Mean time between failures of nodes that interrupt the job, 0 = there are none.
// **Model** failures.mtti where it is given; else 1000 days / (per_1000_node_days * nodes): nodes fail independently
double failure_mtti_s(const Scenario& scenario);

// Between interruptions of any kind that lose work, 0 = there are none. **Model** their rates add up
double unplanned_mtti_s(const Scenario& scenario);

// Whether anything can interrupt the run, and whether by chance.
bool is_interrupted(const Scenario& scenario);
bool is_interrupted_at_random(const Scenario& scenario);

// One replication's moments on the clock of the run, in order of time.
// **Model** renewal processes: the times between two failures are exponential, or Weibull with the stated shape and the
// same mean; outages, losses of the scratch tier and preemptions are exponential, maintenance comes at fixed times.
// They depend on (seed, replication, kind, number) alone, so that two runs that differ in a setting meet the same ones.
// **Units** seconds
class Interruptions {
 public:
  Interruptions(const Scenario& scenario, std::uint64_t seed, std::uint64_t replication);

  struct Next {
    double at_s;
    Interruption kind;
  };
  // The earliest that has not been passed; at_s is infinite when nothing comes any more.
  Next next() const;
  // Takes it off.
  void pass(Interruption kind);
  // Takes off those of `kind` before `at_s`.
  void pass_before(Interruption kind, double at_s);

 private:
  double gap(std::size_t kind);

  std::array<double, kInterruptions> mean_s_{};  // 0 = never
  std::array<double, kInterruptions> next_s_{};
  std::array<RandomStream, kInterruptions> streams_;
  double weibull_shape_ = 1.0;  // of failures
  double weibull_scale_ = 1.0;  // in means
};

}  // namespace stallcast
