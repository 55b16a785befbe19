// The kinds of catalogue record. A fact that a record leaves out is empty: unlimited, none, or not stated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/records/record.h"
#include "core/units/quantity.h"

namespace stallcast {

template <class T>
using MaybeFact = std::optional<Fact<T>>;

struct GpuRecord : Record {
  bool jpeg_engine = false;  // decodes JPEG beside its cores
  MaybeFact<Bytes> memory;
  MaybeFact<FlopsPerSecond> dense_bf16_peak;
};

struct CpuRecord : Record {
  Fact<double> core_speed;           // what one core does of preparing samples, over one of an AMD EPYC 9B14 (Zen 4)
  MaybeFact<double> all_core_clock;  // of a core while all compute, over that while the others rest
};

struct InstanceRecord : Record {
  std::string provider;              // "gcp", "aws", "azure" or "self"
  std::string gpu;                   // name of a GpuRecord
  std::string cpu;                   // name of a CpuRecord, or ""
  MaybeFact<double> core_speed;      // where it was measured on this machine; else that of `cpu`
  MaybeFact<double> all_core_clock;  // likewise
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

// A rate as it is sold: base + per_tib * capacity + per_server * servers, at most max. A law without numbers is
// unlimited.
template <class Rate>
struct RateLaw {
  MaybeFact<Rate> base;        // "read_bandwidth"
  MaybeFact<Rate> per_tib;     // "read_bandwidth_per_tib": per capacity_unit provisioned
  MaybeFact<Rate> per_server;  // "read_bandwidth_per_server"
  MaybeFact<Rate> max;         // "read_bandwidth_max"

  bool stated() const { return base || per_tib || per_server || max; }
};

struct RateLaws {
  RateLaw<BytesPerSecond> read_bandwidth, write_bandwidth;
  RateLaw<PerSecond> read_iops, write_iops, metadata_rate;
};

// Sizes from `from` on follow other laws; a law that the band leaves out stays the tier's.
struct SizeBand {
  Fact<Bytes> from;
  MaybeFact<Bytes> capacity_step;
  RateLaws laws;
};

// Throughput or IOPS that are bought beside the capacity.
template <class Rate>
struct Provisioning {
  MaybeFact<Rate> min, max, step;
  MaybeFact<Rate> included;          // comes with the capacity at no charge
  MaybeFact<Rate> included_per_tib;  // likewise, per capacity_unit
  MaybeFact<Rate> max_per_tib;       // bound by the capacity

  bool stated() const { return min || max || included || included_per_tib; }
};

// What is bought of a tier. A tier looks only at what it sells.
struct TierSize {
  Bytes capacity = {};
  std::int64_t servers = 0;
  BytesPerSecond provisioned_bandwidth = {};
  PerSecond provisioned_iops = {};
};

// A number that a vendor prints, in base units, and half a unit of its last digit.
struct PrintedNumber {
  std::string name;  // "read_bandwidth", ..., "price"
  std::string text;  // "115 GiB/s"
  Dimension dimension = Dimension::kNone;
  double value = 0.0;
  double half_digit = 0.0;
};

// A vendor's own example: what is bought, and what is printed for it.
struct TierExample {
  std::string pointer;  // "/examples/0"
  TierSize size;
  std::string capacity_text;  // as printed; "" when capacity is not among what is bought
  Bytes capacity_half_digit;
  double hours = 730.0;  // that the price is for; a month unless the example says otherwise
  double gib = 0.0;      // moved, for a price per GiB
  double requests = 0.0;
  std::string price_of;  // with `gib` or `requests`: key of Record::prices
  std::vector<PrintedNumber> printed;
  std::string source;  // Source::text()
  std::string note;
};

// The decoder-only transformer that a workload trains, as a reference configuration splits it among ranks. Named as the
// fields of a scenario's model.
struct ModelFacts {
  MaybeFact<std::int64_t> layers, hidden_size, ffn_hidden_size, vocab_size, attention_heads, kv_heads;
  MaybeFact<std::int64_t> tensor_parallel, pipeline_parallel, zero_stage;

  // Whether its parameters can be counted.
  bool stated() const { return layers && hidden_size && ffn_hidden_size && vocab_size && attention_heads; }
};

// A storage tier: what can be bought, what it delivers at a size (capacity_rule.h), and what it costs (Record::prices).
struct TierRecord : Record {
  std::string provider;  // "gcp", "aws", "azure", "self" or "any"
  std::string scope;     // "shared" or "per_node"
  std::string client;    // who talks to it on a node (models/README.md)
  bool duplex = true;
  bool gds = false;
  bool page_cache = false;  // reads stay in the page cache of the node (kernel clients, without direct I/O)
  bool lazy_load = false;   // fetches what it does not hold from the bucket behind it
  MaybeFact<Bytes> capacity_min, capacity_max, capacity_step;
  MaybeFact<Bytes> capacity_unit;  // the capacity that the *_per_tib rates are for; 1 TiB when not given
  MaybeFact<std::int64_t> servers_min, servers_max, servers_default;
  RateLaws laws;
  std::vector<SizeBand> bands;  // ascending
  Provisioning<BytesPerSecond> provisioned_bandwidth;
  Provisioning<PerSecond> provisioned_iops;
  MaybeFact<Bytes> bytes_per_io;              // bandwidth is at most IOPS times this
  MaybeFact<Bytes> bytes_per_provisioned_io;  // provisioned IOPS are provisioned bandwidth divided by this
  RateLaw<BytesPerSecond> burst_bandwidth;    // reads, while credit lasts
  MaybeFact<Bytes> burst_credit, burst_credit_per_tib;
  MaybeFact<Bytes> server_cache_per_tib;                       // RAM of the file servers
  RateLaw<BytesPerSecond> server_cache_bandwidth;              // reads that hit it
  MaybeFact<PerSecond> read_request_rate, write_request_rate;  // object stores
  MaybeFact<Seconds> retry_base, retry_max;                    // back-off of a throttled client: first pause, longest
  MaybeFact<std::int64_t> list_page_size;                      // names per list request
  MaybeFact<Seconds> list_latency;                             // of one list request
  MaybeFact<BytesPerSecond> client_read_bandwidth, client_write_bandwidth, stream_bandwidth, stream_write_bandwidth;
  MaybeFact<BytesPerSecond> gpudirect_read_bandwidth;  // of a client that reads into GPU memory by DMA
  MaybeFact<BytesPerSecond> stripe_bandwidth;          // of one target (OST) that a file is striped over
  MaybeFact<std::int64_t> stripe_count;                // targets of a file unless set otherwise
  MaybeFact<std::int64_t> upload_streams;              // parts of one file that its file-system client uploads at once
  MaybeFact<Bytes> request_size;                       // largest a client ever asks for
  MaybeFact<Bytes> sequential_request_size;  // what it waits for at a time while it reads a file from end to end
  MaybeFact<Seconds> latency_mean;           // or p50 and p99: lognormal through both
  MaybeFact<double> latency_sigma;           // of the logarithm: lognormal
  MaybeFact<Seconds> latency_p50, latency_p99;
  // One device, where neither the machine's record nor the scenario says what its NVMe does.
  MaybeFact<BytesPerSecond> device_read_bandwidth, device_write_bandwidth;
  MaybeFact<double> latency_held_fraction;  // of the latency, during which a device of the node serves nobody else
  MaybeFact<Seconds> request_time;          // of a device of the node, for each request beside its bytes
  MaybeFact<Seconds> open_latency_mean;
  MaybeFact<BytesPerSecond> staging_bandwidth;  // ceiling of its import service
  MaybeFact<PerSecond> staging_files;           // files per second, of files up to staging_small_file
  MaybeFact<Bytes> staging_small_file;
  MaybeFact<double> durability;  // probability that an object survives a year
  MaybeFact<Seconds> mttdl;      // mean time to data loss at mttdl_capacity; inversely proportional to capacity
  MaybeFact<Bytes> mttdl_capacity;
  MaybeFact<Seconds> mttdl_per_server;  // or of one file server: one for metadata, one per server_capacity begun
  MaybeFact<Bytes> server_capacity;
  MaybeFact<Seconds> billing_granularity, billing_minimum;  // of provisioned capacity
  MaybeFact<Seconds> minimum_storage_time;                  // an object deleted earlier is billed until then
  std::vector<TierExample> examples;
};

struct WorkloadRecord : Record {
  std::string layout;             // "file_per_sample", "shards", "records" or "columnar"
  std::string loader;             // name of a LoaderRecord
  std::string format;             // name of a FormatRecord, where decode_time is that of such samples; else ""
  std::string checkpointer;       // name of a CheckpointerRecord that its ranks usually write with, or ""
  std::string real_job;           // of a benchmark that leaves something out: the workload with it; "" = none
  std::string sample_size_shape;  // "constant", "normal", "lognormal" or "gamma"
  Fact<std::int64_t> batch_size;
  std::map<std::string, Fact<Seconds>> step_time;        // by GPU record, at batch_size
  std::map<std::string, Fact<PerSecond>> samples_per_s;  // by GPU record, where a rate is published instead
  MaybeFact<Flops> flops_per_sample;                     // with mfu: for any GPU with a known peak
  MaybeFact<double> mfu;
  Fact<Bytes> sample_size;  // mean
  MaybeFact<Bytes> sample_size_sd;
  MaybeFact<std::int64_t> samples_per_shard;
  MaybeFact<Bytes> tensor_size;
  MaybeFact<Seconds> decode_time;
  MaybeFact<Seconds> gpu_decode_time;  // of the GPU, where decoding is left to it
  MaybeFact<double> compression_ratio;
  MaybeFact<std::int64_t> samples;
  MaybeFact<double> parameters;
  ModelFacts model;
  MaybeFact<Bytes> gradient_size;
  MaybeFact<double> target_utilization;
  MaybeFact<Bytes> checkpoint_size;  // the whole of it, whoever writes
};

// Cost per batch: base + per_sample * samples + bytes / rate.
struct BatchCost {
  Fact<Seconds> base;
  MaybeFact<Seconds> per_sample;
  MaybeFact<BytesPerSecond> rate;
  MaybeFact<Seconds> per_index_entry;  // of each sample, for every sample that the rank's index holds

  Seconds at(double samples, Bytes batch_bytes, double index_entries) const;

  // The same on a core of another speed (CpuRecord); 0 = not known. Times that say which core they hold for change with
  // it. The rate does not: copying is bounded by memory.
  BatchCost on_core(double speed) const;

  // The base's evidence with the interval of the whole: all facts at the end where it is lowest, and where highest.
  Evidence evidence_at(double samples, Bytes batch_bytes, double index_entries) const;
};

struct LoaderStartCosts {
  Fact<WorkerCost> start_call, start_ready, start_first, shutdown, reset;
  MaybeFact<Seconds> start_cpu;  // of each worker
};

struct LoaderRecord : Record {
  std::string style;  // "map", "iterable" or "threads"; "" where the loader has several
  BatchCost worker_batch_cpu, consumer_batch_cpu, inline_batch_cpu, pipe_time;
  Fact<std::vector<GapTime>> next_ready;  // ascending gaps
  MaybeFact<BytesPerSecond> next_ready_rate;
  MaybeFact<BytesPerSecond> pin_bandwidth;
  LoaderStartCosts fork, spawn;
  MaybeFact<double>
      preprocess_factor;  // its time to decode and transform a sample over the workload's, which is Python's
};

// What a sample is stored as, and what one core needs to make tensors of it.
struct FormatRecord : Record {
  Fact<Seconds> decode_time;                       // of a sample, whatever its size
  MaybeFact<BytesPerSecond> decode_bandwidth;      // bytes on storage; none = its size takes no time
  MaybeFact<Seconds> augmentation_time;            // the random transforms that training usually adds
  MaybeFact<BytesPerSecond> decompress_bandwidth;  // bytes that come out, where a sample is compressed
  MaybeFact<BytesPerSecond> gpu_decode_bandwidth;  // in the cores of a GPU without an engine for it; bytes on storage
  // What a GPU that decodes leaves to the host, over what decoding takes there: without an engine for it, and with one.
  MaybeFact<double> host_decode_share, host_decode_share_engine;

  Seconds decode_time_of(Bytes sample, bool augmented) const;
  Evidence evidence_of(Bytes sample, bool augmented) const;  // with the interval of that time
};

// Software that writes checkpoints, and reads them back.
struct CheckpointerRecord : Record {
  std::string writers;         // who writes with it: "rank0" or "all"; "" where it is used either way
  std::string local_write;     // to files of a disk: "direct", "page_cache" or "synced" (checkpoint_stages.h)
  std::string remote_write;    // to anything else: "direct" or "whole"
  std::string replica_saving;  // "first", "parallel" or "parallel_after_copy" (checkpoint_shape.h)
  MaybeFact<BytesPerSecond> serialize_bandwidth;  // of one writing process; copying into the page cache included
  MaybeFact<BytesPerSecond> load_bandwidth;       // of one reading process, from storage
  // Of eight processes that load one model on one machine together: from files, from an object store; and of one and of
  // eight from the page cache.
  MaybeFact<BytesPerSecond> load_bandwidth_of_eight, object_load_bandwidth_of_eight;
  MaybeFact<BytesPerSecond> memory_load_bandwidth, memory_load_bandwidth_of_eight;
  MaybeFact<Seconds> plan_time_per_rank;       // before anything is written; grows with the ranks of the job
  MaybeFact<BytesPerSecond> gather_bandwidth;  // at which rank 0 collects what others have, before it writes
  MaybeFact<Seconds> file_time;                // of each file beside its bytes
  MaybeFact<Seconds> commit_time;              // of rank 0, when all are done
  MaybeFact<double> writer_spread;             // as checkpoint.writer_spread, where its rates are of one that is alone
  MaybeFact<std::int64_t> streams;             // parts that one writer moves at once, where storage is a library's
  MaybeFact<std::int64_t> read_streams;        // likewise of one reader; none = as many
  MaybeFact<std::int64_t> object_streams;      // of one process that loads weights from an object store; none = as many
  MaybeFact<Seconds> staging_time;             // of an asynchronous stop, whatever its size
  MaybeFact<BytesPerSecond> staging_bandwidth;  // of a rank's copy to host memory; none = its link's
};

struct CollectiveRecord : Record {
  Fact<Seconds> barrier_time;
};

}  // namespace stallcast
