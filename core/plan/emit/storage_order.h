// What is ordered of a cloud for a storage tier of the catalogue: its service, and amounts as its interface counts
// them.
#pragma once

#include <cstdint>
#include <string>

#include "core/scenario/scenario.h"

namespace stallcast {

enum class StorageService {
  kNone,           // nothing to order here: self-managed, or a tier that this program has no command for
  kInMachine,      // comes with the host: local SSD, instance store, page cache
  kParallelstore,  // Google Cloud
  kFilestore,
  kManagedLustre,
  kCloudStorage,
  kDiskPerNode,
  kSharedDisk,
  kFsxLustre,  // Amazon
  kEfs,
  kS3,
  kS3Express,
  kAzureLustre,  // Azure
  kAzureBlob,
};

struct StorageOrder {
  StorageService service = StorageService::kNone;
  std::string cloud;  // "gcp", "aws", "azure"; "" for kNone and where any cloud has it
  std::string
      variant;  // as the interface spells it: "ZONAL", "PERSISTENT_2", "hyperdisk-ml", "AMLFS-Durable-Premium-125"
  std::int64_t throughput_per_unit = 0;  // MB/s per TiB, where the interface asks for it
  std::string client;                    // how hosts reach a bucket: "gcsfuse", "gcsfuse_cache", "mount-s3", "library"
  // As the interface counts it. **Units** GiB; TiB for kAzureLustre; for kParallelstore the GiB of its TiB of 1000
  // (12 TiB is 12000); 0 where no capacity is bought.
  std::int64_t capacity = 0;
  std::int64_t iops = 0;             // bought beside the capacity; 0 = what comes with it
  std::int64_t throughput_mibs = 0;  // likewise, MiB/s
};

// **Model** by the name of the catalogue record. kNone for a name that is not in the table, as of a record of your own.
// **Source** capacities: gcloud parallelstore|filestore|lustre instances create (help text, SDK 528); FSx API
// reference, CreateFileSystem (StorageCapacity in GiB); az amlfs create (--storage-capacity in TiB).
StorageOrder storage_order(const StorageSpec& storage);

}  // namespace stallcast
