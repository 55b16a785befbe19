#include "core/plan/emit/storage_order.h"

#include <array>
#include <cmath>
#include <string_view>

#include "core/units/binary_multiples.h"

namespace stallcast {
namespace {

using Service = StorageService;

struct Row {
  std::string_view tier, cloud;
  Service service = Service::kNone;
  std::string_view variant = {};
  std::int64_t throughput_per_unit = 0;
  std::string_view client = {};
};

constexpr std::array kRows = {
    Row{"parallelstore", "gcp", Service::kParallelstore, ""},
    Row{"filestore_basic_hdd", "gcp", Service::kFilestore, "BASIC_HDD"},
    Row{"filestore_basic_ssd", "gcp", Service::kFilestore, "BASIC_SSD"},
    Row{"filestore_zonal", "gcp", Service::kFilestore, "ZONAL"},
    Row{"filestore_regional", "gcp", Service::kFilestore, "REGIONAL"},
    Row{"filestore_enterprise", "gcp", Service::kFilestore, "ENTERPRISE"},
    Row{"managed_lustre_125", "gcp", Service::kManagedLustre, "", 125},
    Row{"managed_lustre_250", "gcp", Service::kManagedLustre, "", 250},
    Row{"managed_lustre_500", "gcp", Service::kManagedLustre, "", 500},
    Row{"managed_lustre_1000", "gcp", Service::kManagedLustre, "", 1000},
    Row{"gcs_standard", "gcp", Service::kCloudStorage, "STANDARD", 0, "library"},
    Row{"gcs_fuse", "gcp", Service::kCloudStorage, "STANDARD", 0, "gcsfuse"},
    Row{"gcs_fuse_file_cache", "gcp", Service::kCloudStorage, "STANDARD", 0, "gcsfuse_cache"},
    Row{"gcs_anywhere_cache", "gcp", Service::kCloudStorage, "ANYWHERE_CACHE", 0, "library"},
    Row{"gcs_rapid", "gcp", Service::kCloudStorage, "RAPID", 0, "library"},
    Row{"hyperdisk_balanced", "gcp", Service::kDiskPerNode, "hyperdisk-balanced"},
    Row{"hyperdisk_extreme", "gcp", Service::kDiskPerNode, "hyperdisk-extreme"},
    Row{"pd_ssd", "gcp", Service::kDiskPerNode, "pd-ssd"},
    Row{"hyperdisk_ml", "gcp", Service::kSharedDisk, "hyperdisk-ml"},
    Row{"gcp_local_ssd", "gcp", Service::kInMachine, ""},
    Row{"fsx_lustre_scratch_2", "aws", Service::kFsxLustre, "SCRATCH_2"},
    Row{"fsx_lustre_persistent_1_50", "aws", Service::kFsxLustre, "PERSISTENT_1", 50},
    Row{"fsx_lustre_persistent_1_100", "aws", Service::kFsxLustre, "PERSISTENT_1", 100},
    Row{"fsx_lustre_persistent_1_200", "aws", Service::kFsxLustre, "PERSISTENT_1", 200},
    Row{"fsx_lustre_persistent_2_125", "aws", Service::kFsxLustre, "PERSISTENT_2", 125},
    Row{"fsx_lustre_persistent_2_250", "aws", Service::kFsxLustre, "PERSISTENT_2", 250},
    Row{"fsx_lustre_persistent_2_500", "aws", Service::kFsxLustre, "PERSISTENT_2", 500},
    Row{"fsx_lustre_persistent_2_1000", "aws", Service::kFsxLustre, "PERSISTENT_2", 1000},
    Row{"efs", "aws", Service::kEfs, "elastic"},
    Row{"efs_bursting", "aws", Service::kEfs, "bursting"},
    Row{"s3_standard", "aws", Service::kS3, "", 0, "library"},
    Row{"mountpoint_s3", "aws", Service::kS3, "", 0, "mount-s3"},
    Row{"s3_express_one_zone", "aws", Service::kS3Express, "", 0, "library"},
    Row{"ebs_gp3", "aws", Service::kDiskPerNode, "gp3"},
    Row{"ebs_io2", "aws", Service::kDiskPerNode, "io2"},
    Row{"ec2_instance_store", "aws", Service::kInMachine, ""},
    Row{"azure_managed_lustre_40", "azure", Service::kAzureLustre, "AMLFS-Durable-Premium-40"},
    Row{"azure_managed_lustre_125", "azure", Service::kAzureLustre, "AMLFS-Durable-Premium-125"},
    Row{"azure_managed_lustre_250", "azure", Service::kAzureLustre, "AMLFS-Durable-Premium-250"},
    Row{"azure_managed_lustre_500", "azure", Service::kAzureLustre, "AMLFS-Durable-Premium-500"},
    Row{"azure_blob_hot", "azure", Service::kAzureBlob, "Hot", 0, "library"},
    Row{"local_nvme", "", Service::kInMachine, ""},
    Row{"host_page_cache", "", Service::kInMachine, ""},
};

constexpr double kTiB = 1024.0 * kGiB;

std::int64_t capacity_of(Service service, Bytes capacity) {
  switch (service) {
    case Service::kParallelstore:
      return std::llround(capacity.base() / kTiB * 1000.0);
    case Service::kAzureLustre:
      return std::llround(capacity.base() / kTiB);
    case Service::kFilestore:
    case Service::kManagedLustre:
    case Service::kFsxLustre:
    case Service::kDiskPerNode:
    case Service::kSharedDisk:
      return std::llround(capacity.base() / kGiB);
    default:
      return 0;
  }
}

}  // namespace

StorageOrder storage_order(const StorageSpec& storage) {
  StorageOrder order;
  for (const Row& row : kRows) {
    if (row.tier != storage.tier) continue;
    order.service = row.service;
    order.cloud = row.cloud;
    order.variant = row.variant;
    order.throughput_per_unit = row.throughput_per_unit;
    order.client = row.client;
    order.capacity = capacity_of(row.service, storage.capacity);
    order.iops = std::llround(storage.provisioned_iops.base());
    order.throughput_mibs = std::llround(storage.provisioned_bandwidth.base() / kMiB);
  }
  return order;
}

}  // namespace stallcast
