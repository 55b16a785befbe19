#include "core/steps/luck.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/engine/statistics.h"
#include "core/scenario/data_path.h"

namespace stallcast {
namespace {

class Measuring {
 public:
  Measuring(const Simulated& what, const std::vector<CountedStep>& steps)
      : what_(what), s_(what.scenario), outline_(what.outline), steps_(steps) {}

  Luck run() {
    double variance = 0.0, wall = 0.0;
    std::size_t freedom = 0;
    bool known = true;
    for (const CountedStep& step : steps_) wall += step.weight * step.wall_s;
    for (std::size_t r = 0; r < what_.regimes(); ++r) {
      const Series series = series_of(r);
      if (series.compute.empty()) continue;
      const Variance own = changes_along_epochs(r) ? variance_of_differences(series) : variance_of_batches(series);
      known = known && own.freedom > 0;
      variance += series.squared_weight * own.of_sum;
      freedom += own.freedom;
      if (outline_.endless || !outline_.whole) check_settled(series.compute, series.walls);
    }
    if (known && freedom > 0) out_.half_width = student_t95(freedom) * std::sqrt(variance) / std::max(1e-300, wall);
    return out_;
  }

 private:
  // The steps of a regime between the edges of its epochs. Stops for checkpoints and what ends an epoch are no luck.
  // **Units** seconds of a rank
  struct Series {
    std::vector<double> compute, walls;
    std::vector<std::size_t> epochs;
    double squared_weight = 0.0;  // of the tails, too, whose steps are taken to vary as these do; over their number
  };

  // Nobody loads beside the last steps of an epoch, so they are faster than others, which is no luck: they, and what is
  // left over of a wave before them, are left out where there are enough whole waves.
  Series series_of(std::size_t r) const {
    std::vector<std::size_t> between(what_.log().epoch_first_step.size() + 1);  // steps of each epoch
    for (const CountedStep& step : steps_)
      if (counts(step, r) && kCells[step.cell] == PhaseKind::kTraining) ++between[step.epoch];
    std::size_t waves = 0;
    for (const std::size_t count : between) waves += count / cycle();
    const bool whole_waves = waves >= kLeastCycles && !outline_.endless;
    Series out;
    std::vector<std::size_t> seen(between.size());
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const CountedStep& step = steps_[k];
      if (!counts(step, r)) continue;
      out.squared_weight += step.weight * step.weight;
      if (whole_waves && kCells[step.cell] == PhaseKind::kEpochEnd) continue;
      if (whole_waves && seen[step.epoch]++ >= between[step.epoch] / cycle() * cycle()) continue;
      out.compute.push_back(what_.compute_s(k));
      out.walls.push_back(step.wall_s - step.after_s - what_.lost_s(k, LostTime::kCheckpoint));
      out.epochs.push_back(step.epoch);
    }
    if (!out.compute.empty()) out.squared_weight /= static_cast<double>(out.compute.size());
    return out;
  }

  // A step of the regime after the head of its epoch.
  bool counts(const CountedStep& step, std::size_t r) const {
    if (step.regime != r || step.weight <= 0.0) return false;
    const PhaseKind kind = kCells[step.cell];
    return outline_.endless || (kind != PhaseKind::kStart && kind != PhaseKind::kTurn);
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
    return {std::pow(interval.half_width / student_t95(interval.batches - 1) * wall, 2), interval.batches - 1};
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
    const std::size_t part = of / wanted >= kLeastCycles ? wanted : std::max<std::size_t>(1, of / 8);
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
  const Simulated& what_;
  const Scenario& s_;
  const Outline& outline_;
  const std::vector<CountedStep>& steps_;
  Luck out_;
};

}  // namespace

Luck luck_of(const Simulated& what, const std::vector<CountedStep>& steps) { return Measuring(what, steps).run(); }

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
