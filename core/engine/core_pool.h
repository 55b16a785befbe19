// The processor cores of a node, shared by everything that computes on them.
//
// **Model** one of three disciplines:
// - fluid: n runnable processes on c cores each run at rate min(1, c / n), at every instant;
// - one queue: cores take processes from one queue in turns of `time_slice`, work conserving;
// - queue per core: a waking process takes its last core if idle, else any idle core, else joins the queue of its last
//   core and stays there though another core may fall idle meanwhile: what an operating system that balances rarely
//   does.
// In a queue, processes that woke from waiting go before those whose slice ended, and the running one yields to them at
// the end of its slice, at once if it has had that: the part of a fair scheduler that a short-running process feels.
// **Units** work in core-seconds, on the clock in nanoseconds.
// **Source** Kleinrock, Queueing Systems vol. 2, 4.4 (processor sharing as the limit of short turns); Linux
// Documentation/scheduler/sched-eevdf.rst (run queues and slices).
// **Checked by** CorePool tests, M/G/1-PS, and the measured sharing of two cores (tests/validation).
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
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
  };

  // A turn is `slices_of_turn` slices long unless someone has just woken: several where one stretch of computing stands
  // for as many short ones.
  // **Range** cores > 0 (rounded to whole cores, at least 1, unless fluid); time_slice > 0 unless fluid; slices >= 1.
  CorePool(Simulator& sim, double cores, CoreDiscipline discipline = CoreDiscipline::kFluid, SimTime time_slice = 0,
           std::int64_t slices_of_turn = 1);
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
          pool.fluid_->transfer(pool.fluid_class_, core_seconds).await_suspend(waiting);
          return;
        }
        this->process = waiting;
        this->left = to_ns(core_seconds);
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
    bool listed_idle = true;   // on the stack of idle cores
    bool slice_armed = false;  // the timer stands at the end of the slice, for someone waits
    Timer timer;
    CorePool* pool = nullptr;
    std::int32_t index = 0;
  };

  void enter(Turn& turn);
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
};

}  // namespace stallcast
