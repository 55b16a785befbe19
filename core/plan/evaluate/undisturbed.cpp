#include "core/plan/evaluate/undisturbed.h"

#include "core/timeline/weeks.h"

namespace stallcast {

std::optional<Scenario> undisturbed_part(const Scenario& scenario) {
  const bool disturbed = scenario.checkpoint.mode != CheckpointMode::kNone || needs_timeline(scenario);
  if (!disturbed || run_steps(scenario) <= 0.0 || !scenario.run.uncertain.empty()) return std::nullopt;
  Scenario s = scenario;
  s.checkpoint = CheckpointSpec();
  s.failures = FailureSpec();
  s.storage.mean_time_to_data_loss = Seconds();
  return s;
}

}  // namespace stallcast
