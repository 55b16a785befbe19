// The points of a space, each looked at or simulated when somebody asks, and never twice.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/evaluate/figures.h"
#include "core/plan/space/space.h"
#include "core/result/run_result.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"
#include "core/scenario/scenario.h"
#include "core/steps/run_options.h"

namespace stallcast {

// How well a point is known.
enum class Level {
  kCoarse,       // simulated at coarse_precision(), without a run timeline: for telling what is far from the best
  kUndisturbed,  // at the precision asked for, without a run timeline: no worse than with its checkpoints and
                 // interruptions
  kAsGiven,      // at the precision asked for, its inputs taken as given
  kUncertain,    // with what its inputs may truly be: intervals, and the same means
};

// What can be said of a part of a space without simulating: by its point `top`, which has most of every knob, and
// `bottom`, which has least.
struct Looked {
  std::optional<Finding> problem;         // why top is no possible scenario
  std::optional<Finding> bottom_problem;  // likewise of bottom
  Figures best;                           // of all: simulated figures at the very best
  Figures least, most;                    // what is known of bottom and of top without simulating
  double price_range = 0.0;               // what top costs more than bottom at the very best, as a fraction
  bool may_be_coarse = false;             // a coarse run of top says something of the run at the precision asked for
  bool is_disturbed = false;              // of top: an undisturbed run bounds it, and is the same for every cadence
  bool more_loading_helps = false;        // up to top; see more_loading_helps() in assessor.cpp
  bool more_capacity_helps = false;       // likewise

  // Top and bottom are none for the same reason, so that what lies between them is none either.
  bool is_impossible() const {
    return problem && bottom_problem && problem->code == bottom_problem->code &&
           problem->pointer == bottom_problem->pointer;
  }
};

// What a simulation gave for a point.
struct Assessed {
  Figures figures;
  std::string bottleneck;
  std::shared_ptr<const RunResult> run;
  double margin = 0.0;     // of utilization: how far a coarse value may be off
  bool uncertain = false;  // its scenario has inputs that are known to an interval only
};

struct RunCounts {
  std::int64_t coarse = 0, undisturbed = 0, as_given = 0, uncertain = 0;  // simulations
  std::int64_t shared = 0;  // points that took a simulation of another point, in which all that matters is the same

  std::int64_t simulations() const { return coarse + undisturbed + as_given + uncertain; }
};

class Assessor {
 public:
  // `options.stop` ends simulations early; what they give is then forgotten. `base` and the others must outlive this.
  Assessor(const ScenarioFile& base, const Space& space, const Catalogue& catalogue, RunOptions options);

  // Safe from several threads.
  const Looked& look(std::int64_t top, std::int64_t bottom);

  struct Job {
    std::int64_t index = 0;
    Level level = Level::kAsGiven;
  };
  // Simulates what is not known yet, side by side; points that a run depends on in the same way share one.
  void simulate_all(const std::vector<Job>& jobs);

  // Null before it was simulated, or when a stop came first.
  const Assessed* find(std::int64_t index, Level level) const;

  // The best known of it: the highest level, or null.
  const Assessed* best_known(std::int64_t index) const;

  // What `known` would have given at the prices of the point `index`, as it was run.
  std::optional<Figures> priced_as(const Assessed& known, std::int64_t index) const;

  // The whole result of a point that was simulated at `level`.
  Evaluation evaluation(std::int64_t index, Level level) const;

  // Points that were simulated at `level`, ascending.
  std::vector<std::int64_t> points_at(Level level) const;

  // Points that were simulated at all.
  std::int64_t simulated_points() const;

  const RunCounts& counts() const { return counts_; }
  const Space& space() const { return space_; }
  bool stopped() const { return options_.stop.stop_requested(); }
  unsigned threads() const { return options_.threads; }

 private:
  // A run to be made.
  struct PendingRun {
    Scenario scenario;
    Level level = Level::kAsGiven;
    std::shared_ptr<const RunResult> result;
  };

  Loaded<ResolvedScenario> resolved_at(std::int64_t index) const;

  void make_runs(std::map<std::string, PendingRun>& pending);

  const ScenarioFile& base_;
  const Space& space_;
  const Catalogue& catalogue_;
  const RunOptions options_;
  std::mutex looks_mutex_;
  std::map<std::pair<std::int64_t, std::int64_t>, Looked> looks_;
  std::map<std::string, std::shared_ptr<const RunResult>> runs_;  // by simulation_key
  std::map<std::pair<std::int64_t, Level>, Assessed> assessed_;
  RunCounts counts_;
};

// Of a coarse run: four times the scenario's precision, at most 0.04, and no more steps than 400 and five times the
// batches ahead, nor than three epochs where those are more than 400 steps.
double coarse_precision(const Scenario& scenario);
std::int64_t coarse_steps(const Scenario& scenario);

}  // namespace stallcast
