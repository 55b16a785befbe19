#include "core/plan/explain/shortest_way.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/model/resource_graph.h"
#include "core/plan/evaluate/changed_job.h"
#include "core/plan/evaluate/evaluation.h"
#include "core/plan/explain/bound_gap.h"
#include "core/plan/space/space.h"
#include "core/result/bound.h"
#include "core/result/estimate.h"
#include "core/result/lost_time.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

// A change to the job as it is on the way.
struct TriedChange {
  Change change;
  Counterfactual found;
  std::optional<RunResult> after;  // nothing where it was known before
};

// The place of the change to make next; nothing where none helps.
std::optional<std::size_t> next_change(const std::vector<TriedChange>& tried) {
  std::optional<std::size_t> setting, ideal;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const Counterfactual& one = tried[i].found;
    if (one.gain < kSmallestGain) continue;
    std::optional<std::size_t>& best = one.kind == ChangeKind::kSetting ? setting : ideal;
    if (!best || one.gain > tried[*best].found.gain) best = i;
  }
  if (!setting) return ideal;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const Counterfactual& one = tried[i].found;
    if (one.kind == ChangeKind::kSetting && is_as_good_and_cheaper(one, tried[*setting].found)) setting = i;
  }
  return setting;
}

// Where no change helps by itself, the one that takes away what the bound is set by: another limit is close behind, and
// the next step finds it. Nothing where that is no change.
std::optional<std::size_t> against_bound(const std::vector<TriedChange>& tried, const Scenario& scenario) {
  for (const LostTime cause : causes_of(utilization_bound(scenario).binding_resource))
    for (std::size_t i = 0; i < tried.size(); ++i)
      if (cause_against(tried[i].change.name) == cause) return i;
  return std::nullopt;
}

class WayFinder {
 public:
  WayFinder(const ResolvedScenario& resolved, const Explanation& explanation, double target, const RunOptions& options,
            const MoreChanges& more, const Simulation& run)
      : explanation_(explanation),
        target_(target),
        options_(options),
        more_(more),
        run_(run),
        scenario_(for_changes(resolved.scenario, explanation.result)),
        is_optimal_(resolved.scenario.checkpoint.cadence == CheckpointCadence::kOptimal),
        trials_(std::make_unique<PairedTrials>(scenario_, explanation.result, options, run)),
        result_(explanation.result),
        now_(result_.gpu_utilization.mean) {
    way_.target = target;
    way_.complete = explanation.complete;
  }

  ShortestWay find() {
    while (way_.complete && now_ < target_ && way_.steps.size() < kMostWaySteps) {
      std::vector<TriedChange> tried = tried_changes();
      way_.complete = !stopped();
      if (!way_.complete) break;
      std::optional<std::size_t> next = next_change(tried);
      const bool lifts = !next && !lifted_;
      if (lifts) next = against_bound(tried, scenario_);
      if (!next) break;
      make(std::move(tried[*next]));
      lifted_ = lifts;
      if (now_ >= target_) confirm();
    }
    if (lifted_ && !way_.steps.empty() && way_.steps.back().gain < kSmallestGain) go_back();
    if (way_.complete) confirm();
    way_.reached = now_ >= target_;
    return std::move(way_);
  }

 private:
  bool stopped() const { return options_.stop.stop_requested(); }

  // Every change to the job as it is now, the best first; some are not tried where a stop was requested.
  std::vector<TriedChange> tried_changes() {
    std::vector<Change> changes = possible_changes(scenario_);
    if (more_) add_more(changes);
    std::vector<TriedChange> out(changes.size());
    parallel_for(std::ssize(changes), options_.threads, [&](std::int64_t i) {
      if (stopped()) return;
      TriedChange& one = out[static_cast<std::size_t>(i)];
      one.change = std::move(changes[static_cast<std::size_t>(i)]);
      one.found = counterfactual(one.change, scenario_);
      if (const Counterfactual* known = known_of(one.change.name)) {
        one.found.gpu_utilization = known->gpu_utilization;
      } else {
        one.after = trials_->of(one.change.scenario);
        one.found.gpu_utilization = trials_->utilization(*one.after);
      }
      one.found.gain = one.found.gpu_utilization.mean - now_;
    });
    std::ranges::stable_sort(out, std::greater(), [](const TriedChange& one) { return one.found.gain; });
    return out;
  }

  // Those that turn something else than the changes that are there: how many workers is tried already.
  void add_more(std::vector<Change>& changes) const {
    std::vector<Point> known;
    for (const Change& one : changes) known.push_back(counterfactual(one, scenario_).settings);
    const auto turns_the_same = [](const Point& a, const Point& b) {
      return std::ranges::equal(a, b, {}, &Assignment::pointer, &Assignment::pointer);
    };
    for (Change& one : more_(scenario_, result_)) {
      const bool is_known = std::ranges::any_of(known, [&](const Point& p) { return turns_the_same(p, one.settings); });
      if (is_known) continue;
      // Cheaper checkpoints have another best interval.
      if (is_optimal_ && is_of_checkpoints(one.settings)) one.scenario.checkpoint.cadence = CheckpointCadence::kOptimal;
      changes.push_back(std::move(one));
    }
  }

  // What the explanation knows of a change to the job as it was; null on the way.
  const Counterfactual* known_of(const std::string& name) const {
    if (!way_.steps.empty()) return nullptr;
    const auto& known = explanation_.counterfactuals;
    const auto at = std::ranges::find(known, name, &Counterfactual::name);
    return at == known.end() ? nullptr : &*at;
  }

  void make(TriedChange&& next) {
    before_ = scenario_;
    scenario_ = std::move(next.change.scenario);
    result_ = next.after ? std::move(*next.after) : trials_->of(scenario_);
    // An interval that was searched for is the job's until another change to checkpoints.
    if (scenario_.checkpoint.cadence == CheckpointCadence::kOptimal) {
      is_optimal_ = true;
      scenario_ = for_changes(scenario_, result_);
    }
    way_.steps.push_back(std::move(next.found));
    is_confirmed_ = !trials_->coarse();
    stand_at(way_.steps.back().gpu_utilization);
    // What takes longer to simulate than the job before is tried coarsely from now on.
    if (is_confirmed_) trials_ = std::make_unique<PairedTrials>(scenario_, result_, options_, run_);
  }

  void go_back() {
    now_ -= way_.steps.back().gain;
    way_.steps.pop_back();
    scenario_ = before_;
    is_confirmed_ = way_.steps.empty() || !trials_->coarse();
  }

  // What the last step leads to, as `simulate` says it.
  void confirm() {
    if (is_confirmed_) return;
    RunResult full = run_(scenario_, one_of_many(options_));
    way_.complete = !stopped();
    if (!way_.complete) return;
    result_ = std::move(full);
    is_confirmed_ = true;
    now_ -= way_.steps.back().gain;
    stand_at(result_.gpu_utilization);
  }

  // After the last step, `now_` being before it.
  void stand_at(const Estimate& utilization) {
    Counterfactual& step = way_.steps.back();
    step.gpu_utilization = utilization;
    step.gain = utilization.mean - now_;
    add_worth(step, now_, explanation_.cost, explanation_.result.totals);
    now_ = utilization.mean;
  }

  const Explanation& explanation_;
  double target_;
  const RunOptions& options_;
  const MoreChanges& more_;
  const Simulation& run_;
  Scenario scenario_;  // with every step made
  Scenario before_;    // without the last one
  bool is_optimal_;    // the interval between its checkpoints was searched for
  std::unique_ptr<PairedTrials> trials_;
  RunResult result_;     // of scenario_, coarse on the way
  double now_;           // its GPU utilization
  bool lifted_ = false;  // the last step took away the bound and bought nothing by itself
  bool is_confirmed_ = true;
  ShortestWay way_;
};

}  // namespace

ShortestWay shortest_way(const ResolvedScenario& resolved, const Explanation& explanation, double target,
                         const RunOptions& options, const MoreChanges& more, const Simulation& run) {
  return WayFinder(resolved, explanation, target, options, more, run).find();
}

}  // namespace stallcast
