#include "core/plan/undisturbed.h"

#include "core/run/simulate_once.h"
#include "core/run/weeks.h"

namespace stallcast {
namespace {

std::uint64_t seed_of(const Scenario& s, const RunOptions& options) {
  return options.seed.value_or(static_cast<std::uint64_t>(s.run.seed));
}

}  // namespace

std::optional<Scenario> undisturbed_part(const Scenario& scenario) {
  if (!needs_calendar(scenario) || !scenario.run.uncertain.empty()) return std::nullopt;
  Scenario s = scenario;
  s.checkpoint = CheckpointSpec();
  s.failures = FailureSpec();
  s.storage.mean_time_to_data_loss = Seconds();
  return s;
}

RunResult simulate_undisturbed(const Scenario& undisturbed, const RunOptions& options) {
  return simulate_once(undisturbed, seed_of(undisturbed, options), options, nullptr);
}

RunResult with_calendar(const Scenario& scenario, const RunResult& undisturbed, const RunOptions& options) {
  return draw_out(scenario, undisturbed, seed_of(scenario, options), options);
}

}  // namespace stallcast
