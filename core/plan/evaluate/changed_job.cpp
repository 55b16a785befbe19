#include "core/plan/evaluate/changed_job.h"

#include <algorithm>

#include "core/plan/evaluate/evaluation.h"
#include "core/run/uncertainty.h"

namespace stallcast {

Scenario for_changes(const Scenario& scenario, const RunResult& result) {
  Scenario s = scenario;
  s.run.uncertain.clear();
  if (result.timeline.replications > 0 && s.checkpoint.mode != CheckpointMode::kNone) {
    s.checkpoint.cadence = CheckpointCadence::kTime;
    s.checkpoint.interval = interval_by_the_clock(result.timeline);
  }
  return s;
}

bool is_of_checkpoints(const Point& set) {
  return std::ranges::any_of(set, [](const Assignment& one) { return one.pointer.starts_with("/checkpoint/"); });
}

Loaded<ResolvedScenario> changed_job(const ScenarioFile& file, const Point& set, const RunResult& now,
                                     const Catalogue& catalogue) {
  Loaded<ResolvedScenario> out = resolve_at(file, set, catalogue);
  if (out.ok() && out.value->scenario.checkpoint.cadence == CheckpointCadence::kOptimal && !is_of_checkpoints(set))
    out.value->scenario = for_changes(out.value->scenario, now);
  return out;
}

}  // namespace stallcast
