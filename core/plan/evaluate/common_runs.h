// Simulations that many configurations share.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "core/run/simulate.h"

namespace stallcast {

// Simulates once what has the same simulation_key(). May be called from several threads.
class CommonRuns {
 public:
  // As simulate(). `options` are those of every call.
  RunResult simulate(const Scenario& scenario, const RunOptions& options);

  // That were simulated; none that a stop cut short.
  std::int64_t runs() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, RunResult> results_;
};

}  // namespace stallcast
