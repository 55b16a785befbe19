// Whether the process stood still, or its clock jumped, while it measured.
#pragma once

#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace stallcast {

// What a watch has seen since it began.
struct Pauses {
  int count = 0;
  double stood_still_s = 0.0;  // stopped, suspended with the machine, or not run by it
  double went_back_s = 0.0;    // that the clock was set back
  double lost_s = 0.0;         // that monotonic_s went on in all of them, less what it went back
};

// A thread that sleeps for moments at a time: where one of them took long, nothing of this process ran (a stopped
// process, a suspended machine or one that is moved), and what was timed meanwhile says nothing about the storage. Slow
// storage holds up other threads, not this one.
class PauseWatch {
 public:
  static constexpr double kMoment_s = 0.05;
  static constexpr double kLong_s = 2.0;  // a machine with 40 times as much to do as it can is not that late

  PauseWatch();

  // All until now.
  Pauses pauses();
  // Has a stop requested at the next pause.
  std::stop_source until_next();

 private:
  struct Clocks {
    double monotonic_s, boot_s;  // the latter goes on while the machine is suspended
  };
  static Clocks read_clocks();
  void look();  // with the mutex held

  std::mutex mutex_;
  Clocks last_;
  Pauses seen_;
  std::stop_source next_{std::nostopstate};
  std::jthread watcher_;
};

// A sentence about them, and that so many measurements were dropped; "" when there were none.
std::string pause_note(const Pauses& pauses, int dropped);

}  // namespace stallcast
