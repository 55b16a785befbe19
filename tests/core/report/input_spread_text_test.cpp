#include "core/report/words/input_spread_text.h"

#include <gtest/gtest.h>

#include "core/report/text/result_text.h"

namespace stallcast {
namespace {

RunResult uncertain_result() {
  RunResult result;
  result.gpu_utilization = {0.841, 0.802, 0.869};
  result.samples_per_s = 1000.0;
  result.inputs.draws_wanted = 39;
  result.inputs.drawn.resize(39);
  result.inputs.simulation.gpu_utilization = {0.841, 0.839, 0.843};
  result.inputs.samples_per_s = {1000.0, 950.0, 1040.0};
  result.inputs.inputs = {{"/storage/latency", 0.8, 1.2, 0.29, 0.3}, {"/storage/read_bandwidth", 0.9, 1.1, 0.71, 0.7}};
  return result;
}

TEST(InputSpreadText, NamesTheLargestSource) {
  EXPECT_EQ(input_spread_lines(uncertain_result()),
            "                 with 2 uncertain inputs, most from storage.read_bandwidth\n"
            "                 (71 %); 83.9 to 84.3 % from simulation noise only\n");
}

TEST(InputSpreadText, OfThroughputWhereUtilizationDoesNotVary) {
  RunResult result = uncertain_result();
  for (InputShare& input : result.inputs.inputs) input.utilization_share = 0.0;
  result.inputs.inputs[0].throughput_share = 0.9;
  EXPECT_EQ(input_spread_lines(result),
            "                 with 2 uncertain inputs, most from storage.latency (90 %); 83.9\n"
            "                 to 84.3 % from simulation noise only\n");
}

TEST(InputSpreadText, OneInputIsTheOnlySource) {
  RunResult result = uncertain_result();
  result.inputs.inputs.resize(1);
  EXPECT_EQ(input_spread_lines(result),
            "                 with storage.latency uncertain; 83.9 to 84.3 % from simulation\n"
            "                 noise only\n");
}

TEST(InputSpreadText, NamesNoSourceOfWhatDoesNotVary) {
  RunResult result = uncertain_result();
  for (InputShare& input : result.inputs.inputs) input.utilization_share = input.throughput_share = 0.0;
  result.inputs.simulation.gpu_utilization = {0.841, 0.0, 1.0};  // too few steps for an interval
  EXPECT_EQ(input_spread_lines(result), "                 with 2 uncertain inputs\n");
}

TEST(InputSpreadText, SaysWhatWasNotDrawn) {
  RunResult result = uncertain_result();
  result.inputs.inputs.resize(1);
  result.inputs.drawn.resize(12);
  EXPECT_EQ(input_spread_lines(result),
            "                 with storage.latency uncertain, only 12 of 39 samples; 83.9 to\n"
            "                 84.3 % from simulation noise only\n");
  result.inputs.drawn.clear();
  EXPECT_EQ(input_spread_lines(result),
            "                 from simulation noise only: stopped before the uncertain inputs\n"
            "                 were sampled\n");
  EXPECT_EQ(input_spread_lines(RunResult()), "");
}

TEST(InputSpreadText, StandsInTheResult) {
  const std::string text =
      render_text(Scenario(), uncertain_result(), Bound{}, CostBreakdown{}, {.unicode = false, .colour = false});
  EXPECT_NE(text.find("GPU utilization  84.1 %  (95 %: 80.2 to 86.9 %)\n                 with 2 uncertain inputs"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1000 samples/s (95 %: 950 samples/s to 1040 samples/s), reading"), std::string::npos) << text;
}

}  // namespace
}  // namespace stallcast
