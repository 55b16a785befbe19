#include "core/run/model_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/run/input_ranges.h"

namespace stallcast {
namespace {

RunResult busy(double utilization, double half) {
  RunResult result;
  result.gpu_utilization = {utilization, utilization - half, utilization + half};
  return result;
}

TEST(ModelError, IsAtMostItsBoundAndNothingWhereNothingWaits) {
  for (double u = 0.0; u <= 1.0; u += 0.05) {
    EXPECT_GE(model_error(u), 0.0);
    EXPECT_LE(model_error(u), kModelError);
    EXPECT_LE(model_error(u, kUnmeasuredError), kUnmeasuredError);
    EXPECT_LE(model_error(u), model_error(u, kUnmeasuredError)) << "what nobody measured is not known better";
  }
  EXPECT_EQ(model_error(0.0), kModelError);
  EXPECT_EQ(model_error(1.0), 0.0);
  // By hand: 0.29 (1 - 0.9) = 0.029 of 0.9.
  EXPECT_NEAR(model_error(0.9), 0.029, 1e-12);
}

TEST(ModelError, IsAddedInQuadrature) {
  // Half of utilization 0.5: 0.094 * 0.5 = 0.047; with 0.03 of the simulation's own sqrt(0.047^2 + 0.03^2) = 0.05576.
  const Estimate wide = with_model_error(busy(0.5, 0.03)).gpu_utilization;
  EXPECT_DOUBLE_EQ(wide.mean, 0.5);
  EXPECT_NEAR(wide.ci95_low, 0.5 - 0.05576, 1e-5);
  EXPECT_NEAR(wide.ci95_high, 0.5 + 0.05576, 1e-5);
}

TEST(ModelError, StaysInsideFractions) {
  const Estimate low = with_model_error(busy(0.001, 0.0), kUnmeasuredError).gpu_utilization;
  EXPECT_GE(low.ci95_low, 0.0);
  const Estimate high = with_model_error(busy(0.999, 0.0), kUnmeasuredError).gpu_utilization;
  EXPECT_LE(high.ci95_high, 1.0);
}

// What a probe and a recording of the job leave assumed does not decide.
TEST(ModelError, IsThatOfMeasuredRunsOnceStorageStepAndSamplesAreMeasured) {
  const auto assumed = [](const char* pointer) {
    AssumedInput input;
    input.assumed.range.pointer = pointer;
    return input;
  };
  EXPECT_EQ(most_model_error({}), kModelError);
  EXPECT_EQ(most_model_error({assumed("/loader/next_ready"), assumed("/cluster/host_to_device_bandwidth")}),
            kModelError);
  for (const char* decides : {"/storage/latency", "/dataset/decode_time", "/workload/step_time"})
    EXPECT_EQ(most_model_error({assumed("/loader/next_ready"), assumed(decides)}), kUnmeasuredError) << decides;
}

}  // namespace
}  // namespace stallcast
