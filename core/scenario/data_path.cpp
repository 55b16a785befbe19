#include "core/scenario/data_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

double decompress_s(const Scenario& s, double stored_bytes) {
  const double rate = s.dataset.decompress_bandwidth.base();
  return s.dataset.compression_ratio > 1.0 && rate > 0.0 ? stored_bytes * s.dataset.compression_ratio / rate : 0.0;
}

}  // namespace

bool reads_in_file_order(const Scenario& s) {
  const DatasetSpec& d = s.dataset;
  const bool grouped = d.layout == DatasetLayout::kShards || d.layout == DatasetLayout::kColumnar;
  const bool through_files =
      s.loader.style != LoaderStyle::kMap || d.shuffle == Shuffle::kNone || d.shuffle == Shuffle::kShard;
  return grouped && through_files;
}

bool reads_page_by_page(const Scenario& s) {
  return s.dataset.page_by_page && s.dataset.request_size.base() > 0.0 && !reads_in_file_order(s);
}

std::int64_t reading_streams(const Scenario& s) {
  if (s.loader.num_workers == 0 || s.loader.style == LoaderStyle::kMap) return 0;
  if (s.loader.style == LoaderStyle::kIterable) return s.loader.read_ahead > 0 ? s.loader.num_workers : 0;
  if (s.loader.interleave > 0) return s.loader.interleave;
  return reads_in_file_order(s) ? s.loader.num_workers : 0;
}

double samples_read_ahead(const Scenario& s) {
  const double request = s.dataset.request_size.base(), sample = mean_of(s.dataset.sample_size);
  if (!reads_in_file_order(s) || request <= sample || sample <= 0.0) return 0.0;
  const std::int64_t streams = std::max({std::int64_t{1}, s.loader.num_workers, reading_streams(s)});
  return static_cast<double>(streams) * (request / sample - 1.0);
}

std::int64_t shuffled_before(const DatasetSpec& d, std::int64_t given) {
  if (d.shuffle != Shuffle::kBuffer) return 1;
  const std::int64_t all = std::max<std::int64_t>(1, d.shuffle_buffer);
  return d.shuffle_initial > 0 ? std::min(all, d.shuffle_initial + given) : all;
}

std::int64_t batches_ahead(const Scenario& s) {
  if (s.loader.num_workers == 0) return 0;
  if (s.loader.style == LoaderStyle::kThreads) return s.loader.prefetch_factor;
  return s.loader.num_workers * s.loader.prefetch_factor;
}

double decompressed_bytes(const Scenario& s) { return mean_of(s.dataset.sample_size) * s.dataset.compression_ratio; }

double handed_over_bytes(const Scenario& s) {
  if (s.loader.decode_on == DecodeDevice::kGpu) return mean_of(s.dataset.sample_size);
  return s.dataset.tensor_size.base() > 0.0 ? s.dataset.tensor_size.base() : decompressed_bytes(s);
}

bool bypasses_host(const Scenario& s) { return s.loader.gpudirect && s.storage.gpudirect; }

double cpu_decode_s(const Scenario& s, double decode_s, double stored_bytes) {
  if (s.loader.decode_on == DecodeDevice::kGpu) return s.loader.host_decode_time.base();
  return decode_s + decompress_s(s, stored_bytes);
}

double gpu_decompress_s(const Scenario& s, double stored_bytes) {
  return s.loader.decode_on == DecodeDevice::kGpu ? decompress_s(s, stored_bytes) : 0.0;
}

std::string storage_name(const StorageSpec& storage) {
  if (!storage.tier.empty()) return storage.tier;
  const double rate = storage.read_bandwidth.base();
  if (rate <= 0.0) return "storage as described";
  return fmt::format("storage of {}", format_quantity(Dimension::kByteRate, rounded(rate)));
}

std::string storage_text(const StorageSpec& storage) {
  const double capacity = storage.capacity.base();
  return capacity > 0.0 ? fmt::format("{} {}", storage_name(storage), format_quantity(Dimension::kBytes, capacity))
                        : storage_name(storage);
}

bool has_bursts(const StorageSpec& storage) {
  return storage.read_bandwidth.base() > 0.0 && storage.burst_bandwidth > storage.read_bandwidth &&
         storage.burst_credit.base() > 0.0;
}

double least_read_s(const StorageSpec& storage, double bytes) {
  const double base = storage.read_bandwidth.base(), burst = storage.burst_bandwidth.base();
  const double credit = storage.burst_credit.base();
  if (base <= 0.0) return 0.0;
  return burst > base && credit > 0.0 ? std::max((bytes - credit) / base, bytes / burst) : bytes / base;
}

}  // namespace stallcast
