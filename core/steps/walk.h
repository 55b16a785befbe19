// An outline on the engine, and its account.
#pragma once

#include <cstdint>
#include <memory>

#include "core/model/loader/draws.h"
#include "core/result/trace.h"
#include "core/steps/account.h"
#include "core/steps/outline.h"
#include "core/steps/run_options.h"

namespace stallcast {

// What a simulation is given besides its scenario.
struct Setup {
  std::uint64_t seed = 0;
  const RunOptions& options;
  Trace* trace = nullptr;
  std::shared_ptr<const ReplayedDraws> replay = nullptr;
  Representatives nodes{1, 1};  // that are simulated, of the job's
};

struct Walk {
  std::int64_t steps = 0;  // simulated; 0 when it was stopped before any
  bool complete = false;   // all that the outline has, or of an endless run as long as the precision takes
  Account account;
  double simulated_s = 0.0;
  double waited_for_absent_s = 0.0;  // of them, for nodes that are not simulated
  double samples = 0.0;              // of all ranks, simulated
  double read_bytes = 0.0;           // from storage, simulated
  double written_bytes = 0.0;
  double time_to_first_batch_s = 0.0;
  double copied_s = 0.0;
  std::uint64_t events = 0;
  double wall_s = 0.0;
};

// `job` through `outline`, on all of its nodes or a few that stand for them.
Walk walk(const Scenario& job, const Outline& outline, const Setup& setup);

}  // namespace stallcast
