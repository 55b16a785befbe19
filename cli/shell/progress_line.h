// A line on the terminal that says how far a simulation is, and leaves no trace when it is done.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "cli/shell/environment.h"
#include "core/run/simulate.h"

namespace stallcast {

// "120 steps, 24 s simulated, GPU utilization 84.1 % +- 0.7", or "37 of 100 runs simulated" once they are, or
// "GPU utilization 84.1 %; uncertain inputs: sample 12 of 39" (the first is that of the inputs as given).
std::string progress_text(const Progress& progress);

class ProgressLine {
 public:
  explicit ProgressLine(const Environment& environment) : environment_(environment) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  // What to give to a simulation; empty when nobody is watching.
  std::function<void(const Progress&)> callback();
  // The same for work that is counted, "12 of 96 runs"; `things` lives as long as this.
  std::function<void(std::int64_t done, std::int64_t wanted)> counter(const char* things);
  // Shows what `text` says, if it is time to.
  void show(const std::function<std::string()>& text);
  void clear();

 private:
  const Environment& environment_;
  std::chrono::steady_clock::time_point shown_at_{};
  bool visible_ = false;
};

}  // namespace stallcast
