#include "core/timeline/optimal_interval.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/analytic/checkpoint_interval.h"
#include "core/steps/checkpoint_times.h"
#include "core/timeline/interruptions.h"
#include "core/timeline/replications.h"

namespace stallcast {
namespace {

constexpr double kMostCheckpoints = 1e6;  // simulated for one interval: about a tenth of a second

// **Range** the run's own length where nothing is ever lost
double mean_between(const Scenario& s, double run_s) {
  const double mtti_s = unplanned_mtti_s(s);
  return mtti_s > 0.0 ? mtti_s : run_s;
}

// Of the first level, which is where every checkpoint goes: each n-th of them is on storage.
double shortest_interval_s(const Scenario& s) {
  const CheckpointSpec& c = s.checkpoint;
  const bool goes_on = c.first_level != CheckpointLevel::kStorage;
  return c.shortest_interval.base() / static_cast<double>(goes_on ? c.storage_every : 1);
}

class Search {
 public:
  Search(const Scenario& s, const TimelineInput& input, double step_s, std::uint64_t seed, RunOptions options)
      : s_(s), input_(input), step_s_(step_s), seed_(seed), options_(std::move(options)) {
    options_.exact = false;
    options_.journal.clear();
    // Enough interruptions for the difference between two intervals to show, and no more checkpoints than take a
    // tenth of a second.
    const double run_s = step_s * input.steps;
    const double expected = std::max(1.0, run_s / mean_between(s, run_s));
    const double checkpoints = run_s / std::max(step_s, first_guess());
    const double wanted = std::clamp(20000.0 / expected, 100.0, 4000.0);
    options_.replications = static_cast<std::int64_t>(
        std::clamp(wanted, 20.0, std::max(20.0, kMostCheckpoints / std::max(1.0, checkpoints))));
  }

  OptimalInterval run() {
    constexpr int kCoarse = 9, kFine = 9;
    const double guess = first_guess();
    double best = guess;
    double least = measure(guess);
    for (int i = 0; i < kCoarse; ++i) {
      const double interval = guess * std::pow(8.0, 2.0 * i / (kCoarse - 1.0) - 1.0);
      const double wall = measure(interval);
      if (wall < least) {
        least = wall;
        best = interval;
      }
    }
    std::vector<double> x, y;
    for (int i = 0; i < kFine; ++i) {
      const double at = std::log(2.0) * (2.0 * i / (kFine - 1.0) - 1.0);
      x.push_back(at);
      y.push_back(measure(best * std::exp(at)));
    }
    out_.free_s = out_.interval_s = held(best * std::exp(least_of_cubic(x, y)));
    out_.free_wall_s = out_.wall_s = measure(out_.free_s);
    if (const double shortest = held(shortest_interval_s(s_)); out_.free_s < shortest) {
      out_.interval_s = shortest;
      out_.wall_s = measure(shortest);
    }
    std::sort(out_.points.begin(), out_.points.end(),
              [](const auto& a, const auto& b) { return a.interval_s < b.interval_s; });
    return out_;
  }

 private:
  double first_guess() const {
    const CheckpointBehaviour& b = input_.checkpoint;
    const double stop = std::max(1e-3 * step_s_, b.stop_s + b.slowdown_s);
    const double daly = daly_interval(stop, mean_between(s_, step_s_ * input_.steps));
    return held(std::max(daly, s_.checkpoint.mode == CheckpointMode::kAsync ? b.write_s : 0.0));
  }
  double held(double interval) const { return std::clamp(interval, step_s_, step_s_ * input_.steps); }

  double measure(double interval) {
    TimelineInput input = input_;
    input.checkpoint.interval_s = held(interval);
    input.checkpoint.interval_steps = std::max(1.0, std::round(held(interval) / step_s_));
    const std::vector<SimulatedRun> runs = replicate(s_, input, seed_, options_);
    const double wall = runs.empty() ? 0.0 : mean_of(runs).wall_s;
    out_.points.push_back({input.checkpoint.interval_steps * step_s_, wall});
    return wall;
  }

  static double least_of_cubic(const std::vector<double>& x, const std::vector<double>& y) {
    Eigen::MatrixXd a(static_cast<Eigen::Index>(x.size()), 4);
    Eigen::VectorXd b(static_cast<Eigen::Index>(x.size()));
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      const double at = x[static_cast<std::size_t>(i)];
      a.row(i) << 1.0, at, at * at, at * at * at;
      b(i) = y[static_cast<std::size_t>(i)];
    }
    if (!b.allFinite()) return 0.0;
    const Eigen::VectorXd c = a.colPivHouseholderQr().solve(b);
    double best = x.front(), least = INFINITY;
    constexpr int kGrid = 2000;
    for (int i = 0; i <= kGrid; ++i) {
      const double at = x.front() + (x.back() - x.front()) * i / kGrid;
      const double value = c(0) + at * (c(1) + at * (c(2) + at * c(3)));
      if (value < least) {
        least = value;
        best = at;
      }
    }
    return best;
  }

  const Scenario& s_;
  const TimelineInput& input_;
  double step_s_;
  std::uint64_t seed_;
  RunOptions options_;
  OptimalInterval out_;
};

}  // namespace

OptimalInterval optimal_interval_of(const Scenario& s, const TimelineInput& input, double step_s, std::uint64_t seed,
                                    const RunOptions& options) {
  return Search(s, input, step_s, seed, options).run();
}

double estimated_interval(const Scenario& s, double least_stop_s) {
  const CheckpointSpec& c = s.checkpoint;
  const double mtti_s = unplanned_mtti_s(s);
  if (mtti_s <= 0.0) return 0.0;
  const bool sync = c.mode == CheckpointMode::kSync, tiered = c.first_level != CheckpointLevel::kStorage;
  const double first_level_s = first_level_write_time(s);
  const double stop_s = !sync ? c.snapshot_time.base() : tiered ? first_level_s : storage_write_time(s);
  const double daly = daly_interval(std::max(least_stop_s, stop_s), mtti_s);
  // Of a first level only each n-th goes on to storage.
  const double beside_s = write_beside_time(s) / static_cast<double>(tiered ? c.storage_every : 1);
  return std::max({daly, beside_s, sync ? 0.0 : first_level_s, shortest_interval_s(s)});
}

}  // namespace stallcast
