#include "core/plan/search/best_first.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "core/plan/search/bounded_box.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

// Simulations that are begun together, whatever the threads: the search is then the same on every machine. Of cadences,
// which mostly share one, as many points as make so many with three of them.
constexpr int kTogether = 8, kCadences = 3;

class BestFirst {
 public:
  BestFirst(const BoxedSpace& boxes, Assessor& assessor, const Goal& goal, const SearchWatch& watch)
      : boxes_(boxes), assessor_(assessor), goal_(goal), watch_(watch) {}

  SearchOutcome run() {
    add_roots();
    while (!queue_.empty() && std::ssize(out_.accepted) < goal_.wanted && !assessor_.stopped()) {
      gather();
      simulate_gathered();
      tell();
    }
    out_.complete = !assessor_.stopped();
    for (const Entry& entry : queue_) {
      const BoundedBox& node = nodes_[entry.node];
      if (node.stage == Stage::kUnseen || node.stage == Stage::kSeen) count_beaten(node);
    }
    if (!out_.complete) keep_best_so_far();
    set_gap();
    return std::move(out_);
  }

 private:
  struct Entry {
    double badness = 0.0;
    int order = 0;
    std::int64_t top = 0;
    std::size_t node = 0;
    auto operator<=>(const Entry&) const = default;
  };

  // --- the queue ---

  void add_roots() {
    std::vector<Box> roots;
    for (std::int64_t r = 0; r < boxes_.root_count(); ++r) {
      Box box = boxes_.root(r);
      if (goal_.among && !goal_.among(assessor_.space().point(boxes_.top_index(box)))) continue;
      roots.push_back(std::move(box));
    }
    parallel_for(std::ssize(roots), assessor_.threads(), [&](std::int64_t r) {
      const Box& box = roots[static_cast<std::size_t>(r)];
      if (!assessor_.stopped()) assessor_.look(boxes_.top_index(box), boxes_.bottom_index(box));
    });
    for (Box& box : roots) {
      points_ += box.size();
      if (!assessor_.stopped()) push(bounded(boxes_, std::move(box)));
    }
  }

  // What is not known reaches as far as can be.
  double reach_of(const BoundedBox& node) const {
    const std::optional<Estimate>& value = node.reach.of(goal_.objective);
    return value ? badness(goal_.objective, value->mean) : -std::numeric_limits<double>::infinity();
  }

  // The first rough run that may be an answer is made precise at once, so that whoever stops the search has something.
  bool is_dive(const BoundedBox& node) {
    if (!node.is_rough() || best_ || (diving_ >= 0 && diving_ != node.top)) return false;
    diving_ = node.top;
    return true;
  }

  void push(BoundedBox node) {
    // Of those that reach equally far the later one goes first. Without a tolerance an equal one with a smaller index
    // may still come.
    const int stage = static_cast<int>(node.stage);
    const double reach = is_dive(node) ? -std::numeric_limits<double>::infinity() : reach_of(node);
    const Entry entry{reach, goal_.tolerance > 0.0 ? -stage : stage, node.top, nodes_.size()};
    nodes_.push_back(std::move(node));
    queue_.insert(entry);
  }

  BoundedBox pop() {
    const Entry first = *queue_.begin();
    queue_.erase(queue_.begin());
    return std::move(nodes_[first.node]);
  }

  // Takes boxes until there are enough to simulate, or a top's turn has come.
  void gather() {
    while (!queue_.empty() && gathered_ < kTogether * kCadences) {
      const bool done = nodes_[queue_.begin()->node].stage == Stage::kDone;
      if (done && !jobs_.empty()) return;
      BoundedBox node = pop();
      if (done) return accept(node);
      if (node.is_rough()) {
        const Level level = next_level(node);
        add_job(std::move(node), level);
      } else if (node.from >= 0 && tightened(node)) {
        push_if_possible(std::move(node));
      } else if (node.stage == Stage::kUnseen) {
        look_at(std::move(node));
      } else {
        split_or_simulate(std::move(node));
      }
    }
  }

  // --- boxes that are not simulated ---

  void look_at(BoundedBox node) {
    const Looked& looked = assessor_.look(node.top, boxes_.bottom_index(node.box));
    if (looked.problem || looked.bottom_problem) return drop_impossible(node, looked);
    narrow_to(node, looked);
    if (!looked.best.of(goal_.objective)) {
      return count_invalid(node.box.size(), fmt::format("no {} is known", figure_name(goal_.objective)));
    }
    node.stage = Stage::kSeen;
    push_if_possible(std::move(node));
  }

  void drop_impossible(const BoundedBox& node, const Looked& looked) {
    if (looked.is_impossible()) {
      return count_invalid(node.box.size(), fmt::format("{} at {}", looked.problem->code, looked.problem->pointer));
    }
    push_halves(node, *first_axis(boxes_, node.box));
  }

  // Whether a simulation of the top of a box says what no point of it can better. Sizes that cost much more than each
  // other are told apart by their price first.
  bool top_speaks_for(Knob knob, const Looked& looked) const {
    constexpr double kMuchMore = 0.05;
    if (goal_.tolerance <= 0.0) return false;
    const bool by_price = goal_.objective == Figure::kTotal || goal_.objective == Figure::kGpuHour;
    if (knob == Knob::kCapacity) return looked.more_capacity_helps && !(by_price && looked.price_range > kMuchMore);
    return looked.more_loading_helps;
  }

  void split_or_simulate(BoundedBox node) {
    const Looked& looked = assessor_.look(node.top, boxes_.bottom_index(node.box));
    if (const auto axis = first_axis(boxes_, node.box, [&](Knob knob) { return !top_speaks_for(knob, looked); }))
      return push_halves(node, *axis);
    for (const Target& target : goal_.targets) {
      if (is_simulated(target.figure) || keeps(target, looked.most.at(target.figure))) continue;
      if (node.box.size() > 1) return push_halves(node, *first_axis(boxes_, node.box));
      ++out_.counts.over_quota;
      return;
    }
    node.is_disturbed = looked.is_disturbed;
    add_job(std::move(node), first_level(looked));
  }

  void push_halves(const BoundedBox& node, std::size_t axis) {
    for (Box& half : boxes_.halves(node.box, axis)) push(part_of(node, boxes_, std::move(half), node.from));
  }

  bool tightened(BoundedBox& node) const {
    return tighten(
        node, boxes_, assessor_, 0.5 * goal_.tolerance, [&](const Assessed& known, Figure f, const Estimate& value) {
          // Its neighbours have intervals like its own.
          const bool as_limit = f != goal_.objective && known.margin == 0.0;
          return as_limit ? confident_limit(value, f, goal_.confidence) : within_margin(known, f, value.mean);
        });
  }

  void push_if_possible(BoundedBox node) {
    for (const Target& target : goal_.targets) {
      const std::optional<Estimate>& value = node.reach.of(target.figure);
      if (value && !keeps(target, value->mean)) return count_missed(node, target);
    }
    push(std::move(node));
  }

  // --- tops ---

  void add_job(BoundedBox node, Level level) {
    gathered_ += level != Level::kAsGiven && node.is_disturbed ? 1 : kCadences;
    jobs_.push_back({node.top, level});
    simulated_.push_back(std::move(node));
  }

  void simulate_gathered() {
    assessor_.simulate_all(jobs_);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const Assessed* found = assessor_.find(jobs_[i].index, jobs_[i].level);
      if (found != nullptr) {
        after(simulated_[i], *found, jobs_[i].level);
      } else {
        push(std::move(simulated_[i]));  // a stop came first
      }
    }
    jobs_.clear();
    simulated_.clear();
    gathered_ = 0;
  }

  void after(const BoundedBox& node, const Assessed& found, Level level) {
    if (node.stage == Stage::kSeen) {
      for (Box& part : boxes_.without_top(node.box)) push(part_of(node, boxes_, std::move(part), node.top));
      ++simulated_points_;
    }
    BoundedBox top = node;
    top.box.bottom = top.box.top;
    top.from = -1;
    if (diving_ == node.top) diving_ = -1;
    if (level == Level::kCoarse || level == Level::kUndisturbed) {
      top.stage = level == Level::kCoarse ? Stage::kCoarse : Stage::kUndisturbed;
      narrow_to(top, found);
      for (const Target& target : goal_.targets) {
        const std::optional<Estimate>& value =
            (is_simulated(target.figure) ? top.reach : found.figures).of(target.figure);
        if (!value || !keeps(target, value->mean)) return;
      }
      return push(std::move(top));
    }
    if (!found.figures.of(goal_.objective) || first_missed(goal_.targets, found.figures, goal_.confidence)) return;
    note_best(node.top);
    top.stage = Stage::kDone;
    const double value = found.figures.at(goal_.objective);
    top.reach.of(goal_.objective) = exact_estimate(bettered(goal_.objective, value, goal_.tolerance));
    push(std::move(top));
  }

  void accept(const BoundedBox& node) {
    Level level = Level::kAsGiven;
    if (assessor_.find(node.top, level)->uncertain) {
      level = Level::kUncertain;
      assessor_.simulate_all({{node.top, level}});
    }
    const Assessed* found = assessor_.find(node.top, level);
    if (found == nullptr || first_missed(goal_.targets, found->figures, goal_.confidence)) return;
    out_.accepted.push_back(sized(node.top, level));
  }

  SizedPoint sized(std::int64_t index, Level level) const {
    const Assessed& found = *assessor_.find(index, level);
    return {index, assessor_.space().point(index), found.figures, found.bottleneck, level == Level::kUncertain};
  }

  // --- telling ---

  void note_best(std::int64_t index) {
    const double value = assessor_.find(index, Level::kAsGiven)->figures.at(goal_.objective);
    if (best_ && !worse(goal_.objective, best_->figures.at(goal_.objective), value)) return;
    best_ = sized(index, Level::kAsGiven);
  }

  void keep_best_so_far() {
    if (out_.accepted.empty() && best_) out_.accepted.push_back(*best_);
  }

  void set_gap() {
    if (out_.accepted.empty()) return;
    const double best = badness(goal_.objective, out_.accepted.front().figures.at(goal_.objective));
    double furthest = best;
    for (const Entry& entry : queue_) furthest = std::min(furthest, reach_of(nodes_[entry.node]));
    out_.gap = best != 0.0 && std::isfinite(furthest) ? (best - furthest) / std::abs(best) : 1.0;
  }

  void count_invalid(std::int64_t points, const std::string& reason) {
    out_.counts.invalid += points;
    out_.reasons[reason] += points;
  }

  void count_missed(const BoundedBox& node, const Target& target) {
    const bool by_another = node.by_another[static_cast<std::size_t>(target.figure)];
    (!is_simulated(target.figure) ? out_.counts.over_quota
     : by_another                 ? out_.counts.like_another
                                  : out_.counts.target_missed) += node.box.size();
  }

  void count_beaten(const BoundedBox& node) {
    if (!out_.complete) {
      out_.counts.undecided += node.box.size();
      return;
    }
    const bool by_another = node.by_another[static_cast<std::size_t>(goal_.objective)] || node.from >= 0;
    (by_another ? out_.counts.like_another : out_.counts.not_better) += node.box.size();
  }

  void tell() const {
    if (!watch_) return;
    const SearchCounts& c = out_.counts;
    const std::int64_t decided =
        c.invalid + c.over_quota + c.target_missed + c.not_better + c.like_another + simulated_points_;
    watch_({points_, decided, assessor_.counts().simulations(), best_ ? &*best_ : nullptr});
  }

  const BoxedSpace& boxes_;
  Assessor& assessor_;
  const Goal& goal_;
  const SearchWatch& watch_;
  std::vector<BoundedBox> nodes_;
  std::set<Entry> queue_;
  std::vector<Assessor::Job> jobs_;
  int gathered_ = 0;                   // of jobs_, a simulation of its own counting kCadences
  std::vector<BoundedBox> simulated_;  // whose tops jobs_ simulates
  std::optional<SizedPoint> best_;
  std::int64_t diving_ = -1;  // the point that is being made precise out of its turn, -1 = none
  std::int64_t points_ = 0, simulated_points_ = 0;
  SearchOutcome out_;
};

}  // namespace

SearchOutcome find_best(const BoxedSpace& boxes, Assessor& assessor, const Goal& goal, const SearchWatch& watch) {
  return BestFirst(boxes, assessor, goal, watch).run();
}

std::optional<double> furthest_reach(const BoxedSpace& boxes, Assessor& assessor, Figure figure,
                                     const std::function<bool(const Point&)>& among) {
  std::optional<double> furthest;
  for (std::int64_t r = 0; r < boxes.root_count(); ++r) {
    const Box box = boxes.root(r);
    const std::int64_t top = boxes.top_index(box);
    if (among && !among(assessor.space().point(top))) continue;
    const std::optional<Estimate>& reach = assessor.look(top, boxes.bottom_index(box)).best.of(figure);
    if (reach && (!furthest || worse(figure, *furthest, reach->mean))) furthest = reach->mean;
  }
  return furthest;
}

}  // namespace stallcast
