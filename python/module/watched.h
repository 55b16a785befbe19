// Work of the core while Python looks on: other Python threads run, Ctrl-C stops it, progress is told.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/run/simulate.h"

namespace stallcast::python {

// How far work is: "37 of 100 simulated runs". `wanted` is 0 where nobody knows.
struct Told {
  std::string what;
  std::int64_t done = 0, wanted = 0;
  double gpu_utilization = -1.0;  // so far; negative while unknown
};

// What the work sees of whoever waits for it.
class Watch {
 public:
  explicit Watch(std::stop_token stop) : stop_(std::move(stop)) {}
  const std::stop_token& stop() const { return stop_; }

  // From any thread.
  void tell(Told told);
  std::optional<Told> take();

  // For RunOptions, and for what counts.
  std::function<void(const Progress&)> progress();
  std::function<void(std::int64_t, std::int64_t)> counter(const char* what);

 private:
  std::stop_token stop_;
  std::mutex mutex_;
  std::optional<Told> told_;  // the latest that nobody has taken
};

// Runs `work` on a thread of its own and waits for it without the interpreter's lock. `progress` is None or a function
// of (what, done, wanted, gpu_utilization or None), which is called by the waiting thread a few times a second.
//
// An interrupt, or an exception of `progress`, asks the work to stop, waits until it has, and is raised then.
// **Errors** what the work throws.
void run_watched(const pybind11::object& progress, const std::function<void(Watch&)>& work);

}  // namespace stallcast::python
