// What would take a computer days or more memory than it has, told before it is tried.
#include <fmt/format.h>

#include <algorithm>

#include "core/scenario/check/check_context.h"
#include "core/scenario/representatives.h"
#include "core/scenario/run_length.h"
#include "core/units/distribution.h"

namespace stallcast {
namespace {

// Of one step, or in the course of one run: many minutes.
constexpr double kMostEvents = 1e9;
constexpr double kMostStepsKept = 1e7;     // about 100 bytes each
constexpr double kMostBatchesAhead = 2e7;  // about 26 bytes each

constexpr double kLeastSliceS = 1e-9;  // what the clock can tell from nothing

class EffortChecks : CheckContext {
 public:
  explicit EffortChecks(const CheckContext& context) : CheckContext(context) {}

  void run() {
    check_steps();
    check_batches_ahead();
    check_events();
    check_timeline();
  }

 private:
  double ranks_at_once() const {
    return static_cast<double>(representatives_of(s_).nodes) * static_cast<double>(s_.cluster.gpus_per_node);
  }

  // Every step of a whole run is kept.
  void check_steps() {
    const double steps = epoch_steps(s_) * static_cast<double>(s_.run.epochs);
    if (!s_.run.whole_run || steps <= kMostStepsKept) return;
    error("too_long", "/run/whole_run", fmt::format("a whole run of up to {:g} steps", kMostStepsKept),
          "set it to false: what is simulated is then extrapolated to the run's length",
          fmt::format("it has {:.3g} steps, which would all be simulated and kept", steps));
  }

  void check_batches_ahead() {
    const double workers = std::max(1.0, static_cast<double>(s_.loader.num_workers));
    const double batches = ranks_at_once() * workers * static_cast<double>(s_.loader.prefetch_factor);
    if (batches <= kMostBatchesAhead) return;
    error("too_many_batches", "/loader/prefetch_factor",
          fmt::format("up to {:g} batches of {:g} ranks", kMostBatchesAhead, ranks_at_once()),
          "load fewer batches ahead, or with fewer workers",
          fmt::format("{:.3g} batches would be loaded ahead", batches));
  }

  // Moves of one sample that is read in turns.
  double turns() const {
    const double at_once = s_.storage.service_quantum.base() * s_.storage.read_bandwidth.base();
    return at_once > 0.0 ? mean_of(s_.dataset.sample_size) / at_once : 0.0;
  }
  // Turns on a core that one sample takes where all wait for one.
  double slices() const {
    const double slice = s_.cluster.time_slice.base();
    return s_.cluster.core_sharing != CoreSharing::kProcessorSharing && slice > 0.0
               ? mean_of(s_.dataset.decode_time) / slice
               : 0.0;
  }

  void check_events() {
    if (s_.cluster.core_sharing != CoreSharing::kProcessorSharing && s_.cluster.time_slice.base() < kLeastSliceS) {
      error("out_of_range", "/cluster/time_slice", "1 ns or more where cores are shared in turns",
            "give a longer slice, or core_sharing \"processor_sharing\"",
            "a turn that takes no time never ends a wait");
      return;
    }
    const double samples = ranks_at_once() * static_cast<double>(s_.workload.batch_size) *
                           static_cast<double>(s_.workload.gradient_accumulation);
    const double in_turns = turns(), in_slices = slices();
    if (samples * (1.0 + in_turns + in_slices) <= kMostEvents) return;
    const std::string allowed = fmt::format("up to {:g} events in a step", kMostEvents);
    if (in_turns > std::max(1.0, in_slices)) {
      error("too_fine", "/storage/service_quantum", allowed, "give a longer quantum, or 0 for a fluid",
            fmt::format("a step reads {:.3g} samples in {:.3g} turns each", samples, in_turns));
    } else if (in_slices > 1.0) {
      error("too_fine", "/cluster/time_slice", allowed, "give a longer slice, or core_sharing \"processor_sharing\"",
            fmt::format("a step decodes {:.3g} samples in {:.3g} slices each", samples, in_slices));
    } else {
      error("too_many_samples", "/workload/batch_size", allowed,
            "take several samples as one: a multiple of the size in a fraction of the batch",
            fmt::format("a step has {:.3g} samples on {:g} ranks", samples, ranks_at_once()));
    }
  }

  // What happens in the course of one run: interruptions as soon as it is up again, and checkpoints.
  void check_timeline() {
    const FailureSpec& f = s_.failures;
    double per_s = f.per_1000_node_days / 1000.0 * static_cast<double>(s_.cluster.nodes) / 86400.0;
    const Seconds preemption = s_.cost.pricing == HostPricing::kSpot ? f.preemption_mtti : Seconds();
    for (const Seconds every : {f.mtti, f.outage_mtti, preemption, f.maintenance_interval})
      if (every.base() > 0.0) per_s += 1.0 / every.base();
    const bool saves = per_s > 0.0 && s_.checkpoint.mode != CheckpointMode::kNone && s_.checkpoint.interval_steps > 0;
    const double steps = epoch_steps(s_) * static_cast<double>(s_.run.epochs);
    const double strikes = per_s * run_compute_s(s_);
    const double checkpoints = saves ? steps / static_cast<double>(s_.checkpoint.interval_steps) : 0.0;
    if (strikes + checkpoints <= kMostEvents) return;
    error("too_long", checkpoints > strikes ? "/checkpoint/interval_steps" : "/failures/mtti",
          fmt::format("up to {:g} interruptions and checkpoints in a run", kMostEvents),
          "simulate a part of the run: fewer epochs",
          fmt::format("it has {:.3g} interruptions and {:.3g} checkpoints", strikes, checkpoints));
  }
};

}  // namespace

void check_effort(const CheckContext& context) { EffortChecks(context).run(); }

}  // namespace stallcast
