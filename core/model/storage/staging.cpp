#include "core/model/storage/staging.h"

#include <algorithm>
#include <cmath>

namespace stallcast {

DatasetFiles dataset_files(const Scenario& s) {
  const DatasetSpec& d = s.dataset;
  DatasetFiles out;
  const auto samples = static_cast<double>(d.samples);
  out.bytes = samples * mean_of(d.sample_size);
  switch (d.layout) {
    case DatasetLayout::kFilePerSample:
      out.files = samples;
      break;
    case DatasetLayout::kShards:
    case DatasetLayout::kColumnar:
      out.files = std::ceil(samples / static_cast<double>(std::max<std::int64_t>(1, d.samples_per_shard)));
      break;
    case DatasetLayout::kRecords:
      out.files = samples > 0.0 ? 1.0 : 0.0;
      break;
  }
  out.file_bytes = out.files > 0.0 ? out.bytes / out.files : 0.0;
  return out;
}

Listing list_files(const StorageSpec& storage, double files) {
  if (storage.list_page_size <= 0 || files <= 0.0) return {};
  const double requests = std::ceil(files / static_cast<double>(storage.list_page_size));
  return {requests, requests * storage.list_latency.base()};
}

double copies_of_dataset(const Scenario& s) {
  return s.storage.scope == TierScope::kPerNode ? static_cast<double>(s.cluster.nodes) : 1.0;
}

ImportTime bulk_import(const Scenario& s) {
  ImportTime out;
  out.dataset = dataset_files(s);
  const DatasetFiles& data = out.dataset;
  out.listing = list_files(s.origin, data.files);
  constexpr double kPart = 8.0 * 1024.0 * 1024.0;
  const double requests = data.files * std::max(1.0, std::ceil(data.file_bytes / kPart));
  const double copies = copies_of_dataset(s);
  out.read_requests = out.write_requests = copies * requests;

  const auto limited = [&](double amount, double rate, const char* name) {
    if (rate <= 0.0 || amount / rate <= out.copy_s) return;
    out.copy_s = amount / rate;
    out.limit = name;
  };
  const double writes = s.storage.duplex ? s.storage.write_bandwidth.base() : s.storage.read_bandwidth.base();
  limited(copies * data.bytes, s.origin.read_bandwidth.base() * (1.0 - s.origin.noise), "origin_read_bandwidth");
  limited(data.bytes, writes * (1.0 - s.storage.noise), "storage_write_bandwidth");
  if (s.storage.scope == TierScope::kPerNode) limited(data.bytes, s.cluster.usable_nic().base(), "nic_bandwidth");
  limited(data.bytes, s.staging.bandwidth.base(), "staging_bandwidth");
  const double small = s.staging.small_file.base();
  if (small <= 0.0 || data.file_bytes <= small) out.counted_files = data.files;
  limited(out.counted_files, s.staging.files_per_s.base(), "files_per_s");
  limited(copies * requests, s.origin.read_iops.base(), "origin_requests");
  limited(requests, s.storage.write_iops.base(), "storage_requests");
  if (out.copy_s > 0.0) out.bytes_per_s = data.bytes / out.copy_s;
  return out;
}

}  // namespace stallcast
