// The processor cores of a node, shared by everything that computes on them.
//
// **Model** one of three disciplines:
// - fluid: n runnable processes on c cores each run at rate min(1, c / n), at every instant;
// - one queue: cores take processes from one queue in turns of `time_slice`, work conserving;
// - queue per core: a waking process takes its last core if idle, else any idle core, else joins the queue of its last
//   core and stays there though another core may fall idle meanwhile: what an operating system that balances rarely
//   does.
// Cores that compute have one clock: 1 where one of them does, and less by `clock_fall` with each further one. A
// process that computed more or less than it was due when its turn ended has that taken off or added next time; a fluid
// one keeps the clock with which it began. In a queue, processes that woke from waiting go before those whose slice
// ended, and the running one yields to them at the end of its slice, at once if it has had that: the part of a fair
// scheduler that a short-running process feels.
// **Units** work in core-seconds of a core that computes alone, on the clock in nanoseconds.
// **Source** Kleinrock, Queueing Systems vol. 2, 4.4 (processor sharing as the limit of short turns); Linux
// Documentation/scheduler/sched-eevdf.rst (run queues and slices). The fall of clocks: stress-ng with 1 to all threads
// on machines with 64 to 224 threads (Spare Cores, sc-inspector-data): within a tenth of an even fall on each of seven.
// **Checked by** CorePool tests, M/G/1-PS, and the measured sharing of two cores (tests/validation).
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/engine/flow_network.h"
#include "core/engine/simulator.h"

namespace stallcast {

enum class CoreDiscipline { kFluid, kOneQueue, kQueuePerCore };

class CorePool {
 public:
  // Where and until when a process ran last; one per process, kept by it between calls.
  struct LastCore {
    std::int32_t core = -1;
    SimTime until = -1;
    SimTime owed = 0;  // work that its last turn left undone; below 0 = it did more
  };

  // A turn is `slices_of_turn` slices long unless someone has just woken: several where one stretch of computing stands
  // for as many short ones.
  // **Range** cores > 0 (rounded to whole cores, at least 1, unless fluid); time_slice > 0 unless fluid; slices >= 1;
  // clock_fall >= 0, and too little to stop all cores.
  CorePool(Simulator& sim, double cores, CoreDiscipline discipline = CoreDiscipline::kFluid, SimTime time_slice = 0,
           std::int64_t slices_of_turn = 1, double clock_fall = 0.0);
  CorePool(const CorePool&) = delete;
  CorePool& operator=(const CorePool&) = delete;

  // co_await run(s, last): the process computes for `s` >= 0 core-seconds, longer by the clock when cores are short.
  auto run(double core_seconds, LastCore& last) {
    struct Awaiter : Turn {
      CorePool& pool;
      LastCore& last;
      double core_seconds;
      Awaiter(CorePool& p, LastCore& l, double s) : pool(p), last(l), core_seconds(s) {}
      bool await_ready() const noexcept { return !(core_seconds > 0); }
      void await_suspend(std::coroutine_handle<> waiting) {
        if (pool.fluid_) {
          pool.fluid_->transfer(pool.fluid_class_, core_seconds / pool.clock_of_next()).await_suspend(waiting);
          return;
        }
        this->process = waiting;
        this->left = std::max<SimTime>(1, to_ns(core_seconds) + std::exchange(last.owed, 0));
        this->home = &last;
        pool.enter(*this);
      }
      void await_resume() const noexcept {}
    };
    return Awaiter(*this, last, core_seconds);
  }

  double cores() const { return cores_; }
  double busy_core_seconds() const;
  std::int64_t runnable() const;

 private:
  // A process that computes or waits to: lives in the frame of the process.
  struct Turn {
    std::coroutine_handle<> process{};
    SimTime left = 0;
    LastCore* home = nullptr;
    Turn* next = nullptr;
  };
  struct Queue {
    Turn* head = nullptr;
    Turn* tail = nullptr;
    bool empty() const { return head == nullptr; }
    void push(Turn& turn);
    Turn& pop();
  };
  struct RunQueue {
    Queue woken;    // from waiting
    Queue stopped;  // at the end of a slice
    bool empty() const { return woken.empty() && stopped.empty(); }
    Turn& pop() { return woken.empty() ? stopped.pop() : woken.pop(); }
  };
  struct Core {
    Turn* running = nullptr;
    // Of the running one as of `since`: its frame, which with thousands of processes is far away, is asked for when the
    // stretch ends and not waited for.
    std::coroutine_handle<> process{};
    SimTime left = 0;
    LastCore* home = nullptr;
    SimTime since = 0;         // when its present stretch began
    SimTime worked = 0;        // worked() then
    bool listed_idle = true;   // on the stack of idle cores
    bool slice_armed = false;  // the timer stands at the end of the slice, for someone waits
    Timer timer;
    CorePool* pool = nullptr;
    std::int32_t index = 0;
  };

  void enter(Turn& turn);
  double clock_of(double cores) const;
  double clock_of_next() const;
  void computing(std::int32_t more);
  SimTime worked() const;
  SimTime lasts(SimTime work) const;
  void start(Core& core, Turn& turn);
  SimTime long_turn(const Core& core, const RunQueue& queue) const;
  void arm(Core& core);
  void arm_oldest();
  static void on_timer(void* owner);
  void end_turn(Core& core);
  RunQueue& queue_of(std::int32_t core) { return queues_[queues_.size() == 1 ? 0 : static_cast<std::size_t>(core)]; }

  Simulator* sim_;
  double cores_;
  CoreDiscipline discipline_;
  SimTime time_slice_;
  SimTime turn_;  // a slice, or several
  std::unique_ptr<FlowNetwork> fluid_;
  FlowNetwork::LinkId fluid_link_ = 0;
  FlowNetwork::ClassId fluid_class_ = 0;
  std::vector<Core> core_;
  std::vector<RunQueue> queues_;
  std::vector<std::int32_t> idle_;     // stack of idle cores (may hold busy ones: checked on use)
  std::vector<std::int32_t> started_;  // one queue: cores in order of `since`, a ring of candidates to arm
  std::size_t started_head_ = 0;
  std::int64_t runnable_ = 0;
  SimTime busy_ns_ = 0;
  double fall_;                 // of the clock, with each further core that computes
  std::int32_t computing_ = 0;  // cores
  double clock_ = 1.0;          // of each of them
  SimTime worked_ = 0;          // by a core that computed all the time, until `worked_at_`
  SimTime worked_at_ = 0;
};

}  // namespace stallcast
