#include "gui/session/live_progress.h"

#include <algorithm>

namespace stallcast::gui {
namespace {

constexpr double kShareAsGiven = 1.0 / 11.0;  // of a run with uncertain inputs: 39 draws of a quarter follow

double share(std::int64_t done, std::int64_t wanted) {
  return std::min(1.0, static_cast<double>(done) / static_cast<double>(wanted));
}

}  // namespace

void SharedProgress::put(const Progress& progress) {
  const std::scoped_lock lock(mutex_);
  latest_ = progress;
}

Progress SharedProgress::take() const {
  const std::scoped_lock lock(mutex_);
  return latest_;
}

double finishedFraction(const Progress& progress, const Scenario& scenario) {
  if (progress.draws_wanted > 0) {
    return kShareAsGiven + (1.0 - kShareAsGiven) * share(progress.draws, progress.draws_wanted);
  }
  const double part = scenario.run.uncertain.empty() ? 1.0 : kShareAsGiven;
  if (progress.runs_wanted > 0) return part * share(progress.runs, progress.runs_wanted);
  if (progress.steps_wanted > 0) return part * share(progress.steps, progress.steps_wanted);
  const double half_width = progress.gpu_utilization.half_width();
  if (half_width <= 0.0) return 0.0;
  const double nearness = std::min(1.0, scenario.run.precision / half_width);
  return part * nearness * nearness;
}

}  // namespace stallcast::gui
