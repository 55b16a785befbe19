#include "core/scenario/host_memory.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

// 8 ranks on a node, batches of 10 samples: 1 MB on storage, 3 MB as tensors, so 30 MB a batch.
Scenario job() {
  Scenario s;
  s.cluster.nodes = 4;
  s.cluster.gpus_per_node = 8;
  s.workload.batch_size = 10;
  s.dataset.sample_size = Distribution::constant(1e6);
  s.dataset.tensor_size = bytes(3e6);
  s.loader.num_workers = 4;
  s.loader.prefetch_factor = 2;
  return s;
}

// Handed out: 8 * 4 * 2 * 30 MB = 1920 MB; taken: 8 * 30 MB; with a pinning thread 8 more copies.
TEST(LoaderHostMemory, OfWorkerProcesses) {
  Scenario s = job();
  EXPECT_DOUBLE_EQ(loader_host_memory(s).prefetched.base(), 1920e6);
  EXPECT_DOUBLE_EQ(loader_host_memory(s).total().base(), 2160e6);
  s.loader.pin_memory = true;
  EXPECT_DOUBLE_EQ(loader_host_memory(s).total().base(), 2400e6);
}

TEST(LoaderHostMemory, WithoutWorkersIsTheBatchInUse) {
  Scenario s = job();
  s.loader.num_workers = 0;
  EXPECT_DOUBLE_EQ(loader_host_memory(s).total().base(), 240e6);
}

// Every worker of an iterable loader has a buffer of its own: 8 * 4 * 1000 * 1 MB. A map dataset shuffles indices.
TEST(LoaderHostMemory, OfShuffleBuffers) {
  Scenario s = job();
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.shuffle = Shuffle::kBuffer;
  s.dataset.shuffle_buffer = 1000;
  EXPECT_DOUBLE_EQ(loader_host_memory(s).shuffled.base(), 0.0);
  s.loader.style = LoaderStyle::kIterable;
  EXPECT_DOUBLE_EQ(loader_host_memory(s).shuffled.base(), 32e9);
}

// Threads, per rank: 2 batches ready and one assembled (90 MB), 4 samples decoded (12 MB), of 6 files 3 samples ready
// and one being read (24 MB), one buffer of 1000 samples.
TEST(LoaderHostMemory, OfThreads) {
  Scenario s = job();
  s.loader.style = LoaderStyle::kThreads;
  s.loader.interleave = 6;
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.shuffle = Shuffle::kBuffer;
  s.dataset.shuffle_buffer = 1000;
  const LoaderHostMemory node = loader_host_memory(s);
  EXPECT_DOUBLE_EQ(node.prefetched.base(), 8 * 90e6);
  EXPECT_DOUBLE_EQ(node.in_use.base(), 8 * 30e6);
  EXPECT_DOUBLE_EQ(node.samples.base(), 8 * 36e6);
  EXPECT_DOUBLE_EQ(node.shuffled.base(), 8e9);
}

// What the GPU decodes waits as it is on storage; what the CPU decompresses without a stated tensor size is 4 times
// that.
TEST(LoaderHostMemory, FollowsWhoDecodes) {
  Scenario s = job();
  s.loader.decode_on = DecodeDevice::kGpu;
  EXPECT_DOUBLE_EQ(loader_host_memory(s).prefetched.base(), 640e6);
  s.loader.decode_on = DecodeDevice::kCpu;
  s.dataset.tensor_size = bytes(0);
  s.dataset.compression_ratio = 4.0;
  EXPECT_DOUBLE_EQ(loader_host_memory(s).prefetched.base(), 2560e6);
}

TEST(LoaderHostMemory, IsNothingWithGpuDirectStorage) {
  Scenario s = job();
  s.loader.gpudirect = true;
  EXPECT_GT(loader_host_memory(s).total().base(), 0.0);  // the tier cannot
  s.storage.gpudirect = true;
  EXPECT_DOUBLE_EQ(loader_host_memory(s).total().base(), 0.0);
}

}  // namespace
}  // namespace stallcast
