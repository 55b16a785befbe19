#include "core/steps/account.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/diagnostics/invariant.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/data_path.h"
#include "core/steps/luck.h"

namespace stallcast {
namespace {

class Bookkeeper {
 public:
  explicit Bookkeeper(const Simulated& what)
      : what_(what),
        s_(what.scenario),
        outline_(what.outline),
        all_nodes_(static_cast<double>(what.job.ranks()) / what.ranks()),
        counted_(count_steps(what)),
        steps_(counted_.steps) {}

  Account run() {
    add_up();
    measure_regimes();
    measure_luck();
    measure_times();
    measure_epochs();
    measure_places();
    describe_saves();
    return std::move(out_);
  }

 private:
  // --- what they add up to ---

  struct Reads {
    LevelShares bytes{}, requests{};  // of a step
    double refused = 0.0;
    double all_bytes = 0.0;
  };

  // What was read in the simulated epochs of a regime, per step. Batches that were read ahead and never trained are not
  // part of the run: it is counted by samples whose reads began.
  Reads reads_of(std::size_t r) const {
    ReadCounts sum;
    const auto add = [&](const ReadCounts& from, const ReadCounts& to) {
      sum.samples += to.samples - from.samples;
      for (std::size_t l = 0; l < kReadLevels; ++l) {
        sum.bytes[l] += to.bytes[l] - from.bytes[l];
        sum.requests[l] += to.requests[l] - from.requests[l];
      }
      sum.tier_requests += to.tier_requests - from.tier_requests;
      sum.refused_requests += to.refused_requests - from.refused_requests;
      sum.origin_bytes_of_run += to.origin_bytes_of_run - from.origin_bytes_of_run;
    };
    double epochs = 0.0;
    for (std::size_t e = 0; e < what_.log().epoch_reads.size(); ++e) {
      if (!outline_.endless && outline_.epochs[std::min(e, outline_.epochs.size() - 1)].regime != r) continue;
      epochs += 1.0;
      add(what_.log().epoch_reads[e],
          e + 1 < what_.log().epoch_reads.size() ? what_.log().epoch_reads[e + 1] : what_.model.reads());
    }
    Reads out;
    if (sum.samples <= 0.0) return out;
    const double of_a_step = samples_per_step() / sum.samples;
    for (std::size_t l = 0; l < kReadLevels; ++l) {
      out.bytes[l] = sum.bytes[l] * of_a_step;
      out.requests[l] = sum.requests[l] * of_a_step;
      out.all_bytes += out.bytes[l];
    }
    // Where it is known which part each level answers, what was drawn of it is only luck.
    const ReadMix mean = outline_.regimes.empty() ? ReadMix() : outline_.regimes[r].mix.mean();
    const bool drawn = outline_.weighted && !outline_.endless;
    if (drawn && s_.staging.method == StagingMethod::kPrefetch)
      split_while_copying(out, sum.origin_bytes_of_run / std::max(1e-300, epochs * outline_.epoch_steps));
    if (drawn && s_.staging.method != StagingMethod::kPrefetch) {
      const double requests = std::accumulate(out.requests.begin(), out.requests.end(), 0.0);
      for (std::size_t l = 0; l < kReadLevels; ++l) {
        out.bytes[l] = out.all_bytes * mean.served[l];
        out.requests[l] = requests * mean.served[l];
      }
    }
    if (sum.tier_requests > 0.0)
      out.refused = sum.refused_requests / sum.tier_requests * out.requests[index_of(ReadLevel::kStorage)];
    return out;
  }

  // The start of an epoch, when most comes from the origin, is more of what was simulated of it than of the epoch.
  static void split_while_copying(Reads& reads, double origin_bytes) {
    constexpr std::size_t storage = index_of(ReadLevel::kStorage), origin = index_of(ReadLevel::kOrigin);
    const double both = reads.bytes[storage] + reads.bytes[origin];
    const double requests = reads.requests[storage] + reads.requests[origin];
    if (both <= 0.0) return;
    const double part = std::min(1.0, origin_bytes / both);
    reads.bytes[origin] = part * both;
    reads.bytes[storage] = both - reads.bytes[origin];
    reads.requests[origin] = part * requests;
    reads.requests[storage] = requests - reads.requests[origin];
  }

  // Of all simulated ranks.
  double samples_per_step() const {
    return static_cast<double>(s_.workload.batch_size * s_.workload.gradient_accumulation) * what_.ranks();
  }

  void add_up() {
    constexpr auto kKinds = static_cast<std::size_t>(PhaseKind::kCount);
    std::vector<LedgerPhase> phases(what_.regimes() * kKinds);
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const CountedStep& step = steps_[k];
      const PhaseKind kind = step.save >= 0 ? PhaseKind::kCheckpoint : kCells[step.cell];
      LedgerPhase& phase = phases[step.regime * kKinds + static_cast<std::size_t>(kind)];
      phase.kind = kind;
      phase.epochs = step.regime;
      phase.steps += step.weight;
      phase.simulated_steps += 1.0;
      const double weight = step.weight * all_nodes_;
      phase.wall_s += step.weight * step.wall_s;
      phase.compute_gpu_s += weight * what_.log().compute_s[k];
      phase.busy_core_s += step.weight * what_.busy_cores(k) * what_.job.cluster.all_cores();
      double lost = 0.0;
      for (std::size_t c = 0; c < phase.lost_gpu_s.size(); ++c) {
        phase.lost_gpu_s[c] += weight * what_.log().lost_s[k][c];
        lost += what_.log().lost_s[k][c];
      }
      // What rounding to nanoseconds, or the order of ranks within a step, leaves.
      phase.lost_gpu_s[index(LostTime::kBarrier)] +=
          weight * (step.wall_s * what_.ranks() - what_.log().compute_s[k] - lost);
      const bool begins = k == 0 || steps_[k - 1].epoch != step.epoch || steps_[k - 1].save != step.save ||
                          steps_[k - 1].cell != step.cell;
      if (begins && !(step.save >= 0 && k > 0 && steps_[k - 1].save == step.save)) phase.times += step.weight;
    }
    for (std::size_t r = 0; r < what_.regimes(); ++r) {
      const Reads reads = reads_of(r);
      const double fill = outline_.regimes.empty() ? 0.0 : outline_.regimes[r].mix.mean().regional_fill;
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        LedgerPhase& phase = phases[r * kKinds + kind];
        if (phase.simulated_steps <= 0.0) continue;
        const double steps = phase.steps * all_nodes_;
        phase.samples = steps * samples_per_step();
        for (std::size_t l = 0; l < kReadLevels; ++l) {
          phase.read_bytes[l] = steps * reads.bytes[l];
          phase.read_requests[l] = steps * reads.requests[l];
        }
        phase.refused_requests = steps * reads.refused;
        phase.regional_fill_bytes = steps * reads.all_bytes * fill;
        out_.phases.push_back(phase);
      }
    }
  }

  void measure_regimes() {
    const auto gpus = static_cast<double>(what_.job.ranks());
    for (std::size_t r = 0; r < what_.regimes(); ++r) {
      LedgerPhase sum;
      for (const LedgerPhase& phase : out_.phases) {
        if (phase.epochs != r) continue;
        sum.steps += phase.steps;
        sum.samples += phase.samples;
        sum.wall_s += phase.wall_s;
        sum.compute_gpu_s += phase.compute_gpu_s;
        for (std::size_t l = 0; l < kReadLevels; ++l) sum.read_bytes[l] += phase.read_bytes[l];
      }
      RegimeResult& regime = out_.regimes.emplace_back();
      if (!outline_.regimes.empty()) {
        regime.name = outline_.regimes[r].name;
        regime.epochs = outline_.regimes[r].epochs;
      }
      regime.time_s = sum.wall_s;
      if (sum.wall_s > 0.0) {
        regime.gpu_utilization.mean = sum.compute_gpu_s / (sum.wall_s * gpus);
        regime.samples_per_s = sum.samples / sum.wall_s;
      }
      const double bytes = std::accumulate(sum.read_bytes.begin(), sum.read_bytes.end(), 0.0);
      for (std::size_t l = 0; l < kReadLevels; ++l) regime.served[l] = bytes > 0.0 ? sum.read_bytes[l] / bytes : 0.0;
      out_.regime_step_s.push_back(sum.steps > 0.0 ? sum.wall_s / sum.steps : 0.0);
    }
  }

  void measure_luck() {
    const Luck luck = luck_of(what_, steps_);
    out_.half_width = luck.half_width;
    out_.settled = luck.settled;
    double wall = 0.0;
    for (const CountedStep& step : steps_) wall += step.weight * step.wall_s;
    for (RegimeResult& regime : out_.regimes) {
      Estimate& estimate = regime.gpu_utilization;
      const double share = regime.time_s / std::max(1e-300, wall);
      const double half = std::min(1.0, share > 0.0 ? out_.half_width / std::sqrt(share) : 1.0);
      estimate.ci95_low = std::max(0.0, estimate.mean - half);
      estimate.ci95_high = std::min(1.0, estimate.mean + half);
    }
  }

  // --- figures that are not sums over phases ---

  void measure_times() {
    std::vector<std::pair<double, double>> walls;
    double time = 0.0, count = 0.0, compute = 0.0, wall = 0.0;
    const auto filled = static_cast<std::size_t>(std::max<std::int64_t>(1, batches_ahead(s_)));
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const double weight = steps_[k].weight;
      time += weight * steps_[k].wall_s;
      count += weight;
      if (weight > 0.0) walls.emplace_back(steps_[k].wall_s, weight);
      if (k < filled && filled + 1 < steps_.size()) continue;
      const double own = outline_.endless ? 1.0 : weight;
      compute += own * what_.compute_s(k);
      wall += own * steps_[k].wall_s;
    }
    if (!steps_.empty()) out_.after_last_step_s = steps_.back().after_s;
    wall -= out_.after_last_step_s;
    out_.au_steady = wall > 0.0 ? compute / wall : 0.0;
    std::sort(walls.begin(), walls.end());
    const auto quantile = [&](double p) {
      double below = 0.0;
      for (const auto& [value, weight] : walls) {
        below += weight;
        if (below >= p * count) return value;
      }
      return walls.empty() ? 0.0 : walls.back().first;
    };
    out_.step_time_s = {count > 0.0 ? time / count : 0.0, quantile(0.5), quantile(0.99)};
  }

  // MLPerf Storage: per epoch, the wait and compute of the first step are outside the clock, and so are checkpoints.
  // **Source** DLIO statscounter.py compute_metrics_train (v1.0: exclude_start_steps 1, exclude_end_steps 0).
  void measure_epochs() {
    double epochs = 0.0;
    for (std::size_t e = 0; e < what_.log().epoch_first_step.size(); ++e) {
      const auto first = static_cast<std::size_t>(what_.log().epoch_first_step[e]);
      const std::size_t last = what_.end_of(e);
      if (last < first + 2) continue;
      const double counts = epoch_counts(steps_[first].regime);
      double useful = 0.0, wall = 0.0, steps = 0.0;
      for (std::size_t k = first; k < last; ++k) {
        const CountedStep& step = steps_[k];
        const bool edge = kCells[step.cell] != PhaseKind::kTraining && step.save < 0;
        const double own = outline_.endless || edge || k == first ? 1.0 : step.weight / counts;
        const double began = k == first ? what_.log().epoch_start_s[e] : what_.step_start_s(k);
        wall += own * (what_.log().end_s[k] - step.after_s - began - what_.lost_s(k, LostTime::kCheckpoint));
        steps += own;
        if (k > first) useful += own * what_.compute_s(k);
      }
      out_.au_mlperf += counts * useful / (wall - what_.log().first_wait_s[e] - what_.compute_s(first));
      out_.samples_per_s_mlperf += counts * steps * samples_per_step() * all_nodes_ / wall;
      epochs += counts;
    }
    if (epochs <= 0.0) return;
    out_.au_mlperf /= epochs;
    out_.samples_per_s_mlperf /= epochs;
  }

  // Epochs of the run that a simulated one of the regime stands for.
  double epoch_counts(std::size_t r) const {
    if (outline_.endless || what_.counts_once()) return 1.0;
    const auto simulated = static_cast<double>(std::count_if(outline_.epochs.begin(), outline_.epochs.end(),
                                                             [r](const Outline::Epoch& e) { return e.regime == r; }));
    return outline_.regimes[r].epochs / std::max(1.0, simulated);
  }

  void describe_saves() {
    SaveStatistics& out = out_.saves;
    const CheckpointSpec& c = s_.checkpoint;
    const bool tiered = c.first_level != CheckpointLevel::kStorage;
    const double shorter = 1.0 / outline_.course.saved_part;  // than in the run is what is written beside training
    double written = 0.0, stored = 0.0, all_stored = 0.0;
    for (std::size_t i = 0; i < what_.saves().size(); ++i) {
      const CheckpointLog& save = what_.saves()[i];
      if (!what_.has(save)) continue;
      const double weight = counted_.save_weight.empty() ? 1.0 : counted_.save_weight[i];
      out.simulated += 1.0;
      out.count += weight;
      out.stop_s += weight * (save.resumed_s - save.due_s);
      out.backlog_s += weight * save.backlog_s;
      if (goes_to_storage(c, save.number)) all_stored += weight;
      const double began = c.mode == CheckpointMode::kSync ? save.due_s : save.resumed_s;
      if (save.first_level_s >= 0.0) {
        const double all = save.first_level_s - began;
        const double in_stop = c.mode == CheckpointMode::kSync ? std::min(all, save.resumed_s - save.due_s) : 0.0;
        out.write_s += in_stop + (all - in_stop) * shorter;
        written += 1.0;
        if (tiered && save.storage_s >= 0.0) {
          out.storage_s += save.storage_s - save.first_level_s;
          stored += 1.0;
        }
      }
    }
    if (out.count > 0.0) {
      out.stop_s /= out.count;
      out.backlog_s /= out.count;
    }
    const auto skipped = static_cast<double>(what_.model.checkpointer().skipped());
    if (out.simulated > 0.0) out.skipped = skipped * out.count / out.simulated;
    measure_slowdown();
    if (written > 0.0) out.write_s /= written;
    if (stored > 0.0) out.storage_s *= shorter / stored;
    out.stored = all_stored;
  }

  void measure_places() {
    const std::size_t places = what_.places().size();
    out_.place_step_s.assign(what_.regimes(), {std::vector<double>(places), std::vector<double>(places)});
    for (const CountedStep& step : steps_)
      if (step.save < 0 && step.weight > 0.0)
        out_.place_step_s[step.regime].add(step.place, step.wall_s - step.after_s);
  }

  // A step at the place without a checkpoint near: here and in the run without any. Where none was simulated, one of
  // the same cell, or between the edges of an epoch. 0 = not known.
  double usual_step_s(std::size_t r, std::size_t place) const {
    static const PlaceTimes kNone;
    const Places places = what_.places();
    const SavePlan* const plan = outline_.save_plan ? &*outline_.save_plan : nullptr;
    const PlaceTimes& own = out_.place_step_s[r];
    const PlaceTimes& clear = plan != nullptr && r < plan->place_step_s.size() ? plan->place_step_s[r] : kNone;
    invariant(!clear.known() || clear.steps.size() == places.size(), "both runs have the same places");
    if (const double here = mean_time(own, clear, place, place + 1); here > 0.0) return here;
    for (const std::size_t cell : {places.cell(place), cell_of(PhaseKind::kTraining)})
      if (const double near = mean_time(own, clear, places.first(cell), places.last(cell)); near > 0.0) return near;
    return plan == nullptr ? 0.0 : plan->step_s[r];
  }

  // What steps in shadows took longer than others of their cell, beside the stops.
  void measure_slowdown() {
    double excess = 0.0;
    for (const CountedStep& step : steps_) {
      if (step.save < 0) continue;
      const double usual = usual_step_s(step.regime, step.place);
      if (usual <= 0.0) return;
      excess += step.weight * (step.wall_s - step.after_s - usual);
    }
    if (out_.saves.count > 0.0) out_.saves.slowdown_s = excess / out_.saves.count - out_.saves.stop_s;
  }

  const Simulated& what_;
  const Scenario& s_;
  const Outline& outline_;
  double all_nodes_;  // ranks of the job / simulated ranks
  CountedSteps counted_;
  const std::vector<CountedStep>& steps_;
  Account out_;
};

}  // namespace

Account account_of(const Simulated& what) { return Bookkeeper(what).run(); }

}  // namespace stallcast
