// Simulations that many configurations share.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "core/plan/evaluate/evaluation.h"
#include "core/run/simulate.h"

namespace stallcast {

// Simulates once what has the same simulation_key(), with one seed, inputs as given and one thread. May be called from
// several threads.
class CommonRuns {
 public:
  CommonRuns(std::uint64_t seed, const RunOptions& options);

  Evaluation evaluate(const ResolvedScenario& resolved);
  std::int64_t runs() const { return static_cast<std::int64_t>(results_.size()); }

 private:
  std::uint64_t seed_;
  RunOptions options_;
  std::mutex mutex_;
  std::map<std::string, RunResult> results_;
};

}  // namespace stallcast
