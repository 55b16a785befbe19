// How far the model is off where its inputs are right, and beyond them where they are not measured: both have been
// measured, so answers say them.
#pragma once

#include "core/result/run_result.h"

namespace stallcast {

// Relative half-width of the 90 % interval that the model's own error leaves of throughput and of GPU utilization.
// **Model** at most `most` of what is done; where GPUs hardly wait an error can only be in the little that they wait:
// kModelLogit * (1 - utilization), the interval of the logit of utilization, in proportion to `most`.
// **Range** 0 <= utilization <= 1; the result is 0 to `most`
// **Source** 149 measured runs of PyTorch's DataLoader, predicted from components measured alone (stallcast validate
// --draws random tests/validation/dataloader/measured_public.jsonl): of samples per second 9 in 10 are off by at most
// 9.4 %, of the logit of utilization by at most 0.29.
// **Checked by** tests/core/run/model_error_test.cpp, tests/core/run/blurred_coverage_test.cpp
inline constexpr double kModelError = 0.094;
inline constexpr double kModelLogit = 0.29;
double model_error(double utilization, double most = kModelError);

// `result` with intervals of utilization that hold the model's error as well, added in quadrature.
RunResult with_model_error(RunResult result, double most = kModelError);

}  // namespace stallcast
