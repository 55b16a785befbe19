// Runs that several points of a sweep have in common: prices and names do not change a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/result/run_result.h"

namespace stallcast {

// Finished runs by their simulation_key(), the latest ones only, and who waits for those that are under way. From any
// thread.
class SharedRuns {
 public:
  static constexpr std::size_t kDefaultKept = 1024;  // about 10 kB each
  explicit SharedRuns(std::size_t kept = kDefaultKept) : kept_(kept) {}

  struct Claim {
    std::shared_ptr<const RunResult> result;  // finished already
    bool is_yours = false;                    // without a result: simulate it, then finish() or give_up() it
  };
  // With neither, another thread simulates it: `point` is put aside, and that thread's finish() returns it.
  Claim claim(const std::string& key, std::int64_t point);

  // Keeps the result of a run that was claimed, and returns the points that were put aside for it.
  std::vector<std::int64_t> finish(const std::string& key, std::shared_ptr<const RunResult> result);

  // Forgets a run that was claimed and will not be finished, and the points that were put aside for it.
  void give_up(const std::string& key);

 private:
  struct Run {
    std::shared_ptr<const RunResult> result;  // null while it is under way
    std::vector<std::int64_t> waiting;
  };

  std::mutex mutex_;
  std::size_t kept_;
  std::map<std::string, Run> runs_;
  std::deque<std::map<std::string, Run>::iterator> finished_;  // oldest first
};

}  // namespace stallcast
