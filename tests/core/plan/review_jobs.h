// Reviews of a job that takes milliseconds to simulate.
#pragma once

#include <string>

#include "core/plan/review/review.h"
#include "core/report/review/review_json.h"
#include "tests/core/plan/base_file.h"

namespace stallcast {

// A worker takes 4 samples x 10 ms, and up to 1 ms to collate, for a batch that a GPU computes in 10 ms: n workers give
// a utilization of about n / 4.1, all there is from 5 on. 2000 steps at $3600 per hour: about 82 / n dollars.
inline std::string small_job(const std::string& name, int workers, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "cluster": {"cores_per_node": 16},
  "workload": {"batch_size": 4, "step_time": "10 ms"},
  "dataset": {"layout": "records", "samples": 8000, "sample_size": "100 kB"},
  "loader": {"num_workers": )" +
         std::to_string(workers) + R"(, "prefetch_factor": 2, "persistent_workers": true},
  "storage": {"latency": "10 ms"},
  "run": {"whole_run": true},
  "cost": {"node_price": "$3600/h", "storage_discount": 1})" +
         more + "}";
}

inline ReviewRequest review_request(const std::vector<std::string>& jobs) {
  ReviewRequest request;
  for (const std::string& job : jobs) request.files.push_back(scenario_file(job));
  request.accuracy = {"2026-11", {{"what", "points", 1.0, std::nullopt, 3.0, "note", "command"}}};
  request.command = "stallcast report job.json";
  return request;
}

inline Review review_of(const ReviewRequest& request) {
  Loaded<Review> found = review(request, shipped_catalogue());
  EXPECT_TRUE(found.ok());
  return std::move(found.value.value());
}

}  // namespace stallcast
