#include "core/steps/counted_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/scenario/checkpoint_shape.h"

namespace stallcast {
namespace {

constexpr double kEverything = std::numeric_limits<double>::infinity();

class Counting {
 public:
  explicit Counting(const Simulated& what)
      : what_(what), s_(what.scenario), outline_(what.outline), places_(what.places()) {}

  CountedSteps run() {
    lay_out_steps();
    cast_shadows();
    weigh();
    return std::move(out_);
  }

 private:
  // --- which step is what ---

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
    out_.steps.resize(what_.steps);
    for (std::size_t e = 0; e < what_.log().epoch_first_step.size(); ++e) {
      const auto first = static_cast<std::size_t>(what_.log().epoch_first_step[e]);
      const std::size_t last = what_.end_of(e);
      if (first >= last) continue;
      const auto length = static_cast<double>(last - first);
      const Edges edges = edges_of(length);
      for (std::size_t k = first; k < last; ++k) {
        CountedStep& step = out_.steps[k];
        const auto at = static_cast<double>(k - first);
        step.epoch = e;
        step.regime = outline_.endless ? 0 : outline_.epochs[std::min(e, outline_.epochs.size() - 1)].regime;
        const bool head = outline_.endless ? k < what_.drop : at < edges.head;
        const PhaseKind kind = head                        ? e == 0 ? PhaseKind::kStart : PhaseKind::kTurn
                               : at >= length - edges.tail ? PhaseKind::kEpochEnd
                                                           : PhaseKind::kTraining;
        step.cell = cell_of(kind);
        step.place =
            places_.of(step.cell, static_cast<std::int64_t>(k - first), static_cast<std::int64_t>(last - first));
        step.wall_s = what_.log().end_s[k] - what_.step_start_s(k);
      }
      if (!outline_.endless)
        out_.steps[last - 1].after_s = std::max(0.0, what_.log().end_s[last - 1] - what_.log().epoch_end_s[e]);
    }
  }

  std::size_t kind_of(const CheckpointLog& save) const {
    const auto k = static_cast<std::size_t>(save.step) - 1;
    const bool at_end = k + 1 == what_.end_of(out_.steps[k].epoch) && k + 1 < what_.steps;
    const bool last = k + 1 == what_.steps && !outline_.endless;
    return index_of({goes_to_storage(s_.checkpoint, save.number), at_end || last});
  }

  // From the stop until the write is over and what was loaded meanwhile is used up, or the next one comes.
  void cast_shadows() {
    for (std::size_t i = 0; i < what_.saves().size(); ++i) {
      const CheckpointLog& save = what_.saves()[i];
      if (save.step < 1 || static_cast<std::size_t>(save.step) > what_.steps) continue;
      const auto first = static_cast<std::size_t>(save.step) - 1;
      const bool placed = !outline_.saves.empty();
      const double interval = placed ? outline_.save_interval[out_.steps[first].regime] : kEverything;
      const auto longest = static_cast<std::size_t>(std::clamp(interval, 1.0, static_cast<double>(what_.steps)));
      const std::size_t next =
          i + 1 < what_.saves().size() ? static_cast<std::size_t>(what_.saves()[i + 1].step) - 1 : what_.steps;
      const bool stores = goes_to_storage(s_.checkpoint, save.number);
      const double written = stores ? save.storage_s : save.first_level_s;
      const double over = written >= 0.0 ? written : kEverything;
      std::size_t k = first;
      out_.steps[k++].save = static_cast<std::ptrdiff_t>(i);
      const double shorter = 1.0 / outline_.course.saved_part;
      for (; k < std::min({next, what_.steps, first + longest}) && what_.step_start_s(k) < over; ++k) {
        out_.steps[k].save = static_cast<std::ptrdiff_t>(i);
        out_.steps[k].weight = shorter;
      }
      const std::size_t after = k + static_cast<std::size_t>(outline_.settling);
      for (; k < std::min({next, what_.steps, after, first + longest}); ++k)
        out_.steps[k].save = static_cast<std::ptrdiff_t>(i);
    }
  }

  // --- how often each step counts ---

  using SaveCounts = std::vector<std::array<double, kSaveKinds.size()>>;  // by regime and kind

  void weigh() {
    if (outline_.endless || what_.counts_once()) {
      for (std::size_t k = 0; k < out_.steps.size(); ++k)
        out_.steps[k].weight = outline_.endless && k < what_.drop ? 0.0 : 1.0;
      return;
    }
    weigh_shadows();
    for (std::size_t r = 0; r < what_.regimes(); ++r) weigh_cells(r);
  }

  // Shadows of a kind count as often as the run has checkpoints of that kind. Where none of a kind was simulated,
  // others of the regime do, and where there are none of these, those of other regimes.
  void weigh_shadows() {
    if (what_.saves().empty()) return;
    SaveCounts simulated(what_.regimes());
    for (const CheckpointLog& save : what_.saves())
      if (what_.has(save)) simulated[out_.steps[at(save)].regime][kind_of(save)] += 1.0;
    const bool by_clock = outline_.saves.empty();
    SaveCounts wanted = by_clock ? counts_by_the_clock(simulated) : outline_.saves;
    for (std::size_t r = 0; r < what_.regimes(); ++r) {
      for (std::size_t k = 0; k < kSaveKinds.size(); ++k) {
        if (wanted[r][k] <= 0.0 || simulated[r][k] > 0.0) continue;
        move_to_simulated(r, k, simulated, wanted);
      }
    }
    out_.save_weight.assign(what_.saves().size(), 0.0);
    const auto skipped = static_cast<double>(what_.model.checkpointer().skipped());
    const auto written = static_cast<double>(what_.saves().size());
    const double not_skipped = by_clock ? 1.0 : written / (written + skipped);  // the clock counted those written
    // The first finds no write before it under way: it is the first of the run, too, and comes once.
    const auto first = std::find_if(what_.saves().begin(), what_.saves().end(),
                                    [this](const CheckpointLog& s) { return what_.has(s); });
    // Others share what is left by how often steps at their places come: more of an epoch's start is simulated than of
    // what follows.
    const std::vector<std::array<double, kCells.size()>> often = how_often_steps_come();
    const auto often_at = [&](const CheckpointLog& save) {
      return often[out_.steps[at(save)].regime][out_.steps[at(save)].cell];
    };
    SaveCounts shares(what_.regimes());
    for (const CheckpointLog& save : what_.saves())
      if (what_.has(save)) shares[out_.steps[at(save)].regime][kind_of(save)] += often_at(save);
    for (auto save = first; save != what_.saves().end(); ++save) {
      if (!what_.has(*save)) continue;
      const std::size_t r = out_.steps[at(*save)].regime, k = kind_of(*save);
      const bool like_first =
          r == out_.steps[at(*first)].regime && k == kind_of(*first) && simulated[r][k] > 1.0 && wanted[r][k] >= 1.0;
      const double weight = !like_first ? wanted[r][k] * often_at(*save) / shares[r][k]
                            : save == first
                                ? 1.0
                                : (wanted[r][k] - 1.0) * often_at(*save) / (shares[r][k] - often_at(*first));
      out_.save_weight[static_cast<std::size_t>(save - what_.saves().begin())] = not_skipped * weight;
    }
    for (CountedStep& step : out_.steps)
      if (step.save >= 0) step.weight *= out_.save_weight[static_cast<std::size_t>(step.save)];
  }

  // Steps of the run for each that was simulated, by regime and cell.
  std::vector<std::array<double, kCells.size()>> how_often_steps_come() const {
    std::vector<std::array<double, kCells.size()>> simulated(what_.regimes());
    for (const CountedStep& step : out_.steps) simulated[step.regime][step.cell] += 1.0;
    for (std::size_t r = 0; r < simulated.size(); ++r) {
      const std::array<double, kCells.size()> of_run = cells_of_run(r);
      for (std::size_t c = 0; c < kCells.size(); ++c)
        simulated[r][c] = simulated[r][c] > 0.0 && of_run[c] > 0.0 ? of_run[c] / simulated[r][c] : 1.0;
    }
    return simulated;
  }

  // Where the clock placed them. Up to the first regime that is not simulated whole it did so as in the run, and there
  // the first comes when it does in the run and others as far apart as those that were simulated. Later regimes begin
  // at any time between two of them.
  SaveCounts counts_by_the_clock(SaveCounts counts) const {
    bool as_in_run = true;
    std::int64_t before = 0;  // simulated steps
    auto save = what_.saves().begin();
    for (std::size_t r = 0; r < counts.size(); ++r) {
      std::int64_t simulated = 0;
      for (const Outline::Epoch& epoch : outline_.epochs) simulated += epoch.regime == r ? epoch.steps : 0;
      std::vector<const CheckpointLog*> here;
      for (; save != what_.saves().end() && save->step <= before + simulated; ++save)
        if (what_.has(*save)) here.push_back(&*save);
      const double steps = outline_.regimes[r].epochs * outline_.epoch_steps;
      if (as_in_run && static_cast<double>(simulated) == steps) {
        before += simulated;
        continue;
      }
      if (!here.empty()) scale(counts[r], here, run_has(here, before, steps, as_in_run));
      before += simulated;
      as_in_run = false;
    }
    return counts;
  }

  // Checkpoints in `steps` steps of the run, of which those `here` come after `before` simulated ones.
  static double run_has(const std::vector<const CheckpointLog*>& here, std::int64_t before, double steps,
                        bool as_in_run) {
    const auto first = static_cast<double>(here.front()->step - before),
               last = static_cast<double>(here.back()->step - before);
    const double apart = here.size() > 1 ? (last - first) / static_cast<double>(here.size() - 1) : last;
    return as_in_run ? 1.0 + std::floor((steps - first) / apart) : steps / apart;
  }

  // To `count` of them, of which as many go on to storage as of so many in a row.
  void scale(std::array<double, kSaveKinds.size()>& kinds, const std::vector<const CheckpointLog*>& here,
             double count) const {
    std::array<double, 2> simulated{}, in_a_row{};
    for (std::size_t k = 0; k < kinds.size(); ++k) simulated[kSaveKinds[k].stored ? 1 : 0] += kinds[k];
    const auto numbers = static_cast<std::int64_t>(std::ceil(count));
    for (std::int64_t n = 0; n < numbers; ++n)
      in_a_row[goes_to_storage(s_.checkpoint, here.front()->number + n) ? 1 : 0] += 1.0;
    const bool both = simulated[0] > 0.0 && simulated[1] > 0.0;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const std::size_t stored = kSaveKinds[k].stored ? 1 : 0;
      kinds[k] *= both ? in_a_row[stored] / static_cast<double>(numbers) * count / simulated[stored]
                       : count / (simulated[0] + simulated[1]);
    }
  }

  static void move_to_simulated(std::size_t r, std::size_t k, const SaveCounts& simulated, SaveCounts& wanted) {
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

  // The steps of each cell are as many as the run has, those in shadows among them.
  void weigh_cells(std::size_t r) {
    std::array<double, kCells.size()> shadows{}, others{}, wanted = cells_of_run(r);
    double stops = 0.0;
    for (std::size_t k = 0; k < out_.steps.size(); ++k) {
      const CountedStep& step = out_.steps[k];
      if (step.regime != r) continue;
      if (step.save >= 0) {
        shadows[step.cell] += step.weight;
        if (is_stop(k)) stops += step.weight;
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
    double of_shadows = std::min(all, in_shadow);
    if (others[training] > 0.0) {
      of_other[training] = (rest - edges) / others[training];
    } else if (in_shadow > 0.0) {
      of_shadows = all - edges;
    } else if (edges > 0.0) {
      for (double& weight : of_other) weight *= all / edges;
    }
    // There are as many stops as checkpoints; what follows upon them makes up the rest.
    const double behind = in_shadow - stops;
    const bool stops_stay = behind > 0.0 && of_shadows >= stops;
    const double of_all = in_shadow > 0.0 ? of_shadows / in_shadow : 1.0;
    const double of_stop = stops_stay ? 1.0 : of_all, of_behind = stops_stay ? (of_shadows - stops) / behind : of_all;
    for (std::size_t k = 0; k < out_.steps.size(); ++k) {
      CountedStep& step = out_.steps[k];
      if (step.regime != r) continue;
      step.weight = step.save < 0 ? of_other[step.cell] : step.weight * (is_stop(k) ? of_stop : of_behind);
    }
    if (in_shadow > 0.0) weigh_places(r);
  }

  // Of what a cell counts for outside shadows, each place gets what those in shadows leave of it: a wave that begins
  // with a slow batch does so as often as the run has waves, whether a checkpoint was near it or not.
  void weigh_places(std::size_t r) {
    const std::vector<double> wanted = places_of_run(r);
    std::vector<double> shadows(places_.size()), others(places_.size()), weight(places_.size());
    std::array<double, kCells.size()> of_cell{};
    for (const CountedStep& step : out_.steps) {
      if (step.regime != r) continue;
      if (step.save >= 0) {
        shadows[step.place] += step.weight;
      } else {
        others[step.place] += 1.0;
        of_cell[step.cell] += step.weight;
      }
    }
    for (std::size_t c = 0; c < kCells.size(); ++c) {
      double left = 0.0;
      for (std::size_t p = places_.first(c); p < places_.last(c); ++p) {
        if (others[p] > 0.0) weight[p] = std::max(0.0, wanted[p] - shadows[p]);
        left += weight[p];
      }
      for (std::size_t p = places_.first(c); left > 0.0 && p < places_.last(c); ++p)
        if (others[p] > 0.0) weight[p] *= of_cell[c] / left / others[p];
      if (left <= 0.0) of_cell[c] = 0.0;
    }
    for (CountedStep& step : out_.steps)
      if (step.regime == r && step.save < 0 && of_cell[step.cell] > 0.0) step.weight = weight[step.place];
  }

  // Whether a step in a shadow is the one after which training stood still.
  bool is_stop(std::size_t k) const { return at(what_.saves()[static_cast<std::size_t>(out_.steps[k].save)]) == k; }

  // Steps of the run.
  std::array<double, kCells.size()> cells_of_run(std::size_t r) const {
    const double epochs = outline_.regimes[r].epochs, starts = r == 0 ? 1.0 : 0.0;
    const Edges edges = edges_of_run(r);
    std::array<double, kCells.size()> out{};
    out[cell_of(PhaseKind::kStart)] = starts * edges.head;
    out[cell_of(PhaseKind::kTurn)] = (epochs - starts) * edges.head;
    out[cell_of(PhaseKind::kEpochEnd)] = epochs * edges.tail;
    out[cell_of(PhaseKind::kTraining)] = std::max(0.0, epochs * (outline_.epoch_steps - edges.head - edges.tail));
    return out;
  }

  std::vector<double> places_of_run(std::size_t r) const {
    const std::array<double, kCells.size()> cells = cells_of_run(r);
    const Edges edges = edges_of_run(r);
    std::vector<double> out(places_.size());
    for (std::size_t c = 0; c < kCells.size(); ++c) {
      const auto size = static_cast<double>(places_.last(c) - places_.first(c));
      const double from = kCells[c] == PhaseKind::kEpochEnd ? size - std::min(size, edges.tail) : 0.0;
      const double to = c <= cell_of(PhaseKind::kTurn) ? std::max(1.0, std::min(size, edges.head)) : size;
      for (double p = from; p < to; p += 1.0)
        out[places_.first(c) + static_cast<std::size_t>(p)] = cells[c] / (to - from);
    }
    return out;
  }

  // Of the epochs of a regime, as they were simulated.
  Edges edges_of_run(std::size_t r) const {
    double longest = 0.0;
    for (const auto& epoch : outline_.epochs)
      if (epoch.regime == r) longest = std::max(longest, static_cast<double>(epoch.steps));
    return edges_of(std::min(longest, outline_.epoch_steps));
  }
  static std::size_t at(const CheckpointLog& save) { return static_cast<std::size_t>(save.step) - 1; }

  const Simulated& what_;
  const Scenario& s_;
  const Outline& outline_;
  const Places places_;
  CountedSteps out_;
};

}  // namespace

CountedSteps count_steps(const Simulated& what) { return Counting(what).run(); }

}  // namespace stallcast
