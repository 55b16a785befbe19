// Points of a sweep, computed one by one, on any number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/plan/evaluate/shared_runs.h"
#include "core/plan/space/space.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

struct FinishedPoint {
  std::int64_t index = 0;
  bool is_fine = false;  // its configuration can be
  std::string line;      // point_line()
};

class PointRunner {
 public:
  // Everything referred to must outlive it.
  PointRunner(const ScenarioFile& base, const Space& space, const Catalogue& catalogue, std::stop_token stop = {})
      : base_(base), space_(space), catalogue_(catalogue), stop_(std::move(stop)) {}

  // Resolves, simulates with the inputs as given, and prices the point `index`, on this thread. A point whose run
  // another thread is simulating is put aside and comes out of that thread's call, so that one call finishes none, one,
  // or several. None after a stop is requested. From any thread.
  // **Errors** InvariantError
  std::vector<FinishedPoint> run(std::int64_t index);

  // How many simulations there were.
  std::int64_t simulations() const { return simulations_; }

 private:
  void run_one(std::int64_t index, std::vector<FinishedPoint>& finished, std::vector<std::int64_t>& next);

  const ScenarioFile& base_;
  const Space& space_;
  const Catalogue& catalogue_;
  std::stop_token stop_;
  SharedRuns runs_;
  std::atomic<std::int64_t> simulations_{0};
};

}  // namespace stallcast
