// A calibration as a person reads it: each value before and after, how well the law fits, what stayed assumed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/calibrate/calibration.h"
#include "core/report/words/text_layout.h"
#include "core/result/run_result.h"

namespace stallcast {

// The same job simulated with the values before and after.
struct BeforeAndAfter {
  RunResult before, after;
  Scenario scenario;  // with the values after
};

// `results` is null where the scenario is not one training job.
std::string render_text(const Calibration& calibration, const BeforeAndAfter* results, const TextStyle& style);

// {"changes": [...], "still_assumed": [...], "fit": {...} or null, "observations": [...], "before": {...}, "after":
// {...}}: factors of intervals as numbers, values in file form; before and after are null without `results`.
nlohmann::ordered_json calibration_json(const Calibration& calibration, const BeforeAndAfter* results);

}  // namespace stallcast
