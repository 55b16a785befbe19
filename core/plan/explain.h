// Why a job runs as it does: the bound beside the simulated value, and what each idealised part would buy back.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result/bound.h"
#include "core/run/interval_explanation.h"
#include "core/run/simulate.h"

namespace stallcast {

// What kind of change a counterfactual is: an experiment of thought, or something a person can set today.
enum class ChangeKind { kIdeal, kSetting };

// The same job with one thing changed, run with the same luck.
struct Counterfactual {
  std::string name;  // stable snake_case word: "storage_latency", "double_workers", ...
  ChangeKind kind = ChangeKind::kIdeal;
  std::string phrase;  // "storage answers at once", "loader.num_workers 4 -> 8"
  Estimate gpu_utilization;
  double gain = 0.0;  // utilization bought back; negative when the change makes it worse
};

struct Explanation {
  RunResult result;
  Bound bound;
  std::string gap_reason;                                  // one sentence: why the simulated value is not the bound
  std::string bottleneck;                                  // bottleneck_name(result)
  std::string change_first;                                // one sentence
  std::vector<Counterfactual> counterfactuals;             // largest gain first; those that cannot apply are left out
  std::optional<IntervalExplanation> checkpoint_interval;  // where there are checkpoints and interruptions
  bool complete = true;                                    // false when stopped before every counterfactual was run
};

using Simulation = std::function<RunResult(const Scenario&, const RunOptions&)>;

// One changed scenario per counterfactual that applies to `scenario`, in the order of the causes; gains are 0.
struct Change {
  Counterfactual what;
  Scenario scenario;
};
std::vector<Change> possible_changes(const Scenario& scenario);

// Simulates `scenario`, then each of possible_changes() with the same seed, several at a time on threads.
// Changes are simulated with the inputs as given; the result itself has the intervals of run.uncertain.
// **Errors** as simulate(). Same scenario and seed: the same explanation, wall_s apart.
// **Cost** up to 16 simulations.
// `run` stands in for simulate() in tests; it is called from several threads.
Explanation explain(const Scenario& scenario, const RunOptions& options, const Simulation& run);
Explanation explain(const Scenario& scenario, const RunOptions& options = {});

}  // namespace stallcast
