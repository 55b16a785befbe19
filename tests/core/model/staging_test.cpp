#include "core/model/storage/staging.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/units/binary_multiples.h"

namespace stallcast {
namespace {

// 1 TB into Parallelstore: 0.5 GiB/s of writes per TiB, at most 20 GiB/s of transfer, 5,000 files/s of up to 32 MiB.
Scenario import(double tib, double file_bytes) {
  Scenario s;
  s.dataset.samples = static_cast<std::int64_t>(std::llround(1e12 / file_bytes));
  s.dataset.sample_size = Distribution::constant(file_bytes);
  s.storage.write_bandwidth = bytes_per_second(0.5 * kGiB * tib);
  s.staging.method = StagingMethod::kBulk;
  s.staging.bandwidth = bytes_per_second(20.0 * kGiB);
  s.staging.files_per_s = per_second(5000);
  s.staging.small_file = bytes(32.0 * 1024 * 1024);
  return s;
}

// 12 TiB writes 6 GiB/s: 1e12 / (6 * 1.0737e9) = 155.2 s.
TEST(BulkImport, LargeFilesIntoASmallInstanceWaitForItsWrites) {
  const ImportTime t = bulk_import(import(12, 1e9));
  EXPECT_EQ(t.limit, "storage_write_bandwidth");
  EXPECT_NEAR(t.copy_s, 155.22, 0.01);
  EXPECT_NEAR(t.bytes_per_s, 6 * kGiB, 1.0);
}

// 100 TiB would write 50 GiB/s; the transfer ends at 20 GiB/s: 1e12 / (20 * 1.0737e9) = 46.57 s.
TEST(BulkImport, LargeFilesIntoALargeInstanceWaitForTheTransfer) {
  const ImportTime t = bulk_import(import(100, 1e9));
  EXPECT_EQ(t.limit, "staging_bandwidth");
  EXPECT_NEAR(t.copy_s, 46.566, 0.001);
}

// 1e12 / 110e3 = 9.09 million files, at 5,000 per second 1,818 s, whatever the instance.
TEST(BulkImport, SmallFilesWaitForTheirNumber) {
  for (const double tib : {12.0, 100.0}) {
    const ImportTime t = bulk_import(import(tib, 110e3));
    EXPECT_EQ(t.limit, "files_per_s") << tib;
    EXPECT_NEAR(t.copy_s, 1818.18, 0.01) << tib;
    EXPECT_NEAR(t.bytes_per_s, 5000 * 110e3, 1.0) << tib;
  }
}

TEST(BulkImport, TheOriginCanBeTheLimit) {
  Scenario s = import(100, 1e9);
  s.origin.read_bandwidth = bytes_per_second(1e9);
  EXPECT_EQ(bulk_import(s).limit, "origin_read_bandwidth");
  EXPECT_NEAR(bulk_import(s).copy_s, 1000.0, 1e-9);
}

// 1 TB to each of four machines: the origin's 10 GB/s are for all of them, 400 s; each card takes 4 GB/s, 250 s; each
// machine's disk 2 GB/s, 500 s, and its copying program 1 GB/s. To storage that they share there is one copy.
TEST(BulkImport, EachMachineCopiesToStorageOfItsOwn) {
  Scenario s = import(12, 1e9);
  s.cluster.nodes = 4;
  s.origin.read_bandwidth = bytes_per_second(10e9);
  s.staging.bandwidth = s.storage.write_bandwidth = bytes_per_second(0);
  EXPECT_DOUBLE_EQ(bulk_import(s).copy_s, 100.0);
  s.storage.scope = TierScope::kPerNode;
  EXPECT_DOUBLE_EQ(bulk_import(s).copy_s, 400.0);
  EXPECT_EQ(bulk_import(s).read_requests, 4.0 * 1000.0 * 120.0);  // 1 GB in parts of 8 MiB
  s.cluster.nic_bandwidth = bytes_per_second(2e9);
  s.cluster.nic_efficiency = 1.0;
  EXPECT_DOUBLE_EQ(bulk_import(s).copy_s, 500.0);
  EXPECT_EQ(bulk_import(s).limit, "nic_bandwidth");
  s.staging.bandwidth = bytes_per_second(1e9);
  EXPECT_DOUBLE_EQ(bulk_import(s).copy_s, 1000.0);
}

TEST(BulkImport, WithoutLimitsItTakesNoTime) {
  Scenario s = import(12, 1e9);
  s.storage.write_bandwidth = s.staging.bandwidth = bytes_per_second(0);
  s.staging.files_per_s = per_second(0);
  EXPECT_EQ(bulk_import(s).copy_s, 0.0);
  EXPECT_EQ(bulk_import(s).limit, "");
}

// 9,090,909 names in pages of 1,000: 9,091 requests one after the other, 50 ms each: 454.55 s.
TEST(Listing, ReadsPageAfterPage) {
  Scenario s = import(12, 110e3);
  s.origin.list_page_size = 1000;
  s.origin.list_latency = milliseconds(50);
  const ImportTime t = bulk_import(s);
  EXPECT_EQ(t.listing.requests, 9091.0);
  EXPECT_NEAR(t.listing.time_s, 454.55, 1e-9);
  EXPECT_EQ(list_files(s.storage, 1e6).requests, 0.0) << "no page size: nothing is listed";
}

TEST(DatasetFiles, FollowTheLayout) {
  Scenario s = import(12, 1e6);
  EXPECT_EQ(dataset_files(s).files, 1e6);
  s.dataset.layout = DatasetLayout::kShards;
  s.dataset.samples_per_shard = 3000;
  EXPECT_EQ(dataset_files(s).files, 334.0);
  s.dataset.layout = DatasetLayout::kRecords;
  EXPECT_EQ(dataset_files(s).files, 1.0);
}

}  // namespace
}  // namespace stallcast
