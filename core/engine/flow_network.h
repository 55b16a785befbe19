// Bandwidth as a fluid: flows of a class share their links max-min fairly with all others.
//
// **Model** A link has a capacity; a class has a path of links and a cap per flow. Rates are the max-min fair
// allocation: no flow's rate can grow without lowering that of a flow with a smaller or equal one.
//
// Flows that always have equal rates follow one virtual clock (units served per flow), so a change of rate touches the
// clock and not the flows. Where the classes that share a link share no other one (a star: nodes behind one tier), the
// clocks form a tree, and a class follows whatever holds it back:
//
//   link clock    the fair rate of the shared link
//     group clock   classes with the same cap per flow: follows the link, or runs alone at the cap
//       class clock   follows its group, or the link, or runs alone at its private capacity / flows
//
// Which of these a change of the fair rate sets free or holds back is found in heaps ordered by their limit. Any other
// shape is solved by progressive filling over the classes connected to the changed one.
// **Units** capacities and caps in units/s (bytes for storage, core-seconds for processors), amounts in units.
// **Source** Bertsekas & Gallager, Data Networks, 2nd ed., 6.5.2 (max-min fairness by progressive filling).
// **Checked by** FlowNetwork tests: hand-solved graphs, random stars against progressive filling, M/G/1-PS.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <vector>

#include "core/engine/quad_heap.h"
#include "core/engine/run_heap.h"
#include "core/engine/simulator.h"

namespace stallcast {

class FlowNetwork {
 public:
  using LinkId = std::uint32_t;
  using ClassId = std::uint32_t;
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  static constexpr LinkId kOwnCap = UINT32_MAX;  // a class bound by its own per-flow cap, not by a link

  enum class Solver { kByShape, kProgressiveFilling };  // the second for every shape: slower, the reference in tests

  explicit FlowNetwork(Simulator& sim, Solver solver = Solver::kByShape) : sim_(&sim), solver_(solver) {}
  FlowNetwork(const FlowNetwork&) = delete;
  FlowNetwork& operator=(const FlowNetwork&) = delete;

  LinkId add_link(double capacity);
  // Links and classes are added while no flow is active.
  // **Errors** a class must have a finite cap or a link of finite capacity on its path.
  ClassId add_class(std::span<const LinkId> path, double cap_per_flow = kUnlimited);

  Simulator& simulator() { return *sim_; }
  std::int64_t flows(ClassId cls) const { return classes_[cls].flows; }
  double rate(ClassId cls) const;        // per flow; 0 when the class has none
  LinkId bottleneck(ClassId cls) const;  // of an idle class: what bound its last flow, or its smallest link
  double moved(LinkId link) const;       // units carried so far. **Cost** the classes on the link

  // co_await transfer(c, amount): one flow of class c moves `amount` >= 0 units. **Cost** O(log flows + log classes)
  // in a star, plus the classes that the new fair rate sets free or holds back; else the connected classes.
  auto transfer(ClassId cls, double amount) {
    struct Awaiter {
      FlowNetwork& network;
      ClassId cls;
      double amount;
      bool await_ready() const noexcept { return !(amount > 0); }
      void await_suspend(std::coroutine_handle<> process) { network.start(cls, amount, process); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this, cls, amount};
  }

 private:
  struct FlowClass;
  struct Flow {
    double finish;  // reading of the class's clock at which it ends, >= 0
    std::uint64_t order;
    void* process;
    bool before(const Flow& other) const { return heap_key(finish, order) < heap_key(other.finish, other.order); }
  };

  // Units served per flow that follows it. A root moves at its own rate; any other is its parent plus an offset.
  struct Clock;
  struct Follower {
    double finish;  // of the follower's first flow, as a reading >= 0 of the clock it follows
    std::uint64_t order;
    Clock* clock;
    bool before(const Follower& other) const { return heap_key(finish, order) < heap_key(other.finish, other.order); }
    void moved_to(std::size_t slot) const { clock->slot = slot; }
  };
  struct Clock {
    Clock* parent = nullptr;
    double reading = 0.0;      // root: at `since`; else what to add to the parent's
    double rate = 0.0;         // root
    SimTime since = 0;         // root
    std::size_t slot = 0;      // among the parent's followers
    FlowClass* cls = nullptr;  // a class's clock has flows, any other has followers
    QuadHeap<Follower> followers;
    Timer timer;  // root: the first finish
    FlowNetwork* network = nullptr;
  };

  // What can hold flows of a star below the fair rate: a group's cap, or one class's private capacity per flow.
  struct Limit {
    double rate = 0.0;
    std::int64_t flows = 0;
    bool holds = false;  // flows get `rate`, not the fair rate
    std::size_t slot = SIZE_MAX;
    Clock* clock = nullptr;
  };
  struct Lowest {
    Limit* limit;
    bool before(const Lowest& other) const { return limit->rate < other.limit->rate; }
    void moved_to(std::size_t slot) const { limit->slot = slot; }
  };
  struct Highest {
    Limit* limit;
    bool before(const Highest& other) const { return limit->rate > other.limit->rate; }
    void moved_to(std::size_t slot) const { limit->slot = slot; }
  };
  // A running sum that does not drift: what rounding drops is kept beside it (Knuth's TwoSum).
  struct Sum {
    double value = 0.0, rest = 0.0;
    void add(double x) {
      const double total = value + x, part = total - value;
      rest += (value - (total - part)) + (x - part);
      value = total;
    }
  };
  struct Star {
    LinkId link = 0;
    double capacity = 0.0;
    std::int64_t fair_flows = 0;
    Sum held;                      // units/s of the flows that limits hold
    QuadHeap<Lowest> open_limits;  // active, do not hold
    QuadHeap<Highest> holding_limits;
    Clock clock;
  };
  struct Group {
    Limit limit;  // flows: those of its classes that have no lower private limit
    Clock clock;
  };
  enum class Shape : std::uint8_t { kAlone, kStar, kGeneral };
  enum class Follows : std::uint8_t { kNothing, kGroup, kOwnLimit };
  struct FlowClass {
    std::vector<LinkId> path;
    double cap = kUnlimited;
    std::int64_t flows = 0;
    RunHeap<Flow> heap;
    Clock clock;
    double moved = 0.0;        // units of all its flows up to `counted`
    double counted = 0.0;      // a reading of its clock
    std::int64_t started = 0;  // flows since its clock was last set back
    Shape shape = Shape::kAlone;
    Follows follows = Follows::kNothing;
    LinkId bottleneck = kOwnCap;
    LinkId private_link = kOwnCap;  // the tightest of the links that no other class uses
    double private_capacity = kUnlimited;
    Star* star = nullptr;
    Group* group = nullptr;
    Limit own;  // private_capacity / flows
    ClassId id = 0;
    bool listed = false;  // scratch of recognise_shapes() and finish_due()
    bool fixed = false;   // scratch of fill()
    std::uint64_t pass = 0;
    double next_rate = 0.0;
  };
  struct Link {
    double capacity;
    std::vector<ClassId> classes;
    double left = 0.0;  // scratch of fill()
    std::int64_t unfixed = 0;
    std::uint64_t mark = 0;  // visited in this pass
  };
  // The link that connected classes share; kOwnCap where they share none, not simple where they share several.
  struct SharedLink {
    LinkId link = kOwnCap;
    bool simple = true;
  };

  void start(ClassId cls, double amount, std::coroutine_handle<> process);
  static void on_timer(void* owner);
  double reading_at_start(FlowClass& cls, double amount);
  static double reached(const Clock& root, double at);
  void wake_first(FlowClass& cls);
  void finish_due(Clock& root);
  void finish_due_alone(FlowClass& cls);
  void share_alone(FlowClass& cls, double at, std::int64_t flows, bool first_changed);
  static double alone_rate(const FlowClass& cls);
  static void count_moved(FlowClass& cls, double at);
  void set_flows(FlowClass& cls, std::int64_t flows);
  void recognise_shapes();
  void adopt(Clock& clock);
  SharedLink gather_connected(FlowClass& seed);
  void make_star(LinkId shared);

  // Clocks.
  double reading(const Clock& clock) const;
  static Follower first_of(Clock& clock);
  static Follower seen_by_parent(Clock& clock);
  void follow(Clock& clock, Clock& parent);
  void leave(Clock& clock);
  void first_changed(Clock& clock);
  void run_alone(Clock& clock, double rate);
  void set_back(FlowClass& cls);
  void touch(Clock& clock) {
    if (touched_.empty() || touched_.back() != &clock) touched_.push_back(&clock);
  }
  void refresh_timers();
  void refresh_timer(Clock& root);

  // Stars.
  void set_star_flows(FlowClass& cls, std::int64_t flows);
  void activate(Star& star, Limit& limit, bool holds);
  void deactivate(Star& star, Limit& limit);
  void settle(Star& star);

  void fill(FlowClass& changed);
  void gather_active(const FlowClass& changed);

  Simulator* sim_;
  Solver solver_;
  bool shapes_known_ = false;
  std::int64_t active_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t pass_ = 0;
  std::vector<Link> links_;
  std::deque<FlowClass> classes_;  // deques: clocks and limits keep their addresses
  std::deque<Star> stars_;
  std::deque<Group> groups_;
  std::vector<Clock*> touched_;  // roots whose timer may have to move
  std::vector<FlowClass*> component_, changed_;
  std::vector<LinkId> component_links_;
};

}  // namespace stallcast
