// Bandwidth as a fluid: flows of a class share their links max-min fairly with all others.
//
// **Model** A link has a capacity; a class has a path of links and a cap per flow. Rates are the max-min fair
// allocation: no flow's rate can grow without lowering that of a flow with a smaller or equal one. Flows of one class
// have equal rates, so the class keeps one virtual clock (bytes served per flow) and a flow only its finish reading.
// **Units** capacities and caps in units/s (bytes for storage, core-seconds for processors), amounts in units.
// **Source** Bertsekas & Gallager, Data Networks, 2nd ed., 6.5.2 (max-min fairness by progressive filling).
// **Checked by** FlowNetwork tests: hand-solved graphs, M/G/1-PS.
#pragma once

#include <coroutine>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/engine/simulator.h"

namespace stallcast {

class FlowNetwork {
 public:
  using LinkId = std::uint32_t;
  using ClassId = std::uint32_t;
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  static constexpr LinkId kOwnCap = UINT32_MAX;  // a class bound by its own per-flow cap, not by a link

  explicit FlowNetwork(Simulator& sim) : sim_(&sim) {}
  FlowNetwork(const FlowNetwork&) = delete;
  FlowNetwork& operator=(const FlowNetwork&) = delete;

  LinkId add_link(double capacity);
  // **Errors** a class must have a finite cap or a link of finite capacity on its path.
  ClassId add_class(std::span<const LinkId> path, double cap_per_flow = kUnlimited);

  Simulator& simulator() { return *sim_; }
  std::int64_t flows(ClassId cls) const { return classes_[cls].flows; }
  double rate(ClassId cls) const { return classes_[cls].rate; }            // per flow
  LinkId bottleneck(ClassId cls) const { return classes_[cls].bottleneck; }
  double moved(LinkId link) const;                                         // units carried so far

  // co_await transfer(c, amount): one flow of class c moves `amount` >= 0 units. **Cost** O(log flows) plus the
  // classes whose share changes.
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
  struct Flow {
    double finish;  // reading of the class's virtual clock at which it ends
    std::uint64_t order;
    void* process;
    bool before(const Flow& other) const { return finish != other.finish ? finish < other.finish : order < other.order; }
  };
  struct FlowClass {
    std::vector<LinkId> path;
    double cap = kUnlimited;
    std::int64_t flows = 0;
    double rate = 0.0;     // units/s per flow
    double clock = 0.0;    // units served per flow up to `since`
    SimTime since = 0;
    LinkId bottleneck = kOwnCap;
    std::vector<Flow> heap;  // binary heap by finish
    Timer timer;
    FlowNetwork* network = nullptr;
    bool fixed = false;    // scratch of share()
    double next_rate = 0.0;
    LinkId next_bottleneck = kOwnCap;
    bool active_listed = false;
  };
  struct Link {
    double capacity;
    std::vector<ClassId> classes;
    double moved = 0.0;
    double left = 0.0;           // scratch of share()
    std::int64_t unfixed = 0;    // scratch of share()
    std::uint64_t mark = 0;      // visited in this pass
  };

  void start(ClassId cls, double amount, std::coroutine_handle<> process);
  static void on_timer(void* owner);
  void finish_due(FlowClass& cls);
  void advance(FlowClass& cls);
  void set_completion(FlowClass& cls);
  void share(ClassId changed);

  Simulator* sim_;
  std::uint64_t order_ = 0;
  std::uint64_t pass_ = 0;
  std::vector<Link> links_;
  std::vector<FlowClass> classes_;
  std::vector<ClassId> component_;
  std::vector<LinkId> component_links_;
};

}  // namespace stallcast
