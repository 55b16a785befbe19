// What a job needs and nobody who only watches it knows.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/calibrate/read/measurements.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

// A value that was put in for one that is not known, with the range that it may have.
struct PlacedUnknown {
  std::string pointer;
  std::string text;  // "200 ms, may be 40 ms to 330 ms: from it_per_s"
};

// Puts into `document` what `file`, read from it, leaves open and a fit needs to start from, each with its range in
// run.uncertain:
//   workload.step_time    without a workload: the step that was seen less its wait for data, or times the share in
//   which
//                         the GPU was busy, 0.8 to 1.2 of that; with neither, half of the step, 0.1 to 2 times
//   dataset.decode_time   without a workload and a format: 2 ms, 0.02 to 50 times
//   storage.latency       of storage that is described by hand: 1 ms, 0.1 to 10 times: local NVMe to a busy server
// Empty where nothing is open.
// **Checked by** tests/core/diagnose/unknowns_test.cpp
std::vector<PlacedUnknown> place_unknowns(nlohmann::ordered_json& document, const ScenarioFile& file,
                                          const std::vector<Observation>& seen);

}  // namespace stallcast
