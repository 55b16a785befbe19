// Progress of a simulation, from the thread that simulates to the one that shows it.
#pragma once

#include <functional>
#include <mutex>

#include "core/run/simulate.h"
#include "gui/session/answer.h"

namespace stallcast::gui {

class SharedProgress {
 public:
  void put(const Progress& progress);
  Progress take() const;

 private:
  mutable std::mutex mutex_;
  Progress latest_;
};

// Of the time that the run of `scenario` takes, 0..1, roughly: the steps to a precision go with its inverse square, and
// the draws of uncertain inputs take ten times as long as the run as given.
double finishedFraction(const Progress& progress, const Scenario& scenario);

}  // namespace stallcast::gui
