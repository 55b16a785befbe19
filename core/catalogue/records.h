// The kinds of catalogue record. A fact that a record leaves out is empty: unlimited, none, or not stated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/record.h"
#include "core/units/quantity.h"

namespace stallcast {

template <class T>
using MaybeFact = std::optional<Fact<T>>;

struct GpuRecord : Record {
  MaybeFact<Bytes> memory;
  MaybeFact<FlopsPerSecond> dense_bf16_peak;
};

struct InstanceRecord : Record {
  std::string gpu;  // name of a GpuRecord
  Fact<std::int64_t> gpus;
  Fact<std::int64_t> physical_cores;
  MaybeFact<std::int64_t> vcpus;
  MaybeFact<Bytes> memory;
  MaybeFact<BytesPerSecond> nic_bandwidth;  // per direction, usable for storage
  MaybeFact<BytesPerSecond> gpu_link_bandwidth;
  MaybeFact<BytesPerSecond> host_to_device_bandwidth;
  MaybeFact<Bytes> local_storage;
  MaybeFact<BytesPerSecond> local_read_bandwidth;
  MaybeFact<BytesPerSecond> local_write_bandwidth;
};

// A storage tier. Bandwidth is either fixed or proportional to the provisioned capacity (capacity_rule.h).
struct TierRecord : Record {
  std::string scope;  // "shared" or "per_node"
  bool duplex = true;
  bool gds = false;
  MaybeFact<Bytes> capacity_min, capacity_max, capacity_step;
  MaybeFact<Bytes> capacity_unit;  // the capacity that the *_per_tib rates are for; 1 TiB when not given
  MaybeFact<BytesPerSecond> read_bandwidth, write_bandwidth;
  MaybeFact<BytesPerSecond> read_bandwidth_per_tib, write_bandwidth_per_tib;
  MaybeFact<PerSecond> read_iops, read_iops_per_tib, write_iops, write_iops_per_tib;
  MaybeFact<PerSecond> read_request_rate, write_request_rate;  // object stores
  MaybeFact<PerSecond> metadata_rate;
  MaybeFact<BytesPerSecond> client_read_bandwidth, client_write_bandwidth, stream_bandwidth;
  MaybeFact<Bytes> request_size;             // largest a client ever asks for
  MaybeFact<Bytes> sequential_request_size;  // what it asks for while it reads a file of many samples from end to end
  MaybeFact<Seconds> latency_mean;
  MaybeFact<double> latency_sigma;  // of the logarithm: lognormal
  MaybeFact<Seconds> open_latency_mean;
  MaybeFact<BytesPerSecond> staging_bandwidth;
  MaybeFact<PerSecond> staging_files;
};

struct WorkloadRecord : Record {
  std::string layout;             // "file_per_sample", "shards", "records" or "columnar"
  std::string loader;             // name of a LoaderRecord
  std::string sample_size_shape;  // "constant", "normal", "lognormal" or "gamma"
  Fact<std::int64_t> batch_size;
  std::map<std::string, Fact<Seconds>> step_time;  // by GPU record
  Fact<Bytes> sample_size;                         // mean
  MaybeFact<Bytes> sample_size_sd;
  MaybeFact<std::int64_t> samples_per_shard;
  MaybeFact<Bytes> tensor_size;
  MaybeFact<Seconds> decode_time;
  MaybeFact<double> target_utilization;
  MaybeFact<Bytes> checkpoint_size;
};

// Cost per batch: base + per_sample * samples + bytes / rate.
struct BatchCost {
  Fact<Seconds> base;
  MaybeFact<Seconds> per_sample;
  MaybeFact<BytesPerSecond> rate;

  Seconds at(double samples, Bytes batch_bytes) const;
};

struct LoaderStartCosts {
  Fact<WorkerCost> start_call, start_ready, start_first, shutdown, reset;
};

struct LoaderRecord : Record {
  BatchCost worker_batch_cpu, consumer_batch_cpu, inline_batch_cpu, pipe_time;
  Fact<std::vector<GapTime>> next_ready;  // ascending gaps
  MaybeFact<BytesPerSecond> next_ready_rate;
  MaybeFact<BytesPerSecond> pin_bandwidth;
  LoaderStartCosts fork, spawn;
};

struct CollectiveRecord : Record {
  Fact<Seconds> barrier_time;
};

}  // namespace stallcast
