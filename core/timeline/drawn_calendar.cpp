#include "core/timeline/drawn_calendar.h"

#include <cmath>
#include <memory>

#include "core/timeline/weeks.h"

namespace stallcast {

std::optional<CalendarInput> calendar_input(const Scenario& scenario, const RunResult& result) {
  if (run_steps(scenario) <= 0.0 || result.step_time_s.mean <= 0.0) return std::nullopt;
  CalendarInput in = paced_input(scenario, result);
  if (result.calendar.replications == 0) return in;  // checkpoints, if any, are among the steps
  in.paces = result.calendar.paces;
  in.checkpoint = result.calendar.checkpoint;
  in.startup_s = result.calendar.startup_s;
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
