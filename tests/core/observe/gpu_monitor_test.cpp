#include "core/observe/proc/gpu_monitor.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

TEST(GpuMonitor, WithoutTheLibraryThereAreNoGpus) {
  GpuMonitor monitor("libno-such-library.so.1");
  monitor.look({1});
  EXPECT_TRUE(monitor.seen().empty());
  EXPECT_LT(gpu_busy_share(monitor.seen(), 1), 0.0);
}

// 80, 40, 80, 40 % of the first GPU and 20 % of the second.
TEST(GpuMonitor, MeansAreOfTheJobsGpusWhereTheyAreKnown) {
  GpuMonitor monitor(STALLCAST_STUB_NVML);
  for (int look = 0; look < 4; ++look) monitor.look({99});
  ASSERT_EQ(monitor.seen().size(), 2U);
  EXPECT_EQ(monitor.seen()[0].name, "NVIDIA Test");
  EXPECT_NEAR(monitor.seen()[0].busy, 0.6, 1e-9);
  EXPECT_FALSE(monitor.seen()[0].of_the_job);
  EXPECT_NEAR(gpu_busy_share(monitor.seen(), 2), 0.4, 1e-9);  // nobody of the job: all of them
  EXPECT_LT(gpu_busy_share(monitor.seen(), 1), 0.0);          // one of two: which is not known
  monitor.look({4711});
  monitor.look({4711});
  EXPECT_TRUE(monitor.seen()[0].of_the_job);
  EXPECT_NEAR(gpu_busy_share(monitor.seen(), 1), 0.6, 1e-9);
}

}  // namespace
}  // namespace stallcast
