#include "core/scenario/run_length.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

TEST(EpochSteps, FullBatchesOfAllRanks) {
  Scenario s;
  s.cluster.gpus_per_node = 4;
  s.workload.batch_size = 10;
  s.dataset.samples = 1005;
  EXPECT_EQ(epoch_steps(s), 25.0);  // floor(1005 / 40)
  s.workload.gradient_accumulation = 2;
  EXPECT_EQ(epoch_steps(s), 12.0);
}

// Four ranks of two workers share 20 shards of 33 samples: five a rank, three and two a worker; 99 and 66 samples are
// nine and six batches of ten.
TEST(EpochSteps, IterableWorkersDropWhatFillsNoBatch) {
  Scenario s;
  s.cluster.gpus_per_node = 4;
  s.workload.batch_size = 10;
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.samples = 660;
  s.dataset.samples_per_shard = 33;
  s.loader.style = LoaderStyle::kIterable;
  s.loader.num_workers = 2;
  EXPECT_EQ(shards_per_rank(s), 5);
  EXPECT_EQ(epoch_steps(s), 15.0);
  s.loader.num_workers = 0;
  EXPECT_EQ(epoch_steps(s), 16.0);  // 165 samples by one reader
  s.run.steps_per_epoch = 5;
  EXPECT_EQ(epoch_steps(s), 5.0);
  s.run.steps_per_epoch = 1000;
  EXPECT_EQ(epoch_steps(s), 16.0) << "there are no more shards";
  s.run.steps_per_epoch = 0;
  s.dataset.samples = 0;
  EXPECT_EQ(epoch_steps(s), 0.0);
  s.dataset.shards_per_rank = 5;
  EXPECT_EQ(epoch_steps(s), 16.0);
}

}  // namespace
}  // namespace stallcast
