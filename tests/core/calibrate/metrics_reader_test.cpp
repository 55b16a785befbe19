#include "tests/core/calibrate/reader_fixture.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNull;
using ::testing::NotNull;

using MetricsReader = ReaderTest;

TEST_F(MetricsReader, AveragesEachGpuAndThenGpus) {
  const Measurements measured = read_text(R"(# HELP DCGM_FI_PROF_GR_ENGINE_ACTIVE Ratio of time the engine is active.
# TYPE DCGM_FI_PROF_GR_ENGINE_ACTIVE gauge
DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="0",UUID="GPU-a",modelName="X \"1\", {y}",pod=""} 0.500000 1700000000000
DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="0",UUID="GPU-a",modelName="X \"1\", {y}",pod=""} 0.7
DCGM_FI_PROF_GR_ENGINE_ACTIVE{ gpu = "1" , UUID="GPU-b"} 8e-1 # {trace="1"} 5

DCGM_FI_PROF_SM_ACTIVE{gpu="0",UUID="GPU-a"} 0.3
DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-a"} 100
DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID="GPU-b"} 9223372036854775794
DCGM_FI_DEV_FB_USED{gpu="0"} 12345
go_goroutines 5
)");
  EXPECT_EQ(measured.tool, "dcgm");
  // GPU 0: mean 0.6; GPU 1: 0.8. Mean 0.7, deviation 0.2 / sqrt 2.
  ASSERT_THAT(observation(measured, "gpu_utilization"), NotNull());
  EXPECT_DOUBLE_EQ(observation(measured, "gpu_utilization")->value, 0.7);
  EXPECT_DOUBLE_EQ(observation(measured, "gpu_utilization")->spread, 0.2 / std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(observation(measured, "sm_active")->value, 0.3);
  // The value of GPU 1 says "not supported".
  EXPECT_DOUBLE_EQ(observation(measured, "any_kernel_resident")->value, 1.0);
  EXPECT_THAT(observation(measured, "any_kernel_resident")->definition, HasSubstr("not a utilization"));
}

TEST_F(MetricsReader, TakesMultiprocessorsWhereTheEngineIsNotWatched) {
  const Measurements measured = read_text("DCGM_FI_DEV_GPU_UTIL 90\nDCGM_FI_PROF_SM_ACTIVE 0.4\n");
  EXPECT_DOUBLE_EQ(observation(measured, "gpu_utilization")->value, 0.4);
  EXPECT_THAT(observation(measured, "gpu_utilization")->definition, HasSubstr("multiprocessor"));
}

TEST_F(MetricsReader, NeverTakesResidentKernelsForUtilization) {
  const Measurements measured = read_text("DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 90\n");
  EXPECT_THAT(observation(measured, "gpu_utilization"), IsNull());
  EXPECT_DOUBLE_EQ(observation(measured, "any_kernel_resident")->value, 0.9);
}

TEST_F(MetricsReader, NamesTheLineThatIsWrong) {
  EXPECT_THAT(message("# TYPE a gauge\nDCGM_FI_PROF_SM_ACTIVE{gpu=\"0} 0.4\n"), HasSubstr("wrong_row] at line 2"));
  for (const char* value : {"nan", "+Inf", "inf", "-0.5", "1.5", "1e999"}) {
    const auto found = codes(std::string("DCGM_FI_PROF_SM_ACTIVE ") + value + "\n");
    ASSERT_EQ(found.size(), 1U) << value;
    EXPECT_TRUE(found[0] == "error out_of_range" || found[0] == "error not_a_number") << value << ": " << found[0];
  }
  EXPECT_THAT(codes("DCGM_FI_PROF_SM_ACTIVE busy\n"), ElementsAre("error not_a_number"));
  EXPECT_THAT(codes("# TYPE go_goroutines gauge\ngo_goroutines 5\n"), ElementsAre("error missing_key"));
  EXPECT_THAT(codes("DCGM_FI_PROF_SM_ACTIVE{a=\"\xFF\"} 0.5\n"), ElementsAre("error not_utf8"));
}

}  // namespace
}  // namespace stallcast
