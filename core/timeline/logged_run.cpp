#include "core/timeline/logged_run.h"

#include <cmath>
#include <memory>

#include "core/timeline/weeks.h"

namespace stallcast {

std::optional<TimelineInput> timeline_input(const Scenario& scenario, const RunResult& result) {
  if (run_steps(scenario) <= 0.0 || result.step_time_s.mean <= 0.0) return std::nullopt;
  TimelineInput in = paced_input(scenario, result);
  if (result.timeline.replications == 0) return in;  // checkpoints, if any, are among the steps
  in.paces = result.timeline.paces;
  in.checkpoint = result.timeline.checkpoint;
  in.startup_s = result.timeline.startup_s;
  return in;
}

std::optional<LoggedRun> logged_run(const Scenario& scenario, const RunResult& result, std::uint64_t replication) {
  const std::optional<TimelineInput> input = timeline_input(scenario, result);
  if (!input) return std::nullopt;
  Scenario drawn = scenario;
  if (result.timeline.replications == 0) drawn.checkpoint.mode = CheckpointMode::kNone;
  const std::unique_ptr<Trainer> trainer = paced_trainer(drawn, *input, result.seed, replication);
  LoggedRun out;
  out.run = simulate_timeline(drawn, *input, *trainer, result.seed, replication, &out.log);
  if (!std::isfinite(out.run.wall_s)) return std::nullopt;
  return out;
}

}  // namespace stallcast
