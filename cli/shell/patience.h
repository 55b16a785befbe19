// A person is told before a run takes longer than anybody waits for without having been asked.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "core/diagnostics/finding.h"
#include "core/run/simulate.h"

namespace stallcast {

// How long a run is likely to take in all, from its progress so far.
//
// **Model** what is counted (simulated runs, draws of uncertain inputs, steps of a whole run) takes equally long each;
// to a precision it takes steps as the square of the interval's width, up to run.max_steps, and kFewestSteps before
// that width means anything. What comes after what is being counted is left out.
class RunEstimate {
 public:
  static constexpr double kFewestSteps = 400.0;

  explicit RunEstimate(const Scenario& scenario) : scenario_(scenario) {}

  // **Units** `elapsed_s` since the run began, ascending.
  void add(const Progress& progress, double elapsed_s);
  // Nothing until two parts of something are done.
  std::optional<double> total_s() const;

 private:
  struct Count {
    int of_what = 0;  // steps, simulated runs, draws
    double done = 0.0, wanted = 0.0, elapsed_s = 0.0;
  };
  Count count_of(const Progress& progress, double elapsed_s) const;

  const Scenario& scenario_;
  std::optional<Count> first_, last_;  // of the same thing
};

// Watches one call of simulate(): where it would take more than kPatience_s in all, it is stopped soon after it began,
// and finding() says what it would have taken. After kJudged_s it goes on whatever is thought of it then: nobody loses
// work.
class Patience {
 public:
  static constexpr double kPatience_s = 3600.0, kJudged_s = 60.0;

  // Stops when `also` does, too. Looks at the rate every `look`. **Lifetime** that of the call
  Patience(const Scenario& scenario, const std::stop_token& also,
           std::chrono::milliseconds look = std::chrono::seconds(5));
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  // For RunOptions. `show` sees progress as well, where it is not empty.
  std::stop_token stop() const { return stop_.get_token(); }
  std::function<void(const Progress&)> watch(std::function<void(const Progress&)> show);

  // "too_much", once the run has been stopped for it.
  std::optional<Finding> finding() const;

 private:
  void watch_until(const std::stop_token& over);

  std::stop_source stop_;
  std::stop_callback<std::function<void()>> stops_too_;
  mutable std::mutex mutex_;
  std::condition_variable_any over_;
  RunEstimate estimate_;
  std::chrono::milliseconds look_;
  std::optional<double> too_much_s_;
  std::jthread watcher_;
};

}  // namespace stallcast
