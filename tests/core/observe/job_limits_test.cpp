#include "core/observe/job_limits.h"

#include <gtest/gtest.h>

#include "tests/core/observe/fake_proc.h"

namespace stallcast {
namespace {

class Limits : public ::testing::Test {
 protected:
  void SetUp() override {
    proc_.process(10, 1, "python3", "python3");
    proc_.write("meminfo", "MemTotal:       1048576 kB\n");  // 1 GiB
  }
  JobLimits limits() const { return job_limits(10, proc_.path(), groups_.path()); }
  FakeProc proc_, groups_;
};

// A quarter of a core at the job's own group, half a core above it, 300 MB above that.
TEST_F(Limits, OfVersion2AreTheLeastOfAllLevels) {
  proc_.write("10/cgroup", "0::/pod/job\n");
  groups_.write("memory.max", "max\n");
  groups_.write("pod/cpu.max", "50000 100000\n");
  groups_.write("pod/memory.max", "300000000\n");
  groups_.write("pod/job/cpu.max", "25000 100000\n");
  groups_.write("pod/job/memory.max", "max\n");
  groups_.write("pod/job/io.max", "8:16 rbps=20000000 wbps=max riops=500 wiops=max\n");
  const JobLimits got = limits();
  EXPECT_DOUBLE_EQ(got.cores, 0.25);
  EXPECT_EQ(got.cores_from, "cpu.max of its control group");
  EXPECT_DOUBLE_EQ(got.memory_bytes, 3e8);
  ASSERT_EQ(got.reads.size(), 1U);
  EXPECT_EQ(got.reads[0].device, "8:16");
  EXPECT_DOUBLE_EQ(got.reads[0].bytes_per_s, 2e7);
  EXPECT_DOUBLE_EQ(got.reads[0].requests_per_s, 500.0);
}

TEST_F(Limits, OfVersion1AreInAFolderForEachController) {
  proc_.write("10/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n3:blkio:/job\n");
  groups_.write("cpu,cpuacct/job/cpu.cfs_quota_us", "80000\n");
  groups_.write("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  groups_.write("memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  groups_.write("blkio/job/blkio.throttle.read_bps_device", "254:0 1000000\n");
  const JobLimits got = limits();
  EXPECT_DOUBLE_EQ(got.cores, 0.8);
  EXPECT_DOUBLE_EQ(got.memory_bytes, 1048576.0 * 1024.0);
  ASSERT_EQ(got.reads.size(), 1U);
  EXPECT_DOUBLE_EQ(got.reads[0].bytes_per_s, 1e6);
}

TEST_F(Limits, WithoutGroupsAreTheMachines) {
  const JobLimits got = limits();
  EXPECT_DOUBLE_EQ(got.cores, 1.0);  // Cpus_allowed_list is 0
  EXPECT_TRUE(got.reads.empty());
}

}  // namespace
}  // namespace stallcast
