#include "core/timeline/interval_explanation.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <utility>

#include "core/analytic/checkpoint_interval.h"

namespace stallcast {
namespace {

// Effects on the interval below this share of it are not worth a line.
constexpr double kNoticeable = 0.01;
// Within this share of the shortest wall time one interval is as good as another.
constexpr double kAsGood = 0.01;
// With fewer intervals than this the end of the run shows.
constexpr double kFewIntervals = 100.0;

double part_s(const SimulatedRun& run, WallTime part) { return run.time_s[static_cast<std::size_t>(part)]; }

double count_of(const SimulatedRun& run, Interruption kind) {
  return run.interruptions[static_cast<std::size_t>(kind)];
}

double all_interruptions(const SimulatedRun& run) {
  return std::accumulate(run.interruptions.begin(), run.interruptions.end(), 0.0);
}

double unplanned(const SimulatedRun& run) { return all_interruptions(run) - count_of(run, Interruption::kMaintenance); }

// Between interruptions that are not planned; 0 = there was none. The law's own mean where all are failures, else what
// was drawn.
double mtti_of_all_kinds(const TimelineResult& timeline) {
  const double n = unplanned(timeline.mean), failures = count_of(timeline.mean, Interruption::kFailure);
  if (timeline.mtti_s > 0.0 && n == failures) return timeline.mtti_s;
  return n > 0.0 ? timeline.mean.wall_s / n : 0.0;
}

// Mean over the interruptions that were simulated; what the scenario says where none was.
double restart_overhead(const Scenario& scenario, const TimelineResult& timeline) {
  const double n = all_interruptions(timeline.mean);
  if (n > 0.0) {
    double sum = -timeline.startup_s;
    for (const WallTime part :
         {WallTime::kDetection, WallTime::kReplacement, WallTime::kRestart, WallTime::kRestore, WallTime::kRehydration})
      sum += part_s(timeline.mean, part);
    return std::max(0.0, sum) / n;
  }
  const FailureSpec& failures = scenario.failures;
  const double replacement_s = failures.spares > 0 ? failures.swap_time.base() : failures.replacement_time.base();
  return failures.detection_time.base() + failures.node_loss_fraction * replacement_s + failures.restart_time.base() +
         timeline.checkpoint.restore_s;
}

double formula_ettr(double interval_s, const IntervalExplanation& known, double mtti_s) {
  if (interval_s <= 0.0) return 0.0;
  return 1.0 - wasted_fraction(interval_s, known.cost_s, mtti_s, known.restart_s);
}

std::vector<IntervalFormula> formulas(const IntervalExplanation& known) {
  const auto formula = [&](const char* name, const char* phrase, double interval_s) {
    return IntervalFormula{name, phrase, interval_s, formula_ettr(interval_s, known, known.mtti_s)};
  };
  const double cost_s = known.cost_s, mtti_s = known.mtti_s;
  return {formula("young", "Young", young_interval(cost_s, mtti_s)),
          formula("daly_first_order", "Daly, first order, with the time to go on",
                  std::max(0.0, daly_first_order_interval(cost_s, mtti_s, known.restart_s))),
          formula("daly", "Daly, higher order", std::max(0.0, daly_interval(cost_s, mtti_s))),
          formula("exact", "exact for exponential interruptions", optimal_interval(cost_s, mtti_s))};
}

// Median time between failures: of Weibull's law less that of the exponential law of the same mean.
double median_shift(double mtti_s, double shape) {
  const double ln2 = std::log(2.0);
  return mtti_s * (std::pow(ln2, 1.0 / shape) / std::tgamma(1.0 + 1.0 / shape) - ln2);
}

class Reasons {
 public:
  Reasons(const Scenario& scenario, const TimelineResult& timeline, const IntervalExplanation& known)
      : s_(scenario), timeline_(timeline), mean_(timeline.mean), checkpoint_(timeline.checkpoint), known_(known) {}

  std::vector<IntervalReason> take() {
    durability();
    levels();
    kinds();
    law();
    stop();
    cadence();
    rest_of_the_run();
    std::stable_sort(list_.begin(), list_.end(), [](const IntervalReason& a, const IntervalReason& b) {
      return std::abs(a.ettr.value_or(0.0)) > std::abs(b.ettr.value_or(0.0));
    });
    return std::move(list_);
  }

 private:
  void add(const char* name, const char* phrase, double size_s, std::optional<double> ettr = std::nullopt) {
    list_.push_back({name, phrase, size_s, ettr});
  }
  // What `seconds` more of wall time, `times` in a run, do to the ETTR.
  double loss(double seconds, double times) const { return -seconds * times / mean_.wall_s; }

  void durability() {
    const double behind_s = checkpoint_.write_s;
    if (s_.checkpoint.mode == CheckpointMode::kAsync && behind_s > 0.0) {
      add("async_write",
          "more work is lost with each interruption: a checkpoint counts from when it is written, not from when "
          "training goes on",
          behind_s, loss(behind_s, unplanned(mean_)));
    }
  }

  // Failures that take a machine take its NVMe along; the others leave the first level.
  void levels() {
    const CheckpointSpec& checkpoint = s_.checkpoint;
    if (checkpoint.first_level == CheckpointLevel::kStorage) return;
    const double lost_machines = s_.failures.node_loss_fraction;
    const double older_s =
        0.5 * static_cast<double>(checkpoint.storage_every - 1) * checkpoint_.interval_s + checkpoint_.storage_s;
    if (checkpoint.first_level == CheckpointLevel::kLocalNvme && lost_machines > 0.0 && older_s > 0.0) {
      add("storage_every",
          "more work is lost on average with each failure that takes a machine and its NVMe: what is on storage is "
          "older",
          older_s, loss(older_s * lost_machines, count_of(mean_, Interruption::kFailure)));
    }
    const double cheaper_s = checkpoint_.restore_s - checkpoint_.first_level_restore_s;
    if (cheaper_s > 0.0)
      add("first_level", "less to restore after failures that leave the first level of checkpoints", cheaper_s);
  }

  void kinds() {
    if (timeline_.mtti_s > 0.0 && known_.mtti_s != timeline_.mtti_s) {
      add("several_kinds", "between failures alone: the formulas take interruptions of all kinds to be alike",
          timeline_.mtti_s);
    }
    const double preemptions = count_of(mean_, Interruption::kPreemption);
    if (preemptions > 0.0 && s_.failures.preemption_notice.base() >= time_to_storage()) {
      const double kept_s = 0.5 * checkpoint_.interval_s;
      add("spot_notice", "of work is kept at each preemption: its notice leaves time for a checkpoint", kept_s,
          -loss(kept_s, preemptions));
    }
    const double planned_s =
        part_s(mean_, WallTime::kMaintenance) + count_of(mean_, Interruption::kMaintenance) * known_.restart_s;
    if (planned_s > 0.0) {
      add("maintenance", "of planned stops and starting again after them, which the formulas do not know", planned_s,
          loss(planned_s, 1.0));
    }
  }

  // From the start of a checkpoint until it is on storage, with nothing before it.
  double time_to_storage() const {
    const bool in_the_stop =
        s_.checkpoint.mode == CheckpointMode::kSync && s_.checkpoint.first_level == CheckpointLevel::kStorage;
    return checkpoint_.stop_s + (in_the_stop ? 0.0 : checkpoint_.write_s) + checkpoint_.storage_s;
  }

  void law() {
    const FailureSpec& failures = s_.failures;
    if (failures.law != FailureLaw::kWeibull || failures.weibull_shape == 1.0 || timeline_.mtti_s <= 0.0) return;
    const double shift_s = median_shift(timeline_.mtti_s, failures.weibull_shape);
    add("not_exponential",
        shift_s < 0.0 ? "shorter is the median time between failures than the formulas' exponential law has it: "
                        "failures come in clusters"
                      : "longer is the median time between failures than the formulas' exponential law has it",
        std::abs(shift_s));
  }

  void stop() {
    const double with_restart_s = young_interval(known_.cost_s, known_.mtti_s + known_.restart_s);
    const double shift_s = with_restart_s - young_interval(known_.cost_s, known_.mtti_s);
    if (shift_s > kNoticeable * with_restart_s) {
      add("restart_overhead",
          "longer is the interval when the time to go on after a failure is counted in, as only Daly's first order "
          "does",
          shift_s);
    }
    const double waited_s = part_s(mean_, WallTime::kBacklog);
    if (waited_s > 0.0 && mean_.checkpoints > 0.0) {
      add("backlog", "waited per checkpoint for the one before to be written", waited_s / mean_.checkpoints,
          loss(waited_s, 1.0));
    }
    const double exact_s = optimal_interval(known_.cost_s, known_.mtti_s);
    if (checkpoint_.write_s > exact_s) {
      add("write_longer_than_interval", "takes the write of a checkpoint, longer than the interval of the formulas",
          checkpoint_.write_s);
    }
  }

  void cadence() {
    if (checkpoint_.interval_steps <= 0.0) return;
    const double step_s = checkpoint_.interval_s / checkpoint_.interval_steps;
    const double exact_s = optimal_interval(known_.cost_s, known_.mtti_s);
    const double off_s = std::abs(std::max(1.0, std::round(exact_s / step_s)) * step_s - exact_s);
    if (exact_s > 0.0 && off_s > kNoticeable * exact_s)
      add("whole_steps", "off the exact optimum is the nearest interval of whole steps", off_s);
  }

  void rest_of_the_run() {
    if (timeline_.ideal_s < kFewIntervals * checkpoint_.interval_s) {
      add("finite_run",
          "takes the run undisturbed, few intervals: the formulas' has no end, and this one needs no checkpoint after "
          "its last step",
          timeline_.ideal_s);
    }
    const double preparation_s = part_s(mean_, WallTime::kPreparation);
    if (preparation_s > 0.0)
      add("preparation", "passes before the first step", preparation_s, loss(preparation_s, 1.0));
    flat_optimum();
    const double longer_s = timeline_.optimum.interval_s - timeline_.optimum.free_s;
    if (s_.checkpoint.cadence == CheckpointCadence::kOptimal && longer_s > 0.0)
      add("shortest_interval",
          "longer than the best is the interval: checkpoint.shortest_interval allows no shorter one", longer_s);
  }

  void flat_optimum() {
    const OptimalInterval& best = timeline_.optimum;
    double low_s = best.free_s, high_s = best.free_s;
    for (const OptimalInterval::Point& point : best.points) {
      if (point.wall_s > (1.0 + kAsGood) * best.free_wall_s) continue;
      low_s = std::min(low_s, point.interval_s);
      high_s = std::max(high_s, point.interval_s);
    }
    if (high_s > low_s)
      add("flat_optimum", "apart are intervals that were tried and take at most 1 % more wall time than the best",
          high_s - low_s);
  }

  const Scenario& s_;
  const TimelineResult& timeline_;
  const SimulatedRun& mean_;
  const CheckpointBehaviour& checkpoint_;
  const IntervalExplanation& known_;
  std::vector<IntervalReason> list_;
};

}  // namespace

std::optional<IntervalExplanation> explain_interval(const Scenario& scenario, const RunResult& result) {
  const TimelineResult& timeline = result.timeline;
  const double mtti_s = mtti_of_all_kinds(timeline);
  if (timeline.replications == 0 || timeline.checkpoint.interval_s <= 0.0 || mtti_s <= 0.0 ||
      !std::isfinite(timeline.mean.wall_s))
    return std::nullopt;
  IntervalExplanation out;
  out.chosen_s = timeline.checkpoint.interval_s;
  out.chosen_steps = timeline.checkpoint.interval_steps;
  out.cost_s = std::max(0.0, timeline.checkpoint.stop_s + timeline.checkpoint.slowdown_s);
  out.mtti_s = mtti_s;
  out.restart_s = restart_overhead(scenario, timeline);
  out.simulated_ettr = timeline.ettr;
  out.formula_ettr = formula_ettr(out.chosen_s, out, mtti_s);
  out.first_order_ettr = expected_ettr(out.chosen_s, out.cost_s, mtti_s, out.restart_s);
  if (timeline.optimum.interval_s > 0.0) {
    out.simulated_best_s = timeline.optimum.free_s;
    out.simulated_best_ettr = part_s(timeline.mean, WallTime::kTraining) / timeline.optimum.free_wall_s;
  }
  out.formulas = formulas(out);
  out.reasons = Reasons(scenario, timeline, out).take();
  return out;
}

}  // namespace stallcast
