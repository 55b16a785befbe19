// Jobs that run together on one storage system, simulated as long as it takes to know their rates.
#pragma once

#include <cstdint>
#include <limits>
#include <stop_token>
#include <vector>

#include "core/model/storage/read_plan.h"
#include "core/result/lost_time.h"
#include "core/result/serving_result.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// One of the jobs, in the state that it is in.
struct JointJob {
  const Scenario* scenario = nullptr;
  std::uint64_t seed = 0;
  const ReadPlan* plan = nullptr;  // training: which levels answer; null: storage
  double remaining = 1.0;          // serving: part of the weights
};

struct JointRates {
  struct Job {
    double steps_per_s = 0.0;      // training
    double gpu_utilization = 0.0;  // training, with
    double half_width = 0.0;       // that of its 95 % interval
    std::array<double, static_cast<std::size_t>(LostTime::kCount)> lost_fraction{};
    double done_per_s = 0.0;  // serving: part of all weights
    bool finished = false;    // serving: within window_s
    ServingResult serving;
  };
  std::vector<Job> jobs;  // in the order given
  double window_s = 0.0;  // time that was simulated with loads under way; infinite without any: the rates last
  bool cut = false;       // the window ended before any load did and before `horizon_s`
  bool converged = true;
  std::uint64_t events = 0;
};

// Whether checkpoints come often enough to be met among the steps that are simulated together, and are all written
// alike. Others are left out of them.
bool saves_often(const Scenario& scenario);

struct JointOptions {
  bool every_node = false;  // nothing stands for others
  bool coarse = false;
  double horizon_s = std::numeric_limits<double>::infinity();
  std::stop_token stop;
};

// `storage` describes the system. Training jobs run in their steady state: until each one's utilization is known to its
// run.precision, and to 2 % of itself where that takes no more than some seconds and nothing coarser will do; or with
// loads until the first of these has ended or `horizon_s` has passed, after the training jobs have filled their queues.
// Where all jobs are large, a part of the nodes of each stands for all, on that part of the system (representatives.h):
// the same part for every job, to within 1 % of its nodes. `every_node` simulates all.
// **Range** at least one job. `horizon_s` > 0.
// When `stop` is requested, the rates are what is known by then.
JointRates simulate_joint(const Scenario& storage, const std::vector<JointJob>& jobs, const JointOptions& options = {});

}  // namespace stallcast
