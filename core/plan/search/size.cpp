#include "core/plan/search/size.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/plan/search/front_search.h"
#include "core/plan/search/leaner.h"
#include "core/plan/search/pareto.h"
#include "core/steps/known_walks.h"

namespace stallcast {
namespace {

constexpr const char* kTier = "/storage/tier";

// "" where the point does not set it.
std::string tier_of(const Point& point) {
  for (const Assignment& a : point)
    if (a.pointer == kTier) return a.text;
  return "";
}

// The tiers of the space in the order given.
std::vector<std::string> tiers_of(const Space& space) {
  std::vector<std::string> tiers;
  for (const Axis& axis : space.axes()) {
    const auto at = std::find(axis.pointers.begin(), axis.pointers.end(), kTier) - axis.pointers.begin();
    if (at == std::ssize(axis.pointers)) continue;
    for (const std::vector<std::string>& choice : axis.choices) {
      const std::string& tier = choice[static_cast<std::size_t>(at)];
      if (std::find(tiers.begin(), tiers.end(), tier) == tiers.end()) tiers.push_back(tier);
    }
  }
  return tiers;
}

bool has_target(const std::vector<Target>& targets, Figure figure) {
  return std::any_of(targets.begin(), targets.end(), [&](const Target& t) { return t.figure == figure; });
}

class Sizing {
 public:
  Sizing(const ScenarioFile& base, const Space& space, const Catalogue& catalogue, const SizeRequest& request,
         const RunOptions& options, const SearchWatch& watch)
      : space_(space), request_(request), watch_(watch), boxes_(space), assessor_(base, space, catalogue, options) {
    for (const std::string& tier : tiers_of(space)) {
      const auto found = catalogue.tiers.find(tier);
      if (found != catalogue.tiers.end()) out_.tier_titles[tier] = found->second.title;
    }
  }

  SizeResult run() {
    const auto began = std::chrono::steady_clock::now();
    set_goal();
    main_search();
    if (!out_.best.empty()) {
      if (request_.tolerance > 0.0 && out_.complete) take_leaner();
      const SizedPoint& best = out_.best.front();
      out_.chosen = assessor_.evaluation(best.index, best.with_uncertain_inputs ? Level::kUncertain : Level::kAsGiven);
      other_tiers();
    } else if (out_.complete && out_.counts.invalid < space_.size()) {
      out_.relaxations = relaxations(space_, assessor_, goal_, out_.counts.over_quota > 0, watch_);
    }
    out_.complete = out_.complete && !assessor_.stopped();
    look_for_front();
    front();
    if (request_.exhaustive) enumerate();
    out_.runs_in_all = assessor_.counts();
    out_.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return std::move(out_);
  }

 private:
  void set_goal() {
    goal_.targets = request_.targets;
    if (!has_target(goal_.targets, Figure::kMemory)) goal_.targets.push_back({Figure::kMemoryShare, 1.0});
    goal_.objective = request_.objective.value_or(usual_objective());
    goal_.confidence = request_.confidence;
    goal_.tolerance = 0.5 * request_.tolerance;
    goal_.wanted = request_.top;
    out_.objective = goal_.objective;
    out_.targets = goal_.targets;
    out_.confidence = request_.confidence;
    out_.tolerance = request_.tolerance;
    out_.points = space_.size();
  }

  // The first of these that any configuration has a value for.
  Figure usual_objective() {
    for (const Figure figure : {Figure::kTotal, Figure::kGpuHour, Figure::kTime}) {
      for (std::int64_t r = 0; r < boxes_.root_count() && !assessor_.stopped(); ++r) {
        const Box box = boxes_.root(r);
        if (assessor_.look(boxes_.top_index(box), boxes_.bottom_index(box)).best.of(figure)) return figure;
      }
    }
    return Figure::kUtilization;
  }

  void main_search() {
    SearchOutcome found = find_best(boxes_, assessor_, goal_, watch_);
    out_.best = std::move(found.accepted);
    out_.counts = found.counts;
    out_.reasons = std::move(found.reasons);
    out_.complete = found.complete;
    out_.gap = found.gap;
    out_.runs = assessor_.counts();
    out_.simulated_points = assessor_.simulated_points();
  }

  void take_leaner() {
    SizedPoint lean = leaner(boxes_, assessor_, goal_, out_.best.front());
    if (lean.index == out_.best.front().index) return;
    // It is worse by no more than half of the tolerance.
    out_.gap += 0.5 * request_.tolerance;
    out_.cheapest = std::exchange(out_.best.front(), std::move(lean));
  }

  void other_tiers() {
    const std::string chosen = tier_of(out_.best.front().point);
    for (const std::string& tier : tiers_of(space_)) {
      if (tier == chosen || assessor_.stopped()) continue;
      Goal goal = goal_;
      goal.wanted = 1;
      goal.among = [&](const Point& point) { return tier_of(point) == tier; };
      SearchOutcome found = find_best(boxes_, assessor_, goal, watch_);
      TierAnswer answer{tier, std::nullopt, std::nullopt};
      if (!found.accepted.empty()) {
        answer.best = std::move(found.accepted.front());
        if (request_.tolerance > 0.0) answer.best = leaner(boxes_, assessor_, goal, *answer.best);
      } else {
        answer.most_utilization = furthest_reach(boxes_, assessor_, Figure::kUtilization, goal.among);
      }
      out_.tiers.push_back(std::move(answer));
    }
  }

  // The objective, then what of cost, utilization and time it is not: as far as any configuration has a value for it.
  std::vector<Figure> front_figures() const {
    std::vector<Figure> by = {goal_.objective};
    const auto known = [&](Figure figure) {
      const std::vector<std::int64_t> points = assessor_.points_at(Level::kAsGiven);
      return std::any_of(points.begin(), points.end(), [&](std::int64_t index) {
        return assessor_.find(index, Level::kAsGiven)->figures.of(figure).has_value();
      });
    };
    const bool has_cost = goal_.objective == Figure::kTotal || goal_.objective == Figure::kGpuHour;
    if (!has_cost && known(Figure::kTotal)) {
      by.push_back(Figure::kTotal);
    } else if (!has_cost && known(Figure::kGpuHour)) {
      by.push_back(Figure::kGpuHour);
    }
    for (const Figure figure : {Figure::kUtilization, Figure::kTime})
      if (figure != goal_.objective && known(figure)) by.push_back(figure);
    return by;
  }

  void look_for_front() {
    Front& front = out_.front;
    front.scope = request_.front;
    front.by = front_figures();
    front.tolerance = request_.tolerance > 0.0 ? request_.tolerance : front.tolerance;
    if (assessor_.stopped() || (front.scope != FrontScope::kLimited && front.scope != FrontScope::kFull)) return;
    FrontGoal goal{front.by, goal_.targets, front.tolerance, 0};
    std::erase_if(goal.targets, [](const Target& target) { return is_simulated(target.figure); });
    if (front.scope == FrontScope::kLimited)
      goal.most_runs = std::max(kFewestFrontRuns, assessor_.counts().simulations() / kFrontShare);
    const FrontOutcome found = search_front(boxes_, assessor_, goal, watch_);
    front.complete = found.complete;
    front.undecided = found.undecided;
    front.runs = found.runs;
  }

  void front() {
    if (request_.front == FrontScope::kNone) return;
    const std::vector<std::int64_t> points = assessor_.points_at(Level::kAsGiven);
    std::vector<Figures> figures;
    for (const std::int64_t index : points) figures.push_back(assessor_.find(index, Level::kAsGiven)->figures);
    for (const std::size_t at : pareto_front(figures, out_.front.by)) {
      const Assessed& found = *assessor_.find(points[at], Level::kAsGiven);
      out_.front.points.push_back({{points[at], space_.point(points[at]), found.figures, found.bottleneck, false},
                                   first_missed(goal_.targets, found.figures, goal_.confidence) == nullptr,
                                   is_like_one_of_front(found.figures)});
    }
  }

  bool is_like_one_of_front(const Figures& figures) const {
    return std::any_of(out_.front.points.begin(), out_.front.points.end(), [&](const FrontPoint& p) {
      return !p.like_another && stands_for(p.point.figures, figures, out_.front.by, out_.front.tolerance);
    });
  }

  // Whether some point of the front is as good as the one at `index`, within the tolerance; true of what takes more
  // than there is.
  bool front_stands_for(std::int64_t index) const {
    const Figures& figures = assessor_.find(index, Level::kAsGiven)->figures;
    for (const Target& target : goal_.targets)
      if (!is_simulated(target.figure) && !keeps(target, figures.at(target.figure))) return true;
    const bool known =
        std::all_of(out_.front.by.begin(), out_.front.by.end(), [&](Figure f) { return figures.of(f).has_value(); });
    return !known || std::any_of(out_.front.points.begin(), out_.front.points.end(), [&](const FrontPoint& p) {
      return stands_for(p.point.figures, figures, out_.front.by, out_.front.tolerance);
    });
  }

  // Every point at the precision asked for; then the best that keeps the targets with its uncertain inputs too.
  void enumerate() {
    const std::int64_t before = assessor_.counts().simulations();
    constexpr std::int64_t kChunk = 64;
    for (std::int64_t i = 0; i < space_.size() && !assessor_.stopped(); i += kChunk) {
      std::vector<Assessor::Job> jobs;
      for (std::int64_t p = i; p < std::min(space_.size(), i + kChunk); ++p) jobs.push_back({p, Level::kAsGiven});
      assessor_.simulate_all(jobs);
      if (watch_)
        watch_({space_.size(), std::min(space_.size(), i + kChunk), assessor_.counts().simulations(), nullptr});
    }
    ExhaustiveCheck check;
    std::vector<std::int64_t> order;
    const auto keeps_all = [&](std::int64_t index, Level level) {
      const Assessed* found = assessor_.find(index, level);
      return found != nullptr && found->figures.of(goal_.objective) &&
             first_missed(goal_.targets, found->figures, goal_.confidence) == nullptr;
    };
    const auto value = [&](std::int64_t index) {
      const double v = assessor_.find(index, Level::kAsGiven)->figures.at(goal_.objective);
      return higher_is_better(goal_.objective) ? -v : v;
    };
    for (const std::int64_t index : assessor_.points_at(Level::kAsGiven))
      if (keeps_all(index, Level::kAsGiven)) order.push_back(index);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return value(a) < value(b); });
    for (const std::int64_t index : order) {
      Level level = Level::kAsGiven;
      if (assessor_.find(index, level)->uncertain) {
        level = Level::kUncertain;
        assessor_.simulate_all({{index, level}});
      }
      if (!keeps_all(index, level)) continue;
      const Assessed& found = *assessor_.find(index, level);
      check.best = SizedPoint{index, space_.point(index), found.figures, found.bottleneck, level == Level::kUncertain};
      break;
    }
    check.simulations = assessor_.counts().simulations() - before;
    check.agrees = check.best.has_value() == !out_.best.empty();
    if (check.best && !out_.best.empty()) {
      const double best = check.best->figures.at(goal_.objective), mine = out_.best.front().figures.at(goal_.objective);
      check.excess = higher_is_better(goal_.objective) ? (best - mine) / best : (mine - best) / best;
      check.agrees = check.excess <= request_.tolerance;
    }
    if (out_.front.complete) {
      for (const std::int64_t index : assessor_.points_at(Level::kAsGiven))
        check.front_missed += front_stands_for(index) ? 0 : 1;
    }
    if (!assessor_.stopped()) out_.exhaustive = std::move(check);
  }

  const Space& space_;
  const SizeRequest& request_;
  const SearchWatch& watch_;
  const BoxedSpace boxes_;
  Assessor assessor_;
  Goal goal_;
  SizeResult out_;
};

}  // namespace

SizeResult size(const ScenarioFile& base, const Space& space, const Catalogue& catalogue, const SizeRequest& request,
                const RunOptions& options, const SearchWatch& watch) {
  return Sizing(base, space, catalogue, request, sharing_walks(options), watch).run();
}

}  // namespace stallcast
