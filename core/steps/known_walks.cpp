#include "core/steps/known_walks.h"

#include <memory>

#include "core/scenario/fields/simulation_key.h"
#include "core/units/byte_key.h"

namespace stallcast {
namespace {

// As far as steps feel it: what interrupts a run comes into it afterwards (timeline/), as does what is not known.
Scenario as_steps_feel(const Scenario& job) {
  Scenario s = job;
  if (s.checkpoint.mode == CheckpointMode::kNone) s.checkpoint = CheckpointSpec();
  s.failures = FailureSpec();
  s.storage.mean_time_to_data_loss = Seconds();
  s.run.uncertain.clear();
  return s;
}

}  // namespace

std::string walk_key(const Scenario& job, const Outline& outline, const Setup& setup) {
  ByteKey key;
  key.add(simulation_key(as_steps_feel(job)));
  key.add(setup.seed);
  for (const bool flag : {setup.options.exact, setup.options.coarse, outline.effort.whole,
                          outline.effort.briefest_start, outline.save_plan.has_value()})
    key.add(flag);
  key.add(static_cast<double>(setup.nodes.nodes));
  key.add(outline.effort.steps);
  if (!outline.save_plan) return key.take();
  key.add(outline.save_plan->interval_steps);
  key.add(outline.save_plan->head);
  key.add(outline.save_plan->step_s);
  for (const PlaceTimes& times : outline.save_plan->place_step_s) {
    key.add(times.sum_s);
    key.add(times.steps);
  }
  return key.take();
}

RunOptions sharing_walks(RunOptions options) {
  if (options.known == nullptr) options.known = std::make_shared<KnownWalks>();
  return options;
}

std::optional<Walk> KnownWalks::find(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = walks_.find(key);
  return found == walks_.end() ? std::nullopt : std::optional(found->second);
}

void KnownWalks::keep(const std::string& key, const Walk& walk) {
  const std::scoped_lock lock(mutex_);
  const auto [at, is_new] = walks_.try_emplace(key, walk);
  if (!is_new) return;
  oldest_first_.push_back(at);
  if (oldest_first_.size() <= kept_) return;
  walks_.erase(oldest_first_.front());
  oldest_first_.pop_front();
}

std::size_t KnownWalks::size() const {
  const std::scoped_lock lock(mutex_);
  return walks_.size();
}

}  // namespace stallcast
