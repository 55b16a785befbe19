#include "core/steps/outline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/model/storage/cache_play.h"
#include "core/model/storage/staging.h"
#include "core/scenario/data_path.h"
#include "core/scenario/run_length.h"
#include "core/steps/checkpoint_times.h"
#include "core/units/quantity.h"

namespace stallcast {
namespace {

// Steps at the least that are neither of the head nor of the tail.
constexpr double kBetween = 200.0, kBetweenCoarse = 25.0;
// Of an epoch that is shortened, the part that counts as its start where more is affordable than what must be: how long
// steps take to be as they are later is not known before.
constexpr double kHeadOfEpoch = 1.0 / 3.0;
constexpr double kSavesOfAKind = 3.0;  // at the least, where the run has so many

double steps_of_samples(const Scenario& s, double samples) {
  return samples / static_cast<double>(s.workload.batch_size * s.workload.gradient_accumulation);
}

// Of a rank, in which each of the workers or streams that read files side by side reads one; 0 = none does.
double steps_of_round(const Scenario& s) {
  std::int64_t readers = 0;
  if (s.loader.style == LoaderStyle::kIterable) readers = std::max<std::int64_t>(1, s.loader.num_workers);
  if (s.loader.style == LoaderStyle::kThreads && reads_in_file_order(s)) readers = reading_streams(s);
  return steps_of_samples(s, static_cast<double>(readers * s.dataset.samples_per_shard));
}

// An epoch of about `steps` steps. Readers of files side by side get fewer whole rounds of them, so that what is left
// over for some of them stays, or, where `whole_rounds` does not say so, as many files, each as much shorter.
EpochCourse epoch_course(const Scenario& s, std::int64_t steps, bool whole_rounds) {
  constexpr double kLeastOfFile = 4.0;
  EpochCourse epoch;
  epoch.batches = steps * s.workload.gradient_accumulation;
  const double round = steps_of_round(s), all = epoch_steps(s), wanted = static_cast<double>(steps);
  const std::int64_t shards = shards_per_rank(s);
  const bool iterable = s.loader.style == LoaderStyle::kIterable;
  if (round <= 0.0 || (iterable && shards == 0)) return epoch;
  if (!whole_rounds && wanted < all) {
    const auto file = static_cast<double>(s.dataset.samples_per_shard);
    epoch.file_samples =
        static_cast<std::int64_t>(std::min(file, std::max(kLeastOfFile, std::ceil(file * wanted / all))));
    epoch.shards = iterable ? shards : 0;
  } else if (iterable) {
    const std::int64_t workers = std::max<std::int64_t>(1, s.loader.num_workers);
    const auto rounds = static_cast<std::int64_t>(std::ceil(wanted / round));
    epoch.shards = std::min(shards, rounds * workers + shards % workers);
  } else if (wanted < all) {
    const double fewer = all - std::floor((all - wanted) / round) * round;
    epoch.batches = static_cast<std::int64_t>(fewer) * s.workload.gradient_accumulation;
  }
  return epoch;
}

std::int64_t steps_of(const Scenario& s, const EpochCourse& epoch) {
  if (epoch.shards == 0) return epoch.batches / s.workload.gradient_accumulation;
  Scenario short_one = s;
  short_one.run.steps_per_epoch = 0;
  short_one.dataset.shards_per_rank = epoch.shards;
  short_one.dataset.samples_per_shard = epoch.samples_of_file(s);
  return static_cast<std::int64_t>(epoch_steps(short_one));
}

// Multiples of `of` in (from, to].
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): an interval and a number
double multiples_in(double from, double to, double of) {
  return of > 0.0 ? std::floor(to / of) - std::floor(from / of) : 0.0;
}

double least_common_multiple(double a, double b) {
  const auto divisor = static_cast<double>(std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
  return a / divisor * b;
}

class Drawing {
 public:
  Drawing(const Scenario& job, const Effort& effort, const SavePlan* saves)
      : s_(job),
        affordable_(effort.steps),
        coarse_(effort.coarse),
        between_(effort.coarse ? kBetweenCoarse : kBetween) {
    out_.effort = effort;
    if (saves != nullptr) out_.save_plan = *saves;
    out_.epoch_steps = epoch_steps(s_);
    out_.endless = out_.epoch_steps <= 0.0;
    out_.regimes = regimes_of(s_);
    if (!out_.endless) split_while_copying();
    out_.whole = !out_.endless && (effort.whole || out_.epoch_steps * epochs() <= affordable_);
  }

  Outline run() {
    if (out_.endless) {
      out_.course.epochs.emplace_back();
      return std::move(out_);
    }
    find_edges();
    if (out_.save_plan) count_saves();
    for (std::size_t r = 0; r < out_.regimes.size(); ++r) {
      first_of_regime_.push_back(out_.epochs.size());
      add_epochs(r);
    }
    first_of_regime_.push_back(out_.epochs.size());
    lengthen_heads();
    make_course();
    make_plan();
    if (out_.save_plan) place_saves();
    return std::move(out_);
  }

 private:
  double epochs() const { return static_cast<double>(s_.run.epochs); }
  std::int64_t cycle() const { return std::max<std::int64_t>(1, s_.loader.num_workers); }
  double regime_steps(std::size_t r) const { return out_.regimes[r].epochs * out_.epoch_steps; }

  void find_edges() {
    const std::int64_t ahead = steps_on_their_way(s_), workers = cycle();
    out_.settling = (coarse_ ? 1 : 2) * (ahead + workers);
    out_.tail = ahead + 1;
    choose_files();
    if (whole_rounds_)
      out_.tail += static_cast<std::int64_t>(std::ceil(std::min(steps_of_round(s_), out_.epoch_steps)));
    // Workers that start together finish in waves, one batch each: what lies between head and tail is whole waves.
    out_.wave = workers;
    out_.settling = (out_.settling + workers - 1) / workers * workers;
    out_.tail = (out_.tail + workers - 1) / workers * workers;
    out_.head = out_.save_plan ? out_.save_plan->head : out_.settling;
  }

  // Whether files are as long as the run's, in fewer rounds of them, or each is as much shorter as the epoch. Where the
  // last round leaves readers without a file, an epoch is long enough for what its end takes anyway to be a small part
  // of the file that is read last, as far as that is affordable. Files are as long as the run's where a round of
  // them is not longer than what is simulated in either case.
  void choose_files() {
    constexpr double kRoundsAffordable = 4.0, kNoticed = 0.001, kMost = 10.0, kLongerThanTail = 100.0;
    const double of_file = steps_of_samples(s_, static_cast<double>(s_.dataset.samples_per_shard));
    const double files = std::max(1.0, out_.epoch_steps / of_file), round = steps_of_round(s_);
    const double readers = std::min(std::max(1.0, round / of_file), std::ceil(files - 1e-9));
    const double rounds = files / readers, idle = std::ceil(rounds - 1e-9) / rounds - 1.0;
    const auto regimes = static_cast<double>(out_.regimes.size());
    const auto tail = static_cast<double>(out_.tail + cycle());
    if (idle >= kNoticed) least_for_files_ = std::min(kLongerThanTail * tail * files, kMost * affordable_);
    whole_rounds_ = round <= std::max({least_for_files_, affordable_ / (kRoundsAffordable * regimes),
                                       between_ + static_cast<double>(out_.settling) + tail});
    if (whole_rounds_) least_for_files_ = 0.0;
  }

  // More of an epoch is its start where it is simulated for longer than it has to be. Where all files are shortened
  // what comes late in an epoch is as large a part of the rest as it is of the run's.
  void lengthen_heads() {
    if (out_.save_plan || out_.effort.briefest_start || !whole_rounds_) return;
    const auto fewer = [](const Outline::Epoch& a, const Outline::Epoch& b) { return a.steps < b.steps; };
    const std::int64_t shortest = std::min_element(out_.epochs.begin(), out_.epochs.end(), fewer)->steps;
    if (shortest >= static_cast<std::int64_t>(out_.epoch_steps)) return;
    const double third = kHeadOfEpoch * static_cast<double>(shortest);
    const auto before_tail = static_cast<double>(shortest - out_.tail) - std::min(between_, third);
    const auto part = static_cast<std::int64_t>(std::min(third, before_tail));
    out_.head = std::max(out_.head, part / out_.wave * out_.wave);
  }

  // While the dataset is copied no two epochs are alike: each is a regime, as long as the copy can take, and when that
  // is very long all of them are.
  void split_while_copying() {
    constexpr double kMostAlone = 12.0;
    if (s_.staging.method != StagingMethod::kPrefetch) return;
    const double epoch_s = std::max(1e-9, out_.epoch_steps * step_compute_s(s_));
    const double copying = std::min({epochs(), kMostAlone, std::ceil(1.5 * bulk_import(s_).copy_s / epoch_s) + 1.0});
    std::vector<Regime> split;
    for (const Regime& regime : out_.regimes) {
      for (double e = 0.0; e < regime.epochs;) {
        Regime part = regime;
        part.first = regime.first + e;
        part.epochs = part.first < copying ? 1.0 : regime.epochs - e;
        if (part.epochs < regime.epochs) part.name = name_of_epochs(part.first, part.epochs);
        e += part.epochs;
        split.push_back(std::move(part));
      }
    }
    out_.regimes = std::move(split);
  }

  // --- epochs ---

  // Of the steps that are affordable, those of a regime: at least a part of what an even share would be, else by its
  // length.
  double share_of(std::size_t r) const {
    const double all = out_.epoch_steps * epochs(), even = 1.0 / static_cast<double>(out_.regimes.size());
    return affordable_ * 0.5 * (regime_steps(r) / all + even);
  }

  void add_epochs(std::size_t r) {
    const Regime& regime = out_.regimes[r];
    double count = regime.epochs, steps = out_.epoch_steps;
    if (!out_.whole && regime_steps(r) > share_of(r)) {
      // The first epoch of the run starts workers, others turn from one into the next.
      const auto edges = static_cast<double>(out_.head + out_.tail), wave = static_cast<double>(cycle());
      double fewest = std::max(r == 0 ? 2.0 : 1.0, epochs_for_saves(r));
      // Credit for bursts that comes back while an epoch is validated does so as often as the run has epochs.
      if (has_bursts(s_.storage) && validation_s(s_) > 0.0)
        fewest = std::max(fewest, std::floor(share_of(r) / (edges + between_)));
      fewest = std::min(regime.epochs, fewest);
      count = std::clamp(std::floor(share_of(r) / out_.epoch_steps), fewest, regime.epochs);
      const double needed = std::max(least_for_files_, between_ + steps_for_saves(r) / count);
      const double between = std::max(needed, std::ceil(share_of(r) / count) - edges);
      steps = std::min(out_.epoch_steps, edges + std::ceil(between / wave) * wave);
    }
    for (double e = 0.0; e < count; e += 1.0)
      out_.epochs.push_back({r, regime.first + e, static_cast<std::int64_t>(steps)});
  }

  void make_course() {
    Course& course = out_.course;
    course.count = static_cast<std::int64_t>(out_.epochs.size());
    for (Outline::Epoch& epoch : out_.epochs) {
      EpochCourse& one = course.epochs.emplace_back(epoch_course(s_, epoch.steps, whole_rounds_));
      if (s_.loader.style == LoaderStyle::kIterable && one.shards == 0) {
        endless_shards();
        return;
      }
      one.kind = epoch.regime;
      epoch.steps = steps_of(s_, one);
      out_.steps += epoch.steps;
    }
    // Whole shards may be a little more, or less, than the steps that were asked for.
    out_.weighted = !out_.whole || static_cast<double>(out_.steps) != out_.epoch_steps * epochs();
    for (std::size_t e = 0; e < out_.epochs.size(); ++e) {
      const std::size_t r = out_.epochs[e].regime;
      double simulated = 0.0;
      for (std::size_t i = first_of_regime_[r]; i < first_of_regime_[r + 1]; ++i)
        simulated += static_cast<double>(out_.epochs[i].steps);
      if (out_.whole) continue;
      EpochCourse& one = course.epochs[e];
      const auto steps = static_cast<double>(out_.epochs[e].steps);
      const auto of_regime = static_cast<double>(first_of_regime_[r + 1] - first_of_regime_[r]);
      one.head = std::min(out_.head, out_.epochs[e].steps / 2);
      one.tail = std::min(out_.tail, out_.epochs[e].steps - one.head);
      const auto edges = static_cast<double>(one.head + one.tail);
      const double epochs = out_.regimes[r].epochs;
      one.tail_stands_for = one.head_stands_for = epochs / of_regime;
      // The first start of all comes once.
      if (r == 0 && of_regime > 1.0) one.head_stands_for = e == 0 ? 1.0 : (epochs - 1.0) / (of_regime - 1.0);
      one.stands_for = steps > edges ? std::max(0.0, regime_steps(r) - epochs * edges) / (simulated - of_regime * edges)
                                     : regime_steps(r) / simulated;
    }
  }

  // Shards that do not end: the run is one epoch, as long as all of them.
  void endless_shards() {
    const double all = out_.epoch_steps * epochs();
    const double steps = out_.whole ? all : std::min(all, std::max(affordable_, between_));
    out_.epochs = {{0, 0.0, static_cast<std::int64_t>(steps)}};
    out_.regimes.resize(1);
    out_.regimes.front().epochs = epochs();
    out_.course.epochs = {EpochCourse{}};
    out_.course.epochs.front().stands_for = all / steps;
    out_.course.count = 1;
    out_.steps = out_.epochs.front().steps;
    out_.weighted = !out_.whole;
    out_.tail = 0;
    first_of_regime_ = {0, 1};
  }

  void make_plan() {
    ReadPlan& plan = out_.plan;
    const bool copying = s_.staging.method == StagingMethod::kPrefetch;
    if (!has_kinds_of_reads(out_.regimes) && !copying) return;
    const KeyAccess pattern = key_access(s_);
    // Simulated whole every epoch has its own mix, else that of its kind.
    if (out_.whole && has_levels(s_)) {
      plan.mixes = play_epochs(s_, s_.run.epochs);
    } else {
      for (const Regime& regime : out_.regimes) plan.mixes.push_back(regime.mix);
    }
    for (std::size_t e = 0; e < out_.epochs.size(); ++e) {
      const Outline::Epoch& epoch = out_.epochs[e];
      const EpochCourse& one = out_.course.epochs[e];
      ReadPlan::Sweep& sweep = plan.sweeps.emplace_back();
      sweep.mix = out_.whole ? std::min(e, plan.mixes.size() - 1) : epoch.regime;
      const bool endless = one.shards == 0 && one.batches == EpochCourse::kEndless;
      sweep.samples = endless ? pattern.samples_per_epoch : counted_samples(s_, one);
      const auto per_step = static_cast<double>(s_.workload.batch_size * s_.workload.gradient_accumulation);
      sweep.stands_for = epoch.steps < static_cast<std::int64_t>(out_.epoch_steps)
                             ? std::max(sweep.samples, out_.epoch_steps * per_step)
                             : sweep.samples;
      // What is read in the steps between head and tail is what the steps after them compute on. Whole files may be
      // fewer samples than these steps: a tenth of them is left to stand for the rest of the epoch.
      const std::int64_t ahead = std::min(steps_on_their_way(s_), one.tail);
      sweep.head = std::min(0.9 * sweep.samples, static_cast<double>(one.head + ahead) * per_step);
      sweep.tail = std::min(0.9 * sweep.samples - sweep.head, static_cast<double>(one.tail - ahead) * per_step);
    }
    plan.samples_per_key = pattern.samples_per_key;
    if (copying) {
      const ImportTime import = bulk_import(s_);
      plan.copy_bytes = pattern.dataset_bytes;
      plan.copy_requests = import.read_requests / copies_of_dataset(s_);
      plan.copy_files = import.counted_files;
      plan.in_order = !pattern.reshuffled;
    }
  }

  // --- checkpoints ---

  double interval(std::size_t r) const {
    if (out_.save_plan->interval_steps > 0.0) return out_.save_plan->interval_steps;
    return interval_steps(s_, out_.save_plan->step_s[r]);
  }

  // Those by the clock come wherever the clock is.
  bool by_steps() const {
    return out_.save_plan->interval_steps > 0.0 || s_.checkpoint.cadence == CheckpointCadence::kSteps ||
           s_.checkpoint.cadence == CheckpointCadence::kEpochs;
  }

  double stored_every() const {
    return s_.checkpoint.first_level == CheckpointLevel::kStorage ? 1.0
                                                                  : static_cast<double>(s_.checkpoint.storage_every);
  }

  void count_saves() {
    double timed = 0.0;  // by the clock, up to the end of a regime
    for (std::size_t r = 0; r < out_.regimes.size(); ++r) {
      const double from = out_.regimes[r].first * out_.epoch_steps, to = from + regime_steps(r);
      const double every = interval(r), stored = every * stored_every();
      out_.save_interval.push_back(every);
      double all = 0.0, all_stored = 0.0, ends = 0.0, stored_ends = 0.0;
      if (by_steps()) {
        all = multiples_in(from, to, every);
        all_stored = multiples_in(from, to, stored);
        ends = multiples_in(from, to, least_common_multiple(every, out_.epoch_steps));
        stored_ends = multiples_in(from, to, least_common_multiple(stored, out_.epoch_steps));
      } else if (every > 0.0) {
        const double before = std::floor(timed);
        timed += regime_steps(r) / every;
        all = std::floor(timed) - before;
        all_stored =
            std::floor(timed / stored_every()) - std::floor((timed - regime_steps(r) / every) / stored_every());
      }
      auto& counts = out_.saves.emplace_back();
      counts[index_of({true, false})] = all_stored - stored_ends;
      counts[index_of({true, true})] = stored_ends;
      counts[index_of({false, false})] = all - all_stored - (ends - stored_ends);
      counts[index_of({false, true})] = ends - stored_ends;
    }
  }

  double write_steps(std::size_t r) const { return write_beside_time(s_) / std::max(1e-9, out_.save_plan->step_s[r]); }

  // Whether a checkpoint finds the write before it under way and waits for it.
  bool waits(std::size_t r) const { return s_.checkpoint.when_busy == WhenBusy::kWait && write_steps(r) > interval(r); }

  // How many times shorter writes are simulated. Where the next one waits for it, a write passes over no more steps
  // than lie between two checkpoints; training stands still for the rest, which takes no steps and has to be as long as
  // it is.
  double shorter() const {
    double longest = 0.0;
    for (std::size_t r = 0; r < out_.regimes.size(); ++r) {
      if (waits(r)) return 1.0;
      longest = std::max(longest, write_steps(r));
    }
    return std::max(1.0, longest / kMostWriteSteps);
  }

  // Steps from one checkpoint to the next where they are placed.
  double spacing(std::size_t r) const {
    const double write_steps = this->write_steps(r), shorter = this->shorter();
    if (write_steps > 0.7 * interval(r)) return std::max(1.0, std::round(interval(r) / shorter));
    return std::ceil(std::max(16.0, 1.5 * write_steps / shorter + 2.0 * static_cast<double>(out_.settling)));
  }

  double wanted_of_kind(std::size_t r, std::size_t kind) const { return std::min(out_.saves[r][kind], kSavesOfAKind); }

  double steps_for_saves(std::size_t r) const {
    if (!out_.save_plan) return 0.0;
    double wanted = 0.0;
    for (std::size_t k = 0; k < kSaveKinds.size(); ++k) wanted += wanted_of_kind(r, k);
    return wanted > 0.0 ? (wanted + 1.0) * spacing(r) : 0.0;
  }

  // Epochs that end with a checkpoint, as many that do not, and enough of short ones for those inside.
  double epochs_for_saves(std::size_t r) const {
    if (!out_.save_plan) return 0.0;
    double at_end = 0.0;
    for (std::size_t k = 0; k < kSaveKinds.size(); ++k)
      if (kSaveKinds[k].at_end) at_end += wanted_of_kind(r, k);
    return std::max(2.0 * at_end, std::ceil(steps_for_saves(r) / out_.epoch_steps));
  }

  struct Placed {
    std::int64_t step;
    std::size_t kind;
  };

  // Whether the clock itself is to say when: in every regime that has checkpoints it does so often enough.
  bool by_clock() const {
    constexpr double kOften = 5.0;
    if (by_steps() || out_.whole) return !by_steps();
    for (std::size_t r = 0; r < out_.regimes.size(); ++r) {
      double simulated = 0.0;
      for (std::size_t e = first_of_regime_[r]; e < first_of_regime_[r + 1]; ++e)
        simulated += static_cast<double>(out_.epochs[e].steps);
      const double every = interval(r), enough = std::max(every, std::min(kOften * every, regime_steps(r)));
      const double wanted = std::accumulate(out_.saves[r].begin(), out_.saves[r].end(), 0.0);
      if (wanted > 0.0 && (simulated < enough || shorter() > 1.0)) return false;
    }
    return true;
  }

  void place_saves() {
    if (by_clock()) {
      out_.saves.clear();
      return;
    }
    Course& course = out_.course;
    course.plans_saves = true;
    const double shorter = out_.whole ? 1.0 : this->shorter();
    std::int64_t before = 0;
    std::vector<Placed> placed;
    for (std::size_t r = 0; r < out_.regimes.size(); ++r) {
      std::vector<Placed> here = by_steps() ? as_they_come(r, before) : std::vector<Placed>{};
      std::array<bool, kSaveKinds.size()> lacking{};
      for (std::size_t k = 0; k < kSaveKinds.size(); ++k) {
        const auto found = std::count_if(here.begin(), here.end(), [k](const Placed& p) { return p.kind == k; });
        lacking[k] = shorter > 1.0 || static_cast<double>(found) < wanted_of_kind(r, k);
      }
      std::erase_if(here, [&lacking](const Placed& p) { return lacking[p.kind]; });
      const std::vector<Placed> more = spread(r, before, lacking);
      placed.insert(placed.end(), here.begin(), here.end());
      placed.insert(placed.end(), more.begin(), more.end());
      for (std::size_t e = first_of_regime_[r]; e < first_of_regime_[r + 1]; ++e) before += out_.epochs[e].steps;
    }
    course.saved_part = 1.0 / shorter;
    std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.step < b.step; });
    const auto every = static_cast<std::int64_t>(stored_every());
    double of_run = 0.0;
    for (const auto& kinds : out_.saves) of_run = std::accumulate(kinds.begin(), kinds.end(), of_run);
    for (const Placed& p : placed)
      if (course.saves.empty() || course.saves.back().step < p.step)
        course.saves.push_back({p.step, kSaveKinds[p.kind].stored ? every : 1});
    if (!course.saves.empty()) course.save_stands_for = of_run / static_cast<double>(course.saves.size());
  }

  // Those of the run that fall into what is simulated of it: an epoch that is shortened lacks the steps before its
  // tail.
  std::vector<Placed> as_they_come(std::size_t r, std::int64_t before) const {
    std::vector<Placed> out;
    const double every = interval(r);
    for (std::size_t e = first_of_regime_[r]; e < first_of_regime_[r + 1]; ++e) {
      const Outline::Epoch& epoch = out_.epochs[e];
      const double from = epoch.number * out_.epoch_steps, to = from + out_.epoch_steps;
      const bool short_one = static_cast<double>(epoch.steps) < out_.epoch_steps;
      const auto steps = static_cast<double>(epoch.steps),
                 last = steps - static_cast<double>(short_one ? out_.tail : 0);
      for (double at = (std::floor(from / every) + 1.0) * every; at <= to; at += every) {
        const bool at_end = at >= to;
        if (!at_end && at - from > last) {
          at = std::max(at, (std::floor(to / every) - 1.0) * every);
          continue;
        }
        const bool stored = std::fmod(std::round(at / every), stored_every()) == 0.0;
        const double within = at_end ? steps : at - from;
        out.push_back({before + static_cast<std::int64_t>(std::llround(within)), index_of({stored, at_end})});
      }
      before += epoch.steps;
    }
    return out;
  }

  // Some of every kind that is lacking, at a distance from each other.
  std::vector<Placed> spread(std::size_t r, std::int64_t before,
                             const std::array<bool, kSaveKinds.size()>& lacking) const {
    std::vector<Placed> out;
    std::vector<std::size_t> inside, ends;
    for (double n = 0.0; n < kSavesOfAKind; n += 1.0)
      for (std::size_t k = 0; k < kSaveKinds.size(); ++k)
        if (lacking[k] && n < wanted_of_kind(r, k)) (kSaveKinds[k].at_end ? ends : inside).push_back(k);
    const std::size_t first = first_of_regime_[r], count = first_of_regime_[r + 1] - first;
    std::int64_t all = 0;
    std::vector<std::int64_t> upto;
    for (std::size_t e = first; e < first + count; ++e) upto.push_back(all += out_.epochs[e].steps);
    for (std::size_t i = 0; i < std::min(ends.size(), count); ++i) {
      const std::size_t epoch = std::min(count - 1, (2 * i + 1) * count / (2 * std::min(ends.size(), count)));
      out.push_back({before + upto[epoch], ends[i]});
    }
    if (inside.empty()) return out;
    const double lead = std::min(static_cast<double>(out_.head) + 1.0, 0.3 * static_cast<double>(all));
    const double room = std::max(1.0, static_cast<double>(all) - lead - static_cast<double>(out_.tail));
    // Where one write follows upon the other it is their distance that counts, else they are as far apart as can be.
    const bool crowded =
        spacing(r) * static_cast<double>(inside.size() + 1) > room || write_steps(r) > 0.7 * interval(r);
    const double apart = crowded ? spacing(r) : room / static_cast<double>(inside.size());
    const auto many = crowded ? static_cast<std::size_t>(std::max(1.0, std::floor(room / spacing(r)))) : inside.size();
    // Those that are far apart leave the start of the run as it is, when datasets are still being copied.
    const double before_first = crowded ? 0.0 : 0.5 * apart;
    for (std::size_t i = 0; i < many; ++i) {
      auto at = static_cast<std::int64_t>(lead + before_first + static_cast<double>(i) * apart);
      at = between_edges(at, upto);
      out.push_back({before + std::max<std::int64_t>(1, at), inside[i % inside.size()]});
    }
    return out;
  }

  // `at`, or the nearest step of its epoch that is neither of the head nor so late that what follows is of the tail.
  std::int64_t between_edges(std::int64_t at, const std::vector<std::int64_t>& upto) const {
    const auto epoch = std::lower_bound(upto.begin(), upto.end(), at);
    if (epoch == upto.end()) return at;
    const std::int64_t begin = epoch == upto.begin() ? 0 : *(epoch - 1), steps = *epoch - begin;
    const std::int64_t first = begin + out_.head + 1, last = *epoch - out_.tail - out_.settling - 1;
    if (last < first) return std::max(begin + 1, begin + steps / 2);
    return std::clamp(at, first, last);
  }

  const Scenario& s_;
  double affordable_;
  bool coarse_;
  double between_;
  double least_for_files_ = 0.0;              // steps of an epoch, where files are shortened
  bool whole_rounds_ = true;                  // streams that read files side by side go through whole rounds of them
  std::vector<std::size_t> first_of_regime_;  // of the simulated epochs, and their number
  Outline out_;
};

}  // namespace

std::size_t index_of(const SaveKind& kind) { return (kind.stored ? 0U : 2U) + (kind.at_end ? 1U : 0U); }

std::int64_t steps_on_their_way(const Scenario& s) {
  const auto samples = static_cast<double>(s.workload.batch_size);
  auto batches = static_cast<double>(batches_ahead(s)) + samples_read_ahead(s) / samples;
  const bool reads_into_buffer = s.loader.style == LoaderStyle::kIterable || reading_streams(s) > 0;
  if (s.dataset.shuffle == Shuffle::kBuffer && reads_into_buffer) {
    const bool one = s.loader.style == LoaderStyle::kThreads || s.loader.num_workers == 0;
    batches += (one ? 1.0 : static_cast<double>(s.loader.num_workers)) * static_cast<double>(s.dataset.shuffle_buffer) /
               samples;
  }
  const double steps = std::ceil(batches / static_cast<double>(s.workload.gradient_accumulation));
  const double epoch = epoch_steps(s);
  return static_cast<std::int64_t>(std::clamp(steps, 1.0, epoch > 0.0 ? epoch : 1e12));
}

std::int64_t affordable_steps(const Scenario& s, double samples_affordable) {
  constexpr double kStepOfARank = 6.0;  // in samples: what a step takes beside them
  constexpr double kPrecision = 0.005;
  const auto ranks = static_cast<double>(s.ranks());
  const auto samples = static_cast<double>(s.workload.batch_size * s.workload.gradient_accumulation);
  const double finer = kPrecision / std::max(s.run.precision, 1e-6);
  const double steps = samples_affordable * finer * finer / (ranks * (samples + kStepOfARank));
  return static_cast<std::int64_t>(std::clamp(steps, 1.0, static_cast<double>(s.run.max_steps)));
}

Outline outline_of(const Scenario& job, const Effort& effort, const SavePlan* saves) {
  return Drawing(job, effort, saves).run();
}

double interval_steps(const Scenario& s, double step_s) {
  const CheckpointSpec& c = s.checkpoint;
  if (c.mode == CheckpointMode::kNone) return 0.0;
  switch (c.cadence) {
    case CheckpointCadence::kSteps:
      return static_cast<double>(c.interval_steps);
    case CheckpointCadence::kTime:
      return std::max(1.0, std::ceil(c.interval.base() / step_s - 1e-9));
    case CheckpointCadence::kEpochs:
      return std::max(1.0, static_cast<double>(c.interval_epochs) * epoch_steps(s));
    case CheckpointCadence::kContinuous:
      return std::max(1.0, std::ceil(write_beside_time(s) / step_s - 1e-9));
    case CheckpointCadence::kOptimal:
      break;
  }
  return 0.0;
}

}  // namespace stallcast
