#include "core/result/timeline_requirements.h"

#include <initializer_list>
#include <numeric>

namespace stallcast {
namespace {

// An ettr this little above a target has no room to it.
constexpr double kRoom = 1e-6;

double target_below(double ettr) {
  for (const double target : {0.99, 0.95, 0.9})
    if (ettr > target + kRoom) return target;
  return ettr - 0.01;
}

double sum_of(const SimulatedRun& run, std::initializer_list<WallTime> parts) {
  double sum = 0.0;
  for (const WallTime part : parts) sum += run.time_s[static_cast<std::size_t>(part)];
  return sum;
}

}  // namespace

std::optional<TimelineRequirements> timeline_requirements(const TimelineResult& timeline) {
  const SimulatedRun& mean = timeline.mean;
  if (timeline.replications == 0 || mean.wall_s <= 0.0) return std::nullopt;
  const double training_s = sum_of(mean, {WallTime::kTraining});
  const double undisturbed_s = training_s + sum_of(mean, {WallTime::kPreparation}) + timeline.startup_s;
  const double stops_s = sum_of(mean, {WallTime::kCheckpoint, WallTime::kBacklog});
  const double interruptions_s = mean.wall_s - undisturbed_s - stops_s;
  const double interruptions = std::accumulate(mean.interruptions.begin(), mean.interruptions.end(), 0.0);

  TimelineRequirements out;
  out.target_ettr = target_below(training_s / mean.wall_s);
  if (out.target_ettr <= 0.0) return std::nullopt;
  out.wall_s = training_s / out.target_ettr;
  const double budget_s = out.wall_s - undisturbed_s;
  if (interruptions > 0.0 && interruptions_s > 0.0) {
    out.interruption_cost_now_s = interruptions_s / interruptions;
    out.between_interruptions_now_s = mean.wall_s / interruptions;
    out.interruption_cost_s = (budget_s - stops_s) / interruptions;
    out.between_interruptions_s = out.wall_s * out.interruption_cost_now_s / (budget_s - stops_s);
  }
  if (mean.checkpoints > 0.0) {
    out.stop_now_s = stops_s / mean.checkpoints;
    out.stop_s = (budget_s - interruptions_s) / mean.checkpoints;
  }
  if (!out.interruption_cost_s && !out.stop_s) return std::nullopt;
  return out;
}

}  // namespace stallcast
