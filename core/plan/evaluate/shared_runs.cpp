#include "core/plan/evaluate/shared_runs.h"

#include <utility>

#include "core/diagnostics/invariant.h"

namespace stallcast {

SharedRuns::Claim SharedRuns::claim(const std::string& key, std::int64_t point) {
  const std::scoped_lock lock(mutex_);
  const auto [run, is_new] = runs_.try_emplace(key);
  if (is_new) return {nullptr, true};
  if (!run->second.result) run->second.waiting.push_back(point);
  return {run->second.result, false};
}

std::vector<std::int64_t> SharedRuns::finish(const std::string& key, std::shared_ptr<const RunResult> result) {
  const std::scoped_lock lock(mutex_);
  const auto run = runs_.find(key);
  invariant(run != runs_.end() && !run->second.result, "SharedRuns: a run is finished that nobody has claimed");
  run->second.result = std::move(result);
  std::vector<std::int64_t> waiting = std::exchange(run->second.waiting, {});
  finished_.push_back(run);
  if (finished_.size() > kept_) {
    runs_.erase(finished_.front());
    finished_.pop_front();
  }
  return waiting;
}

void SharedRuns::give_up(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  runs_.erase(key);
}

}  // namespace stallcast
