#include "core/run/drawn_calendar.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/run/weeks.h"
#include "core/scenario/checkpoint_shape.h"

namespace stallcast {

std::optional<CalendarInput> calendar_input(const Scenario& scenario, const RunResult& result) {
  const double steps = run_steps(scenario);
  if (steps <= 0.0 || result.step_time_s.mean <= 0.0) return std::nullopt;
  const CalendarResult& calendar = result.calendar;
  RunResult base = result;
  const auto time = [&](WallTime what) { return calendar.mean.time_s[static_cast<std::size_t>(what)]; };
  const double trained = time(WallTime::kTraining);
  if (trained > 0.0)  // the result's utilization has the stops of checkpoints in it, a pace has not
    base.gpu_utilization.mean *= (trained + time(WallTime::kCheckpoint) + time(WallTime::kBacklog)) / trained;
  CalendarInput in;
  in.steps = steps;
  in.paces = paces_of(scenario, base);
  in.checkpoint = calendar.checkpoint;
  in.startup_s = calendar.startup_s;
  if (calendar.replications == 0) {  // its checkpoints, if any, are among the steps
    double training_s = 0.0, from = 0.0;
    for (const Pace& pace : in.paces) {
      training_s += (pace.until_step - from) * pace.step_s;
      from = pace.until_step;
    }
    in.startup_s = std::max(0.0, result.totals.training_s - training_s);
  }
  in.preparation_s = result.totals.listing_s + result.totals.staging_s;
  add_rehydration(scenario, in);
  if (scenario.checkpoint.mode != CheckpointMode::kNone) in.restore_bytes = checkpoint_shape(scenario).read_total;
  return in;
}

std::optional<DrawnCalendar> draw_calendar(const Scenario& scenario, const RunResult& result,
                                           std::uint64_t replication) {
  const std::optional<CalendarInput> input = calendar_input(scenario, result);
  if (!input) return std::nullopt;
  Scenario drawn = scenario;
  if (result.calendar.replications == 0) drawn.checkpoint.mode = CheckpointMode::kNone;
  const std::unique_ptr<Trainer> trainer = paced_trainer(drawn, *input, result.seed, replication);
  DrawnCalendar out;
  out.run = run_calendar(drawn, *input, *trainer, result.seed, replication, &out.log);
  if (!std::isfinite(out.run.wall_s)) return std::nullopt;
  return out;
}

}  // namespace stallcast
