#include "core/plan/search/front_search.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "core/plan/search/bounded_box.h"
#include "core/plan/search/pareto.h"
#include "core/steps/parallel.h"

namespace stallcast {
namespace {

// Simulations that are begun together, whatever the threads; of cadences, which mostly share one, three times as many.
constexpr int kFrontTogether = 4, kFrontCadences = 3;

class FrontSearch {
 public:
  FrontSearch(const BoxedSpace& boxes, Assessor& assessor, const FrontGoal& goal, const SearchWatch& watch)
      : boxes_(boxes), assessor_(assessor), goal_(goal), watch_(watch), runs_before_(assessor.counts().simulations()) {}

  FrontOutcome run() {
    take_what_is_known();
    add_roots();
    while (!queue_.empty() && !assessor_.stopped() && !is_over()) {
      gather();
      simulate_gathered();
      tell();
    }
    FrontOutcome out;
    for (const Entry& entry : queue_) out.undecided += boxes_in_queue_[entry.box].box.size();
    out.complete = queue_.empty() && !assessor_.stopped();
    out.runs = runs();
    return out;
  }

 private:
  struct Entry {
    double badness = 0.0;
    std::int64_t top = 0;
    std::size_t box = 0;
    auto operator<=>(const Entry&) const = default;
  };

  std::int64_t runs() const { return assessor_.counts().simulations() - runs_before_; }
  bool is_over() const { return goal_.most_runs > 0 && runs() >= goal_.most_runs; }

  // --- the front so far ---

  void take_what_is_known() {
    std::vector<Figures> known;
    for (const std::int64_t index : assessor_.points_at(Level::kAsGiven))
      known.push_back(assessor_.find(index, Level::kAsGiven)->figures);
    for (const std::size_t at : pareto_front(known, goal_.by)) front_.push_back(known[at]);
  }

  void add_to_front(const Figures& figures) {
    const bool known = std::all_of(goal_.by.begin(), goal_.by.end(), [&](Figure f) { return figures.of(f); });
    if (known && !is_told(figures, 0.0)) front_.push_back(figures);
  }

  bool is_told(const Figures& reach, double tolerance) const {
    return std::any_of(front_.begin(), front_.end(),
                       [&](const Figures& point) { return stands_for(point, reach, goal_.by, tolerance); });
  }

  // --- the queue ---

  void add_roots() {
    parallel_for(boxes_.root_count(), assessor_.threads(), [&](std::int64_t r) {
      const Box box = boxes_.root(r);
      if (!assessor_.stopped()) assessor_.look(boxes_.top_index(box), boxes_.bottom_index(box));
    });
    for (std::int64_t r = 0; r < boxes_.root_count(); ++r) {
      BoundedBox box = bounded(boxes_, boxes_.root(r));
      points_ += box.box.size();
      push(std::move(box));
    }
  }

  // A top that was simulated coarsely goes first, so that what it says of others is soon precise.
  void push(BoundedBox box) {
    const std::optional<Estimate>& reach = box.reach.of(goal_.by.front());
    const bool first = box.is_rough() || !reach;
    const double badness_of = first ? -std::numeric_limits<double>::infinity() : badness(goal_.by.front(), reach->mean);
    queue_.insert({badness_of, box.top, boxes_in_queue_.size()});
    boxes_in_queue_.push_back(std::move(box));
  }

  BoundedBox pop() {
    const Entry first = *queue_.begin();
    queue_.erase(queue_.begin());
    return std::move(boxes_in_queue_[first.box]);
  }

  void gather() {
    while (!queue_.empty() && gathered_ < kFrontTogether * kFrontCadences) {
      BoundedBox box = pop();
      if (is_told(box.reach, goal_.tolerance)) {
        decide(box);
      } else if (box.is_rough()) {
        const Level level = next_level(box);
        add_job(std::move(box), level);
      } else if (box.from >= 0 && tightened(box)) {
        push(std::move(box));
      } else if (box.from >= 0 && assessor_.find(box.from, Level::kAsGiven) == nullptr) {
        const std::int64_t from = box.from;
        wait_for(from, std::move(box));
      } else if (box.stage == Stage::kUnseen) {
        look_at(std::move(box));
      } else {
        split_or_simulate(std::move(box));
      }
    }
  }

  void decide(const BoundedBox& box) { decided_ += box.box.size(); }

  // --- boxes that are not simulated ---

  void look_at(BoundedBox box) {
    const Looked& looked = assessor_.look(box.top, boxes_.bottom_index(box.box));
    if (looked.is_impossible()) return decide(box);
    if (looked.problem || looked.bottom_problem) return push_halves(box, *first_axis(boxes_, box.box));
    narrow_to(box, looked);
    for (const Figure f : goal_.by)
      if (!looked.best.of(f)) return decide(box);
    for (const Target& target : goal_.targets)
      if (!keeps(target, looked.least.at(target.figure))) return decide(box);
    box.stage = Stage::kSeen;
    push(std::move(box));
  }

  // Sizes that cost much more than each other are told apart by their price, once it is known what the largest gives.
  bool top_speaks_for(Knob knob, const BoundedBox& box, const Looked& looked) const {
    constexpr double kMuchMore = 0.05;
    if (knob == Knob::kCapacity) return looked.more_capacity_helps && (box.from < 0 || looked.price_range <= kMuchMore);
    return looked.more_loading_helps;
  }

  void split_or_simulate(BoundedBox box) {
    const Looked& looked = assessor_.look(box.top, boxes_.bottom_index(box.box));
    const auto axis = first_axis(boxes_, box.box, [&](Knob knob) { return !top_speaks_for(knob, box, looked); });
    if (axis) return push_halves(box, *axis);
    for (const Target& target : goal_.targets) {
      if (keeps(target, looked.most.at(target.figure))) continue;
      if (box.box.size() == 1) return decide(box);
      return push_halves(box, *first_axis(boxes_, box.box));
    }
    box.is_disturbed = looked.is_disturbed;
    add_job(std::move(box), first_level(looked));
  }

  void push_halves(const BoundedBox& box, std::size_t axis) {
    for (Box& half : boxes_.halves(box.box, axis)) push(part_of(box, boxes_, std::move(half), box.from));
  }

  bool tightened(BoundedBox& box) const {
    return tighten(
        box, boxes_, assessor_, 0.5 * goal_.tolerance,
        [](const Assessed& known, Figure f, const Estimate& value) { return within_margin(known, f, value.mean); });
  }

  // --- tops ---

  void add_job(BoundedBox box, Level level) {
    gathered_ += level != Level::kAsGiven && box.is_disturbed ? 1 : kFrontCadences;
    jobs_.push_back({box.top, level});
    simulated_.push_back(std::move(box));
  }

  // What bounds the box is known coarsely only: a precise run of it may settle the box, and others with it.
  void wait_for(std::int64_t index, BoundedBox box) {
    waiting_.push_back(std::move(box));
    if (waited_for_.insert(index).second) gathered_ += kFrontCadences;
  }

  void simulate_gathered() {
    std::vector<Assessor::Job> jobs = jobs_;
    for (const std::int64_t index : waited_for_) jobs.push_back({index, Level::kAsGiven});
    assessor_.simulate_all(jobs);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const Assessed* found = assessor_.find(jobs_[i].index, jobs_[i].level);
      if (found == nullptr) {
        push(std::move(simulated_[i]));  // a stop came first
      } else {
        after(std::move(simulated_[i]), *found, jobs_[i].level);
      }
    }
    for (const std::int64_t index : waited_for_)
      if (const Assessed* found = assessor_.find(index, Level::kAsGiven)) add_to_front(found->figures);
    for (BoundedBox& box : waiting_) push(std::move(box));
    jobs_.clear();
    simulated_.clear();
    waiting_.clear();
    waited_for_.clear();
    gathered_ = 0;
  }

  void after(BoundedBox box, const Assessed& found, Level level) {
    if (box.stage == Stage::kSeen)
      for (Box& part : boxes_.without_top(box.box)) push(part_of(box, boxes_, std::move(part), box.top));
    box.box.bottom = box.box.top;
    box.from = -1;
    if (level == Level::kAsGiven) {
      add_to_front(found.figures);
      return decide(box);
    }
    box.stage = level == Level::kCoarse ? Stage::kCoarse : Stage::kUndisturbed;
    narrow_to(box, found);
    push(std::move(box));
  }

  void tell() const {
    if (watch_) watch_({points_, decided_, assessor_.counts().simulations(), nullptr, true});
  }

  const BoxedSpace& boxes_;
  Assessor& assessor_;
  const FrontGoal& goal_;
  const SearchWatch& watch_;
  const std::int64_t runs_before_;
  std::vector<Figures> front_;
  std::vector<BoundedBox> boxes_in_queue_;
  std::set<Entry> queue_;
  std::vector<Assessor::Job> jobs_;
  std::vector<BoundedBox> simulated_;  // whose tops jobs_ simulates
  std::vector<BoundedBox> waiting_;    // for a precise run of what bounds them
  std::set<std::int64_t> waited_for_;
  int gathered_ = 0;  // of jobs_ and waited_for_, a simulation of its own counting kFrontCadences
  std::int64_t points_ = 0, decided_ = 0;
};

}  // namespace

FrontOutcome search_front(const BoxedSpace& boxes, Assessor& assessor, const FrontGoal& goal,
                          const SearchWatch& watch) {
  return FrontSearch(boxes, assessor, goal, watch).run();
}

bool stands_for(const Figures& one, const Figures& other, const std::vector<Figure>& by, double tolerance) {
  return std::all_of(by.begin(), by.end(), [&](Figure f) {
    if (!one.of(f) || !other.of(f)) return false;
    const double value = other.at(f);
    return !worse(f, one.at(f), f == Figure::kUtilization ? value - tolerance : value * (1.0 + tolerance));
  });
}

}  // namespace stallcast
