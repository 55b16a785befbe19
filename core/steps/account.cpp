#include "core/steps/account.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/engine/statistics.h"
#include "core/scenario/checkpoint_shape.h"
#include "core/scenario/data_path.h"

namespace stallcast {
namespace {

constexpr double kEverything = std::numeric_limits<double>::infinity();

std::size_t cell_of(PhaseKind kind) {
  return static_cast<std::size_t>(std::find(kCells.begin(), kCells.end(), kind) - kCells.begin());
}

// One simulated step.
struct Step {
  std::size_t epoch = 0;  // simulated
  std::size_t regime = 0;
  std::size_t cell = 0;  // of kCells
  double wall_s = 0.0;
  double weight = 1.0;       // how often it counts
  std::ptrdiff_t save = -1;  // in whose shadow it is
};

class Bookkeeper {
 public:
  explicit Bookkeeper(const Simulated& what)
      : what_(what),
        s_(what.scenario),
        outline_(what.outline),
        log_(what.model.log()),
        saves_(what.model.checkpointer().log()),
        all_nodes_(static_cast<double>(what.job.ranks()) / static_cast<double>(s_.ranks())) {}

  Account run() {
    lay_out_steps();
    cast_shadows();
    weigh();
    add_up();
    measure_regimes();
    measure_luck();
    measure_times();
    measure_epochs();
    measure_cells();
    describe_saves();
    return std::move(out_);
  }

 private:
  double ranks() const { return static_cast<double>(s_.ranks()); }
  std::size_t regimes() const { return std::max<std::size_t>(1, outline_.regimes.size()); }
  double step_start_s(std::size_t k) const { return k == 0 ? log_.epoch_start_s.front() : log_.end_s[k - 1]; }
  double compute_s(std::size_t k) const { return log_.compute_s[k] / ranks(); }
  double lost_s(std::size_t k, LostTime cause) const { return log_.lost_s[k][index(cause)] / ranks(); }

  // --- which step is what ---

  std::size_t last_step_of(std::size_t epoch) const {
    return epoch + 1 < log_.epoch_first_step.size()
               ? std::min(what_.steps, static_cast<std::size_t>(log_.epoch_first_step[epoch + 1]))
               : what_.steps;
  }

  struct Edges {
    double head = 0.0, tail = 0.0;
  };
  // Of an epoch of `steps` steps.
  Edges edges_of(double steps) const {
    if (outline_.endless) return {0.0, 0.0};
    const double head = std::min(static_cast<double>(outline_.head), std::floor(0.5 * steps));
    return {head, std::min(static_cast<double>(outline_.tail), steps - head)};
  }

  void lay_out_steps() {
    steps_.resize(what_.steps);
    for (std::size_t e = 0; e < log_.epoch_first_step.size(); ++e) {
      const auto first = static_cast<std::size_t>(log_.epoch_first_step[e]);
      const std::size_t last = last_step_of(e);
      if (first >= last) continue;
      const auto length = static_cast<double>(last - first);
      const Edges edges = edges_of(length);
      for (std::size_t k = first; k < last; ++k) {
        Step& step = steps_[k];
        const auto at = static_cast<double>(k - first);
        step.epoch = e;
        step.regime = outline_.endless ? 0 : outline_.epochs[std::min(e, outline_.epochs.size() - 1)].regime;
        const bool head = outline_.endless ? k < what_.drop : at < edges.head;
        const PhaseKind kind = head                        ? e == 0 ? PhaseKind::kStart : PhaseKind::kTurn
                               : at >= length - edges.tail ? PhaseKind::kEpochEnd
                                                           : PhaseKind::kTraining;
        step.cell = cell_of(kind);
        step.wall_s = log_.end_s[k] - step_start_s(k);
      }
    }
  }

  std::size_t kind_of(const CheckpointLog& save) const {
    const auto k = static_cast<std::size_t>(save.step) - 1;
    const bool at_end = k + 1 == last_step_of(steps_[k].epoch) && k + 1 < what_.steps;
    const bool last = k + 1 == what_.steps && !outline_.endless;
    return index_of({goes_to_storage(s_.checkpoint, save.number), at_end || last});
  }

  // From the stop until the write is over and what was loaded meanwhile is used up, or the next one comes.
  void cast_shadows() {
    for (std::size_t i = 0; i < saves_.size(); ++i) {
      const CheckpointLog& save = saves_[i];
      if (save.step < 1 || static_cast<std::size_t>(save.step) > what_.steps) continue;
      const auto first = static_cast<std::size_t>(save.step) - 1;
      const bool placed = !outline_.saves.empty();
      const double interval = placed ? outline_.save_interval[steps_[first].regime] : kEverything;
      const auto longest = static_cast<std::size_t>(std::clamp(interval, 1.0, static_cast<double>(what_.steps)));
      const std::size_t next = i + 1 < saves_.size() ? static_cast<std::size_t>(saves_[i + 1].step) - 1 : what_.steps;
      const bool stores = goes_to_storage(s_.checkpoint, save.number);
      const double written = stores ? save.storage_s : save.first_level_s;
      const double over = written >= 0.0 ? written : kEverything;
      std::size_t k = first;
      steps_[k++].save = static_cast<std::ptrdiff_t>(i);
      const double shorter = 1.0 / outline_.course.saved_part;
      for (; k < std::min({next, what_.steps, first + longest}) && step_start_s(k) < over; ++k) {
        steps_[k].save = static_cast<std::ptrdiff_t>(i);
        steps_[k].weight = shorter;
      }
      const std::size_t after = k + static_cast<std::size_t>(outline_.head);
      for (; k < std::min({next, what_.steps, after, first + longest}); ++k)
        steps_[k].save = static_cast<std::ptrdiff_t>(i);
    }
  }

  // --- how often each step counts ---

  void weigh() {
    if (outline_.endless || (!outline_.weighted && what_.finished)) {
      for (std::size_t k = 0; k < steps_.size(); ++k) steps_[k].weight = outline_.endless && k < what_.drop ? 0.0 : 1.0;
      return;
    }
    weigh_shadows();
    for (std::size_t r = 0; r < regimes(); ++r) weigh_cells(r);
  }

  // Shadows of a kind count as often as the run has checkpoints of that kind. Where none of a kind was simulated,
  // others of the regime do, and where there are none of these, those of other regimes.
  void weigh_shadows() {
    if (saves_.empty()) return;
    std::vector<std::array<double, kSaveKinds.size()>> simulated(regimes());
    for (const CheckpointLog& save : saves_)
      if (is_counted(save)) simulated[steps_[at(save)].regime][kind_of(save)] += 1.0;
    std::vector<std::array<double, kSaveKinds.size()>> wanted =
        outline_.saves.empty() ? counts_by_the_clock(simulated) : outline_.saves;
    for (std::size_t r = 0; r < regimes(); ++r) {
      for (std::size_t k = 0; k < kSaveKinds.size(); ++k) {
        if (wanted[r][k] <= 0.0 || simulated[r][k] > 0.0) continue;
        move_to_simulated(r, k, simulated, wanted);
      }
    }
    save_weight_.assign(saves_.size(), 0.0);
    const auto skipped = static_cast<double>(what_.model.checkpointer().skipped());
    const double written = static_cast<double>(saves_.size());
    const double not_skipped = written / (written + skipped);
    // The first finds no write before it under way: it is the first of the run, too, and comes once.
    const auto first =
        std::find_if(saves_.begin(), saves_.end(), [this](const CheckpointLog& s) { return is_counted(s); });
    for (auto save = first; save != saves_.end(); ++save) {
      if (!is_counted(*save)) continue;
      const std::size_t r = steps_[at(*save)].regime, k = kind_of(*save);
      const bool like_first =
          r == steps_[at(*first)].regime && k == kind_of(*first) && simulated[r][k] > 1.0 && wanted[r][k] >= 1.0;
      const double weight = !like_first     ? wanted[r][k] / simulated[r][k]
                            : save == first ? 1.0
                                            : (wanted[r][k] - 1.0) / (simulated[r][k] - 1.0);
      save_weight_[static_cast<std::size_t>(save - saves_.begin())] = not_skipped * weight;
    }
    for (Step& step : steps_)
      if (step.save >= 0) step.weight *= save_weight_[static_cast<std::size_t>(step.save)];
  }

  // Where the clock placed them: as many for the steps of the run as from the one before a regime to the last one in
  // it.
  std::vector<std::array<double, kSaveKinds.size()>> counts_by_the_clock(
      std::vector<std::array<double, kSaveKinds.size()>> counts) const {
    std::size_t from = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      std::size_t to = from;
      for (const CheckpointLog& save : saves_)
        if (is_counted(save) && steps_[at(save)].regime == r) to = static_cast<std::size_t>(save.step);
      const double steps = outline_.regimes[r].epochs * outline_.epoch_steps;
      const double times = to > from ? steps / static_cast<double>(to - from) : 0.0;
      for (double& count : counts[r]) count *= times;
      from = to;
    }
    return counts;
  }

  static void move_to_simulated(std::size_t r, std::size_t k,
                                const std::vector<std::array<double, kSaveKinds.size()>>& simulated,
                                std::vector<std::array<double, kSaveKinds.size()>>& wanted) {
    for (std::size_t away = 0; away < simulated.size(); ++away) {
      for (const std::size_t regime : {r + away, r - away}) {
        if (regime >= simulated.size()) continue;
        for (const std::size_t kind : {k, k ^ 1U, k ^ 2U, k ^ 3U}) {
          if (simulated[regime][kind] <= 0.0) continue;
          wanted[regime][kind] += std::exchange(wanted[r][k], 0.0);
          return;
        }
      }
    }
  }

  bool is_counted(const CheckpointLog& save) const {
    return save.step >= 1 && static_cast<std::size_t>(save.step) <= what_.steps;
  }
  static std::size_t at(const CheckpointLog& save) { return static_cast<std::size_t>(save.step) - 1; }

  // The steps of each cell are as many as the run has, those in shadows among them.
  void weigh_cells(std::size_t r) {
    std::array<double, kCells.size()> shadows{}, others{}, wanted = cells_of_run(r);
    for (const Step& step : steps_) {
      if (step.regime != r) continue;
      if (step.save >= 0) {
        shadows[step.cell] += step.weight;
      } else {
        others[step.cell] += 1.0;
      }
    }
    const std::size_t training = cell_of(PhaseKind::kTraining);
    for (std::size_t c = 0; c < kCells.size(); ++c) {
      if (c == training || others[c] + shadows[c] > 0.0) continue;
      wanted[training] += std::exchange(wanted[c], 0.0);
    }
    // Shadows keep their weights, wherever they reach, unless they are more than all steps; what is left of the run is
    // dealt to the others, cell by cell.
    const double all = std::accumulate(wanted.begin(), wanted.end(), 0.0);
    const double in_shadow = std::accumulate(shadows.begin(), shadows.end(), 0.0);
    const double of_shadow = in_shadow > all && in_shadow > 0.0 ? all / in_shadow : 1.0;
    std::array<double, kCells.size()> left{};
    for (std::size_t c = 0; c < kCells.size(); ++c)
      left[c] = others[c] > 0.0 ? std::max(0.0, wanted[c] - shadows[c]) : 0.0;
    const double rest = std::max(0.0, all - in_shadow), dealt = std::accumulate(left.begin(), left.end(), 0.0);
    // Edges first: there are as many of them as there are epochs.
    double edges = dealt - left[training];
    const double of_edges = edges > rest ? rest / edges : 1.0;
    std::array<double, kCells.size()> of_other{};
    for (std::size_t c = 0; c < kCells.size(); ++c)
      if (c != training && others[c] > 0.0) of_other[c] = of_edges * left[c] / others[c];
    edges *= of_edges;
    double shadow_scale = of_shadow;
    if (others[training] > 0.0) {
      of_other[training] = (rest - edges) / others[training];
    } else if (in_shadow > 0.0) {
      shadow_scale = (all - edges) / in_shadow;
    } else if (edges > 0.0) {
      for (double& weight : of_other) weight *= all / edges;
    }
    for (Step& step : steps_) {
      if (step.regime != r) continue;
      step.weight = step.save >= 0 ? step.weight * shadow_scale : of_other[step.cell];
    }
  }

  // Steps of the run, by cell.
  std::array<double, kCells.size()> cells_of_run(std::size_t r) const {
    const double epochs = outline_.regimes[r].epochs;
    double longest = 0.0;
    for (std::size_t e = 0; e < outline_.epochs.size(); ++e)
      if (outline_.epochs[e].regime == r) longest = std::max(longest, static_cast<double>(outline_.epochs[e].steps));
    const Edges edges = edges_of(std::min(longest, outline_.epoch_steps));
    const double starts = r == 0 ? 1.0 : 0.0;
    std::array<double, kCells.size()> out{};
    out[cell_of(PhaseKind::kStart)] = starts * edges.head;
    out[cell_of(PhaseKind::kTurn)] = (epochs - starts) * edges.head;
    out[cell_of(PhaseKind::kEpochEnd)] = epochs * edges.tail;
    out[cell_of(PhaseKind::kTraining)] = std::max(0.0, epochs * (outline_.epoch_steps - edges.head - edges.tail));
    return out;
  }

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
    };
    for (std::size_t e = 0; e < log_.epoch_reads.size(); ++e) {
      if (!outline_.endless && outline_.epochs[std::min(e, outline_.epochs.size() - 1)].regime != r) continue;
      add(log_.epoch_reads[e], e + 1 < log_.epoch_reads.size() ? log_.epoch_reads[e + 1] : what_.model.reads());
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
    if (outline_.weighted && !outline_.endless && s_.staging.method != StagingMethod::kPrefetch) {
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

  // Of all simulated ranks.
  double samples_per_step() const {
    return static_cast<double>(s_.workload.batch_size * s_.workload.gradient_accumulation) * ranks();
  }

  void add_up() {
    constexpr std::size_t kKinds = static_cast<std::size_t>(PhaseKind::kCount);
    std::vector<LedgerPhase> phases(regimes() * kKinds);
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const Step& step = steps_[k];
      const PhaseKind kind = step.save >= 0 ? PhaseKind::kCheckpoint : kCells[step.cell];
      LedgerPhase& phase = phases[step.regime * kKinds + static_cast<std::size_t>(kind)];
      phase.kind = kind;
      phase.epochs = step.regime;
      phase.steps += step.weight;
      phase.simulated_steps += 1.0;
      const double weight = step.weight * all_nodes_;
      phase.wall_s += step.weight * step.wall_s;
      phase.compute_gpu_s += weight * log_.compute_s[k];
      double lost = 0.0;
      for (std::size_t c = 0; c < phase.lost_gpu_s.size(); ++c) {
        phase.lost_gpu_s[c] += weight * log_.lost_s[k][c];
        lost += log_.lost_s[k][c];
      }
      // What rounding to nanoseconds, or the order of ranks within a step, leaves.
      phase.lost_gpu_s[index(LostTime::kBarrier)] += weight * (step.wall_s * ranks() - log_.compute_s[k] - lost);
      const bool begins = k == 0 || steps_[k - 1].epoch != step.epoch || steps_[k - 1].save != step.save ||
                          steps_[k - 1].cell != step.cell;
      if (begins && !(step.save >= 0 && k > 0 && steps_[k - 1].save == step.save)) phase.times += step.weight;
    }
    for (std::size_t r = 0; r < regimes(); ++r) {
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
    for (std::size_t r = 0; r < regimes(); ++r) {
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

  // --- what another seed might give ---

  // The steps of a regime after its heads. Stops for checkpoints are no luck. **Units** seconds of a rank
  struct Series {
    std::vector<double> compute, walls;
    std::vector<std::size_t> epochs;
    double weight = 0.0;  // mean
  };

  Series series_of(std::size_t r) const {
    Series out;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const Step& step = steps_[k];
      if (step.regime != r || step.weight <= 0.0) continue;
      const PhaseKind kind = kCells[step.cell];
      if ((kind == PhaseKind::kStart || kind == PhaseKind::kTurn) && !outline_.endless) continue;
      out.compute.push_back(compute_s(k));
      out.walls.push_back(step.wall_s - lost_s(k, LostTime::kCheckpoint));
      out.epochs.push_back(step.epoch);
      out.weight += step.weight;
    }
    if (!out.compute.empty()) out.weight /= static_cast<double>(out.compute.size());
    return out;
  }

  // Of the sum over a series of compute - utilization * wall.
  struct Variance {
    double of_sum = 0.0;
    std::size_t freedom = 0;  // 0 = not known
  };

  std::size_t cycle() const { return static_cast<std::size_t>(std::max<std::int64_t>(1, s_.loader.num_workers)); }

  // Where every position of an epoch is like every other. **Model** batch means (engine/statistics.h)
  Variance variance_of_batches(const Series& series) const {
    constexpr std::size_t kBatches = 20;
    const Interval interval = ratio_of_sums(series.compute, series.walls, cycle(), kBatches);
    if (!std::isfinite(interval.half_width)) return {};
    const double wall = std::accumulate(series.walls.begin(), series.walls.end(), 0.0);
    return {std::pow(interval.half_width / student_t95(kBatches - 1) * wall, 2), kBatches - 1};
  }

  // Where they change along an epoch, which is no luck. **Model** the variance of a part, of whole loader cycles in one
  // epoch or of whole epochs, is that of second differences of neighbours, (a - 2 b + c)^2 / 6
  // **Source** Gasser, Sroka & Jennen-Steinmetz 1986, Biometrika 73(3)
  Variance variance_of_differences(const Series& series) const {
    constexpr std::size_t kParts = 40;
    const std::size_t steps = series.compute.size();
    const double utilization = std::accumulate(series.compute.begin(), series.compute.end(), 0.0) /
                               std::max(1e-300, std::accumulate(series.walls.begin(), series.walls.end(), 0.0));
    const auto in_epoch =
        static_cast<std::size_t>(std::count(series.epochs.begin(), series.epochs.end(), series.epochs[steps / 2]));
    const bool within = in_epoch >= kParts;
    const std::size_t of = within ? in_epoch : steps, unit = within ? cycle() : in_epoch;
    const std::size_t wanted = std::max<std::size_t>(1, (of / kParts + unit - 1) / unit) * unit;
    const std::size_t part = std::max<std::size_t>(1, std::min(wanted, of / 8));
    std::vector<double> residual(steps / part, 0.0);
    for (std::size_t i = 0; i < residual.size() * part; ++i)
      residual[i / part] += series.compute[i] - utilization * series.walls[i];
    double squares = 0.0;
    std::size_t differences = 0;
    for (std::size_t p = 1; p + 1 < residual.size(); ++p) {
      if (within && series.epochs[(p - 1) * part] != series.epochs[(p + 2) * part - 1]) continue;
      const double d = residual[p - 1] - 2.0 * residual[p] + residual[p + 1];
      squares += d * d / 6.0;
      ++differences;
    }
    if (differences == 0) return {};
    const double parts = static_cast<double>(steps) / static_cast<double>(part);
    return {squares / static_cast<double>(differences) * parts, std::max<std::size_t>(1, differences / 2)};
  }

  bool changes_along_epochs(std::size_t r) const {
    if (outline_.endless) return false;
    return s_.staging.method == StagingMethod::kPrefetch || !outline_.regimes[r].mix.flat();
  }

  // What another seed might give: variances add up over regimes, each as often as its steps count.
  void measure_luck() {
    double variance = 0.0, wall = 0.0;
    std::size_t freedom = 0;
    bool known = true;
    for (const Step& step : steps_) wall += step.weight * step.wall_s;
    for (std::size_t r = 0; r < regimes(); ++r) {
      const Series series = series_of(r);
      if (series.compute.empty()) continue;
      const Variance own = changes_along_epochs(r) ? variance_of_differences(series) : variance_of_batches(series);
      known = known && own.freedom > 0;
      variance += series.weight * series.weight * own.of_sum;
      freedom += own.freedom;
      if (outline_.endless || !outline_.whole) check_settled(series.compute, series.walls);
    }
    out_.half_width =
        known && freedom > 0 ? student_t95(freedom) * std::sqrt(variance) / std::max(1e-300, wall) : kEverything;
    for (std::size_t r = 0; r < regimes(); ++r) {
      Estimate& estimate = out_.regimes[r].gpu_utilization;
      const double share = out_.regimes[r].time_s / std::max(1e-300, wall);
      const double half = std::min(1.0, share > 0.0 ? out_.half_width / std::sqrt(share) : 1.0);
      estimate.ci95_low = std::max(0.0, estimate.mean - half);
      estimate.ci95_high = std::min(1.0, estimate.mean + half);
    }
  }

  // A nearly sufficient supply drains the first batches loaded ahead only slowly: both halves must agree.
  void check_settled(const std::vector<double>& compute, const std::vector<double>& walls) {
    const std::size_t middle = compute.size() / 2;
    if (middle == 0) return;
    const auto mean = [&](std::size_t from, std::size_t to) {
      return std::accumulate(compute.begin() + static_cast<std::ptrdiff_t>(from),
                             compute.begin() + static_cast<std::ptrdiff_t>(to), 0.0) /
             std::max(1e-300, std::accumulate(walls.begin() + static_cast<std::ptrdiff_t>(from),
                                              walls.begin() + static_cast<std::ptrdiff_t>(to), 0.0));
    };
    out_.settled = out_.settled && std::abs(mean(0, middle) - mean(middle, compute.size())) <= 2.0 * s_.run.precision;
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
      compute += own * compute_s(k);
      wall += own * steps_[k].wall_s;
    }
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
    for (std::size_t e = 0; e < log_.epoch_first_step.size(); ++e) {
      const auto first = static_cast<std::size_t>(log_.epoch_first_step[e]);
      const std::size_t last = last_step_of(e);
      if (last < first + 2) continue;
      const double counts = epoch_counts(steps_[first].regime);
      double useful = 0.0, wall = 0.0, steps = 0.0;
      for (std::size_t k = first; k < last; ++k) {
        const Step& step = steps_[k];
        const bool edge = kCells[step.cell] != PhaseKind::kTraining && step.save < 0;
        const double own = outline_.endless || edge ? 1.0 : step.weight / counts;
        const double began = k == first ? log_.epoch_start_s[e] : step_start_s(k);
        wall += own * (log_.end_s[k] - began - lost_s(k, LostTime::kCheckpoint));
        steps += own;
        if (k > first) useful += own * compute_s(k);
      }
      out_.au_mlperf += counts * useful / (wall - log_.first_wait_s[e] - compute_s(first));
      out_.samples_per_s_mlperf += counts * steps * samples_per_step() * all_nodes_ / wall;
      epochs += counts;
    }
    if (epochs <= 0.0) return;
    out_.au_mlperf /= epochs;
    out_.samples_per_s_mlperf /= epochs;
  }

  // Epochs of the run that a simulated one of the regime stands for.
  double epoch_counts(std::size_t r) const {
    if (outline_.endless || (!outline_.weighted && what_.finished)) return 1.0;
    const auto simulated = static_cast<double>(std::count_if(outline_.epochs.begin(), outline_.epochs.end(),
                                                             [r](const Outline::Epoch& e) { return e.regime == r; }));
    return outline_.regimes[r].epochs / std::max(1.0, simulated);
  }

  void describe_saves() {
    SaveStatistics& out = out_.saves;
    const CheckpointSpec& c = s_.checkpoint;
    const bool tiered = c.first_level != CheckpointLevel::kStorage;
    double written = 0.0, stored = 0.0, all_stored = 0.0;
    for (std::size_t i = 0; i < saves_.size(); ++i) {
      const CheckpointLog& save = saves_[i];
      if (!is_counted(save)) continue;
      const double weight = save_weight_.empty() ? 1.0 : save_weight_[i];
      out.simulated += 1.0;
      out.count += weight;
      out.stop_s += weight * (save.resumed_s - save.due_s);
      out.backlog_s += weight * save.backlog_s;
      if (goes_to_storage(c, save.number)) all_stored += weight;
      const double began = c.mode == CheckpointMode::kSync ? save.due_s : save.resumed_s;
      if (save.first_level_s >= 0.0) {
        out.write_s += save.first_level_s - began;
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
    const double shorter = 1.0 / outline_.course.saved_part;
    if (written > 0.0) out.write_s *= shorter / written;
    if (stored > 0.0) out.storage_s *= shorter / stored;
    out.stored = all_stored;
  }

  void measure_cells() {
    out_.cell_step_s.assign(regimes(), {});
    std::vector<CellTimes> count(regimes());
    for (const Step& step : steps_) {
      if (step.save >= 0 || step.weight <= 0.0) continue;
      out_.cell_step_s[step.regime][step.cell] += step.wall_s;
      count[step.regime][step.cell] += 1.0;
    }
    for (std::size_t r = 0; r < regimes(); ++r)
      for (std::size_t c = 0; c < kCells.size(); ++c)
        if (count[r][c] > 0.0) out_.cell_step_s[r][c] /= count[r][c];
  }

  // A step of the cell without a checkpoint near: by the run without any, where checkpoints are near all steps of a
  // cell (at the end of every epoch). 0 = not known.
  double usual_step_s(std::size_t r, std::size_t cell) const {
    const double own = out_.cell_step_s[r][cell];
    if (own > 0.0) return own;
    if (r < outline_.clear_cell_s.size() && outline_.clear_cell_s[r][cell] > 0.0) return outline_.clear_cell_s[r][cell];
    if (const double training = out_.cell_step_s[r][cell_of(PhaseKind::kTraining)]; training > 0.0) return training;
    return outline_.clear_step_s.empty() ? 0.0 : outline_.clear_step_s[r];
  }

  // What steps in shadows took longer than others of their cell, beside the stops.
  void measure_slowdown() {
    double excess = 0.0;
    for (const Step& step : steps_) {
      if (step.save < 0) continue;
      const double usual = usual_step_s(step.regime, step.cell);
      if (usual <= 0.0) return;
      excess += step.weight * (step.wall_s - usual);
    }
    if (out_.saves.count > 0.0) out_.saves.slowdown_s = excess / out_.saves.count - out_.saves.stop_s;
  }

  const Simulated& what_;
  const Scenario& s_;
  const Outline& outline_;
  const StepLog& log_;
  const std::vector<CheckpointLog>& saves_;
  double all_nodes_;  // ranks of the job / simulated ranks
  std::vector<Step> steps_;
  std::vector<double> save_weight_;
  Account out_;
};

}  // namespace

Account account_of(const Simulated& what) { return Bookkeeper(what).run(); }

std::size_t warm_up_steps(const Scenario& s, const StepLog& log, std::size_t steps) {
  if (steps < 2) return 0;
  std::vector<double> walls;
  double previous = log.epoch_start_s.front();
  for (std::size_t k = 0; k < steps; ++k) {
    walls.push_back(log.end_s[k] - previous);
    previous = log.end_s[k];
  }
  const auto ahead = static_cast<std::size_t>(std::max<std::int64_t>(1, batches_ahead(s)));
  return std::max(std::min(walls.size() / 2, ahead), mser5_truncation(walls));
}

}  // namespace stallcast
