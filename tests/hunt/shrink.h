// Makes a failing job as small and as simple as it can be while it still fails.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

namespace stallcast::hunt {

struct ShrinkLimits {
  int most_trials = 120;
  double most_s = 180.0;
};

// The job with every part taken away that is not needed for `still_fails`, and every number that is left brought nearer
// to a plain one: groups, then fields, then numbers halved or made round. Repeats until nothing more can be done.
// `job` itself must fail. **Cost** one call of `still_fails` per change tried
nlohmann::ordered_json shrink_job(const nlohmann::ordered_json& job,
                                  const std::function<bool(const nlohmann::ordered_json&)>& still_fails,
                                  const ShrinkLimits& limits);

}  // namespace stallcast::hunt
