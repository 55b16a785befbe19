// A watched job as a scenario: what was seen as values with ranges, each with where it is from.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/calibrate/read/measurements.h"
#include "core/observe/job_figures.h"

namespace stallcast {

// What the person beside the job says of it.
struct JobAnswers {
  std::int64_t batch_size = 0;        // of a rank; 0 = not said
  std::vector<Observation> observed;  // --observed, and lines of logs
};

// A field that was set, and why so.
struct SeenValue {
  std::string pointer;
  std::string from;  // a clause
  double low_factor = 1.0, high_factor = 1.0;
};

struct JobScenario {
  nlohmann::ordered_json document;
  std::vector<SeenValue> values;
  std::vector<std::string> missing;   // sentences: what could not be seen, what was taken, how to say it
  std::vector<Observation> outcomes;  // to fit to
  bool batch_is_sample = false;       // the batch is not known: a sample of the scenario is a whole batch
};

// **Model** A batch's own CPU time becomes dataset.decode_time of its samples but for what the loader's record says it
// takes itself; its waits become storage.latency of a request for each sample where each reader has its own pace, or
// are left to storage.read_bandwidth where all readers share one. Where batches differ by more than a tenth, the part
// that differs more has a gamma distribution: the sum of n draws of shape k is one of shape n k, so that samples vary
// as their batches do. The share of the time in which the GPU ran kernels is workload.step_time, where its driver
// tells it and it is more than the trainer does not wait; else the trainer's time outside of next() is, the part on a
// core workload.step_return_cpu. The batch is what workers read for it over the mean size of the files, where each file
// is a sample and that is within a tenth of a whole number.
// **Range** figures with batches_per_s
// **Errors** InvariantError without it.
// **Checked by** tests/core/observe/job_scenario_test.cpp, tests/validation/attach
JobScenario scenario_of(const JobFigures& figures, const JobLimits& limits, const JobAnswers& answers,
                        const std::string& name);

// The samples of a batch as files tell them; 0 where they do not.
std::int64_t batch_from_files(const JobFigures& figures);

// `document` as a file for people: every value that was seen has its origin as a comment.
std::string annotated_text(const nlohmann::ordered_json& document, const std::vector<SeenValue>& values);

}  // namespace stallcast
