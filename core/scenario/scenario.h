// What a person describes: one job (training, or hosts that load a model to serve it), the machines it runs on, and the
// storage it reads from.
//
// Plain structs with plain values. A value not given in the file is filled in by resolve() from the catalogue record
// that the scenario names, or else keeps the default written here; resolve() records which of the three it was.
// Every member is one row of the field table (field_table.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/units/distribution.h"
#include "core/units/quantity.h"

namespace stallcast {

// How runnable processes share the cores of a node.
enum class CoreSharing {
  kProcessorSharing,  // n runnable processes on c cores each run at min(1, c / n) at every instant
  kOneQueue,          // cores take processes from one queue in turns of a time slice: balanced well
  kQueuePerCore,      // a queue per core, seldom balanced: a process may wait while another core idles
};

struct ClusterSpec {
  std::string instance;  // catalogue record, "" for a machine described here
  std::string gpu;       // catalogue record; that of the instance where there is one
  std::string cpu;       // likewise, of the processor
  std::int64_t nodes = 1;
  std::int64_t gpus_per_node = 1;  // ranks per node
  double cores_per_node = 1;       // cores that loader workers and trainer processes share
  double core_speed = 0.0;         // what a core does, over one of an AMD EPYC 9B14 (CpuRecord); 0 = not stated
  double all_core_clock = 1.0;     // of a core while all compute, over that while the others rest
  CoreSharing core_sharing = CoreSharing::kOneQueue;
  Seconds time_slice = milliseconds(3);     // turn of a process on a core while others wait (Linux base slice)
  Bytes memory_per_node;                    // 0 = not stated
  BytesPerSecond nic_bandwidth;             // line rate per node and direction; 0 = unlimited
  double nic_efficiency = 1.0;              // share of it that the client of the storage reaches; 0 < e <= 1
  BytesPerSecond host_to_device_bandwidth;  // per GPU (PCIe); 0 = the copy takes no time
  BytesPerSecond gpu_link_bandwidth;        // per GPU, to other nodes; 0 = all-reduce takes no time
  FlopsPerSecond gpu_peak;                  // dense peak at training precision; 0 = not stated
  Bytes local_storage_per_node;             // bundled NVMe; 0 = none
  BytesPerSecond local_read_bandwidth;      // per node; 0 = none
  BytesPerSecond local_write_bandwidth;     // per node; 0 = none

  // What traffic of the storage, its caches and peers gets of the network card.
  BytesPerSecond usable_nic() const { return nic_bandwidth * nic_efficiency; }
  double all_cores() const { return static_cast<double>(nodes) * cores_per_node; }
  // What each further core that computes takes of the clock that they all have, and the clock of `computing` cores.
  double clock_fall() const { return cores_per_node > 1.0 ? (1.0 - all_core_clock) / (cores_per_node - 1.0) : 0.0; }
  double clock_of(double computing) const {
    return 1.0 - clock_fall() * std::max(0.0, std::min(computing, cores_per_node) - 1.0);
  }
};

// How the compute time of a step is given.
enum class StepTimeForm { kTime, kSamplesPerSecond, kFlops };

struct WorkloadSpec {
  std::string name;             // catalogue record, "" for a workload described here
  std::int64_t batch_size = 1;  // samples per rank and micro-step
  StepTimeForm step_time_form = StepTimeForm::kTime;
  Distribution step_time;                  // s per micro-step, drawn per step and rank; used by kTime
  PerSecond samples_per_s_per_gpu;         // used by kSamplesPerSecond
  Flops flops_per_sample;                  // used by kFlops
  double mfu = 0.4;                        // model FLOPs utilization, used by kFlops; 0 < mfu <= 1
  Seconds step_return_cpu;                 // CPU of the trainer at the end of a step, counted as compute: emulated
                                           // accelerators, whose step ends when the sleeping process has a core again
  std::int64_t gradient_accumulation = 1;  // micro-steps between barriers
  Bytes gradient_bytes;                    // all-reduced per step; 0 = none
  double allreduce_overlap = 0.0;          // fraction of the all-reduce hidden behind compute
  Seconds barrier_time;                    // cost of the barrier when all ranks arrive together
  std::int64_t validation_steps = 0;       // per epoch, compute without loading
  Seconds validation_step_time;
};

enum class DatasetLayout {
  kFilePerSample,  // open + read one file per sample
  kShards,         // files of samples_per_shard samples, read one after the other; one open per shard
  kRecords,        // samples at random positions inside large, already open files
  kColumnar,       // row groups of samples_per_shard samples; wanted_fraction of the bytes is wanted
};
enum class Shuffle { kNone, kGlobal, kShard, kBuffer };

// The random transforms of training that a format's record counts beside decoding.
enum class Augmentation { kUsual, kNone };

struct DatasetSpec {
  DatasetLayout layout = DatasetLayout::kFilePerSample;
  std::int64_t samples = 0;            // 0 = as many as the run needs
  Distribution sample_size;            // bytes on storage
  std::int64_t samples_per_shard = 1;  // kShards, kColumnar (row group)
  std::int64_t shards_per_rank = 0;    // per epoch, iterable loaders: 0 = samples / samples_per_shard / ranks
  double wanted_fraction = 1.0;        // kColumnar: bytes wanted / bytes of the row group
  Bytes request_size;                  // largest read request; 0 = whole sample in one request
  bool page_by_page = false;           // through a map without read-ahead: each request waits for the one before it
  Shuffle shuffle = Shuffle::kGlobal;
  std::int64_t shuffle_buffer = 0;   // samples, Shuffle::kBuffer
  std::int64_t shuffle_initial = 0;  // samples in it before the first leaves; 0 = all
  std::string format;                // catalogue record of what a sample is stored as; "" = not told
  Augmentation augmentation = Augmentation::kUsual;
  Distribution decode_time;              // CPU s per sample: decode, augment; alone on a core
  double decode_size_correlation = 0.0;  // rank correlation of decode time with sample size, -1..1
  Bytes tensor_size;                     // bytes a sample hands to the trainer; 0 = its mean size, decompressed
  double compression_ratio = 1.0;        // bytes of a sample decompressed / on storage, >= 1
  BytesPerSecond decompress_bandwidth;   // output of one core (or of the GPU, decode_on gpu); 0 = takes no time
};

// kMap, kIterable: PyTorch's, worker processes that each make a batch. kThreads: a pool of threads that prepare samples
// of one batch after the other (tf.data map, DALI, DLIO's TensorFlow reader).
enum class LoaderStyle { kMap, kIterable, kThreads };
enum class DecodeDevice { kCpu, kGpu };
enum class StartMethod { kFork, kSpawn };

// One point of a measured curve: after `gap` without activity an operation takes `time`.
struct CurvePoint {
  Seconds gap;
  Seconds time;
  bool operator==(const CurvePoint&) const = default;
};

// A cost that grows with the number of workers: base + per_worker * n, never below 0.
struct LinearCost {
  Seconds base;
  Seconds per_worker;
  bool operator==(const LinearCost&) const = default;
};

// DataLoader settings, then what its own machinery costs on this kind of machine.
struct LoaderSpec {
  std::string framework;  // catalogue record of the loader, "" for the workload's own
  LoaderStyle style = LoaderStyle::kMap;
  std::int64_t num_workers = 4;      // per rank, processes or threads; 0 = load inside next()
  std::int64_t prefetch_factor = 2;  // batches per worker handed out ahead; kThreads: batches kept ready, in all
  bool persistent_workers = false;
  bool in_order = true;          // false: deliver whichever batch is ready first (torch >= 2.6)
  bool pin_memory = false;       // a thread takes batches off the queue and copies them to pinned memory; kThreads:
                                 // the one that assembles them
  BytesPerSecond pin_bandwidth;  // memcpy rate of that thread; 0 = no time
  std::int64_t read_ahead = 0;  // kIterable: samples that a thread of each worker reads ahead of it; 0 = no such thread
  std::int64_t interleave = 0;  // kThreads: files read at a time (tf.data cycle_length); 0 = one per thread
  DecodeDevice decode_on = DecodeDevice::kCpu;
  Distribution gpu_decode_time;  // GPU s per sample when decode_on is gpu; taken from the GPU's compute
  Seconds host_decode_time;      // CPU time per sample that a decoding GPU leaves to the loader
  bool gpudirect = false;        // storage to GPU memory by DMA: no host copy and no CPU for it
  StartMethod start_method = StartMethod::kFork;
  Seconds worker_batch_cpu;            // CPU per batch in the worker beyond decode: collate, shared memory
  Seconds consumer_batch_cpu;          // CPU per batch in the training process: receive, map, free
  Seconds inline_batch_cpu;            // num_workers = 0: CPU per batch of collation
  Seconds wait_cpu;                    // CPU more after each read that was waited for: caches are cold then
  Seconds pipe_time;                   // one worker, nothing to load, consumer always asking: wall time per batch
  std::vector<CurvePoint> next_ready;  // duration of next() when a batch is ready, by how long both sides were idle
  Seconds next_stored;                 // duration of next() when the batch was received earlier, out of its turn
  LinearCost start_call;               // iter(): starts workers one after the other, returns when all are started
  LinearCost start_ready;              // from the start of iter() until the last worker is ready, start_cpu apart
  LinearCost start_first;              // from the start of iter() until a first, empty batch is returned, likewise
  Seconds start_cpu;                   // CPU of each worker process until it is ready: a spawned one imports
  LinearCost shutdown;                 // end of an epoch without persistent workers
  LinearCost reset;                    // iter() again with persistent workers
};

// Whose bandwidth a tier is: one shared system, or a device in every node.
enum class TierScope { kShared, kPerNode };

struct StorageSpec {
  std::string tier;  // catalogue record, "" for storage described here
  TierScope scope = TierScope::kShared;
  Bytes capacity;                         // provisioned; sets bandwidth and IOPS by the tier's rule
  std::int64_t servers = 0;               // storage servers (or OSTs), for tiers sized by them
  BytesPerSecond provisioned_bandwidth;   // bought beside the capacity, for tiers that sell it
  PerSecond provisioned_iops;             // likewise
  BytesPerSecond read_bandwidth;          // aggregate (or per node, TierScope::kPerNode); 0 = unlimited
  BytesPerSecond write_bandwidth;         // 0 = unlimited
  bool duplex = true;                     // false: reads and writes share read_bandwidth
  BytesPerSecond burst_bandwidth;         // reads while burst_credit lasts; 0 = no bursts
  Bytes burst_credit;                     // full at the start; refills at read_bandwidth, is spent above it
  BytesPerSecond client_read_bandwidth;   // per node; 0 = unlimited
  BytesPerSecond client_write_bandwidth;  // per node; 0 = unlimited
  BytesPerSecond stream_bandwidth;        // per request stream; 0 = unlimited
  BytesPerSecond stream_write_bandwidth;  // per stream of writes; 0 = as stream_bandwidth
  PerSecond read_iops;                    // requests/s, aggregate; 0 = unlimited
  PerSecond write_iops;                   // requests/s, aggregate; 0 = unlimited
  PerSecond metadata_rate;                // opens/s, aggregate; 0 = unlimited
  Seconds retry_base;                     // first back-off of a throttled request; 0 = it waits its turn instead
  Seconds retry_max;                      // longest back-off
  std::int64_t list_page_size = 0;        // names per list request at the start of the job; 0 = nothing is listed
  Seconds list_latency;                   // of one list request
  Distribution latency;                   // s, request to first byte
  double latency_held_fraction = 0.0;     // of the latency, during which the device serves nobody else; kPerNode
  Seconds request_time;                   // of the device, that each request takes beside its bytes; kPerNode
  Distribution open_latency;              // s per file or shard opened
  Seconds service_quantum;                // turn of a reader at the tier's full rate (round robin); 0 = a fluid
  double noise = 0.0;                     // fraction of bandwidth that neighbours take
  bool gpudirect = false;                 // can move data to GPU memory by DMA
  bool page_cache = false;                // its client keeps what it reads in the page cache of the node
  double slow_server_fraction = 0.0;      // of servers, slow while a checkpoint is written or restored
  double slow_server_factor = 1.0;        // by how much: what is striped over a slow server takes that much longer
  Seconds mean_time_to_data_loss;         // of a scratch tier at this capacity; 0 = never
};

// What a cache does when it is full.
enum class CachePolicy {
  kNone,    // no such cache
  kLru,     // drops what was read longest ago
  kPinned,  // keeps what came first and takes nothing more
  kLinux,   // as the page cache of Linux: what was used twice is dropped later
};
enum class CacheSharing {
  kPrivate,      // a node finds only what it read itself
  kPartitioned,  // each node keeps its part of the dataset and serves it to the others over the network
};

// One level between the loader and the storage tier. Reads go to the page cache, the node cache, the server cache, the
// regional cache, then storage; what a level had not, it keeps on the way back.
struct CacheSpec {
  CachePolicy policy = CachePolicy::kNone;
  Bytes capacity;                  // page and node cache: per node; 0 = what is free
  BytesPerSecond read_bandwidth;   // page and node cache: per node, others in all; 0 = unlimited
  BytesPerSecond write_bandwidth;  // at which it is filled; 0 = unlimited
  Distribution latency;            // s, request to first byte
};
struct NodeCacheSpec : CacheSpec {
  CacheSharing sharing = CacheSharing::kPrivate;
};

// How the dataset gets from `origin` to the storage that the job reads.
enum class StagingMethod {
  kNone,      // it is there
  kBulk,      // copied before the job starts
  kLazy,      // each file when it is first read
  kPrefetch,  // copied while the job runs; what has not arrived is read from the origin
};
struct StagingSpec {
  StagingMethod method = StagingMethod::kNone;
  BytesPerSecond bandwidth;  // ceiling of the service that copies; 0 = unlimited
  PerSecond files_per_s;     // ceiling in files of up to small_file bytes; 0 = unlimited
  Bytes small_file;          // larger files are bound by bandwidth alone; 0 = the ceiling holds for all
  bool gpus_billed = true;   // the hosts are up and paid for while a bulk copy runs
};

// The model whose state checkpoints hold. What is 0 is not stated; parameters that are not are counted from the
// architecture of a decoder-only transformer.
enum class WeightPrecision { kFp32, kBf16, kFp16, kFp8 };
enum class Optimizer { kNone, kSgdMomentum, kAdam };
struct ModelSpec {
  double parameters = 0.0;
  std::int64_t layers = 0;
  std::int64_t hidden_size = 0;
  std::int64_t ffn_hidden_size = 0;
  std::int64_t vocab_size = 0;
  std::int64_t attention_heads = 0;
  std::int64_t kv_heads = 0;  // 0 = as many as attention_heads
  WeightPrecision precision = WeightPrecision::kBf16;
  Optimizer optimizer = Optimizer::kAdam;
  double optimizer_bytes_per_parameter = 0.0;  // 0 = by optimizer: FP32 master weights where precision is lower, and
                                               // its moments in FP32
  std::int64_t tensor_parallel = 1;
  std::int64_t pipeline_parallel = 1;  // data parallel: what is left of the ranks
  std::int64_t zero_stage = 0;         // 0 to 3: what data-parallel ranks share out (Rajbhandari et al. 2020)
  std::int64_t shard_ranks = 0;        // of them that share it among themselves (hybrid sharding); 0 = all
};

enum class CheckpointMode { kNone, kSync, kAsync };
enum class CheckpointWriters { kRank0, kAll };
enum class ReplicaSaving { kFirst, kParallel, kParallelAfterCopy };
enum class CheckpointCadence { kSteps, kTime, kEpochs, kOptimal, kContinuous };
enum class WritePath { kDirect, kWhole, kPageCache, kSynced };
enum class CheckpointLevel { kStorage, kLocalNvme, kPeerMemory };
enum class WhenBusy { kWait, kSkip };
enum class RestoreReaders { kAll, kOneReplica };

struct CheckpointSpec {
  CheckpointMode mode = CheckpointMode::kNone;
  CheckpointCadence cadence = CheckpointCadence::kSteps;
  std::int64_t interval_steps = 0;             // 0 = never
  Seconds interval;                            // training time between checkpoints, cadence time
  std::int64_t interval_epochs = 1;            // cadence epochs
  Seconds shortest_interval = seconds(300.0);  // between those on storage, cadence optimal; 0 = as short as pays
  Bytes size;                                  // of all writers together; 0 = from size_per_writer or else the model
  Bytes size_per_writer;                       // instead of size; both 0 = from the model (checkpoint_shape.h)
  CheckpointWriters writers = CheckpointWriters::kRank0;  // resolve(): as the software does, unless given
  std::string software;  // catalogue record of what writes; resolve() fills in the next ten from it
  ReplicaSaving replica_saving = ReplicaSaving::kFirst;  // of what data-parallel replicas hold alike
  WritePath write_path = WritePath::kDirect;  // how making and writing follow each other (checkpoint_stages.h)
  BytesPerSecond serialize_bandwidth;         // of each writer, to files; 0 = no limit
  BytesPerSecond buffer_bandwidth;            // of each writer, from there into the page cache; 0 = takes no time
  BytesPerSecond load_bandwidth;              // of each reader; 0 = no limit
  Seconds plan_time;                          // before anything is written
  BytesPerSecond gather_bandwidth;  // at which rank 0, writing alone, collects what others have; 0 = has it all
  std::int64_t files_per_writer = 1;
  Seconds file_time;              // of each file beside its bytes: created, closed, synced
  Seconds commit_time;            // of rank 0, when all are done
  double writer_spread = 0.0;     // of the logarithm of the speed of ranks that should be alike: standard deviation
  std::int64_t streams = 1;       // of each writer to storage, each at its stream_write_bandwidth
  std::int64_t read_streams = 0;  // of each reader; 0 = as many as `streams`
  Seconds snapshot_time;          // kAsync: the part that stops training
  WhenBusy when_busy = WhenBusy::kWait;                     // the one before is still being written
  CheckpointLevel first_level = CheckpointLevel::kStorage;  // where every checkpoint goes first
  std::int64_t storage_every = 1;                           // each n-th goes on to storage, in the background
  std::int64_t export_every = 0;                            // each n-th of those is copied to origin; 0 = none
  BytesPerSecond export_bandwidth;                          // ceiling of that copy; 0 = what both sides can do
  RestoreReaders restore_readers = RestoreReaders::kAll;    // every rank, or one replica that passes it on
  double restore_efficiency = 1.0;                          // of the read bandwidth, when all nodes read at once
  BytesPerSecond write_bandwidth;                           // per writer, when not written to the storage tier
  bool to_storage = true;                                   // through the storage tier, contending with reads

  bool states_size() const { return size.base() > 0.0 || size_per_writer.base() > 0.0; }
};

// What interrupts a run, and what it takes to go on.
enum class FailureLaw { kExponential, kWeibull };
struct FailureSpec {
  Seconds mtti;                     // between failures of the job; 0 = from per_1000_node_days
  double per_1000_node_days = 0.0;  // failures of nodes that stop the job; 0 = none
  FailureLaw law = FailureLaw::kExponential;
  double weibull_shape = 0.7;          // of the times between failures of the job
  std::int64_t nodes_per_failure = 1;  // taken out by one failure
  double node_loss_fraction = 1.0;     // of failures: the nodes are replaced, with what their memory and disks held
  Seconds outage_mtti;                 // between outages that take many nodes at once; 0 = none
  std::int64_t outage_nodes = 1;
  Seconds outage_time;           // until they are back
  Seconds detection_time;        // from a failure until somebody acts
  std::int64_t spares = 0;       // nodes kept ready, and paid for
  Seconds swap_time;             // a spare takes over
  Seconds replacement_time;      // no spare is left: until another node is there
  Seconds repair_time;           // until a failed node is a spare again; 0 = at once
  Seconds restart_time;          // processes, communicators, compilation: until the state can be read
  Seconds preemption_mtti;       // between preemptions of the job's hosts; 0 = none
  Seconds preemption_notice;     // time for a last checkpoint
  Seconds preemption_wait;       // until there are hosts again, not paid for
  Seconds maintenance_interval;  // between planned stops, each after a checkpoint; 0 = none
  Seconds maintenance_time;
};

// Hosts that load a model to serve it: every one reads all of `weights`.
struct ServingSpec {
  Bytes weights;             // per host
  std::int64_t streams = 8;  // concurrent reads per host
  Bytes request_size = bytes(16.0 * 1048576.0);
  std::string software;           // catalogue record of what loads; resolve() fills in load_bandwidth from it
  BytesPerSecond load_bandwidth;  // from host memory into GPUs, per host; overlaps with reading; 0 = no time
  Seconds start_spread;           // hosts start at random within it; 0 = all at once
};

struct RunSpec {
  std::int64_t epochs = 1;
  std::int64_t steps_per_epoch = 0;  // per rank; 0 = samples / (batch * ranks)
  bool whole_run = false;            // simulate every step instead of stopping at the asked precision
  double precision = 0.005;          // half-width of the 95 % interval of GPU utilization, as a fraction
  std::int64_t seed = 1;
  std::int64_t max_steps = 200000;           // simulated steps per rank before giving up on the precision
  std::int64_t replications = 100;           // simulated runs where something interrupts the run at random
  Seconds start;                             // of this job, after the first of those on one storage
  std::vector<std::string> concurrent_jobs;  // scenario files of the others on this storage, from this file's folder
  std::vector<std::string> uncertain;        // inputs known to an interval only (uncertain_input.h)
};

enum class HostPricing { kOnDemand, kSpot, kReserved1Year, kReserved3Years };
enum class StorageLifetime {
  kJob,     // created for the job, deleted after it
  kAlways,  // kept; the job pays its share of `period`
};

// What the bill needs beyond the job itself. A price left at 0 is the catalogue's.
struct CostSpec {
  HostPricing pricing = HostPricing::kOnDemand;
  UsdPerHour node_price;      // per node; 0 = the instance record's
  UsdPerHour gpu_hour_price;  // instead of node_price; 0 = not stated
  Usd purchase_price;         // of a node that is owned, instead of both; 0 = not owned. The next five are for it.
  Seconds lifetime = seconds(5.0 * 365.0 * 86400.0);  // over which its price is written off
  double use_fraction = 0.7;                          // of that time, in which jobs run on it and pay for it
  double power_kw = 0.0;                              // that a node draws while a job runs; 0 = not counted
  double electricity_usd_per_kwh = 0.13;
  double power_usage_effectiveness = 1.56;  // of the site: all of its power over that of its machines
  double host_discount = 0.0;               // off the list price, negotiated or committed
  double storage_discount = 0.0;
  StorageLifetime storage_lifetime = StorageLifetime::kJob;
  double runs_per_month = 1.0;        // of this job on a storage that is kept; it pays 1/runs of the month
  std::int64_t kept_checkpoints = 0;  // stored at the end of the job; 0 = the last one only
  Seconds checkpoint_retention;       // how long they are kept after the job
  Bytes egress_internet;              // leaves the cloud, per run
  Bytes egress_cross_region;          // to another region
  double cross_zone_fraction = 0.0;   // of bytes read that cross a zone
  Seconds reserved_time;          // machines are paid for at least so long, from the start of the job; 0 = as it runs
  double support_fraction = 0.0;  // of what the provider charges
  double tax_fraction = 0.0;      // of that and of support
  Seconds people_time;            // that the run takes of people
  UsdPerHour people_price;        // of their time
};

// The question that is asked of the scenario: what may be chosen, and what the choice must keep. No run looks at it.
struct PlanSpec {
  std::vector<std::string> vary;  // as --vary: "storage.capacity=valid"
  double min_utilization = 0.0;   // of the GPUs; 0 = none is asked for
  Seconds deadline;               // longest time to train; 0 = none
  Usd budget;                     // of the whole run; 0 = none
};

enum class JobKind { kTraining, kServing };

inline constexpr std::int64_t kScenarioFormatVersion = 2;

struct Scenario {
  std::int64_t format_version = kScenarioFormatVersion;
  std::string name;
  std::string description;
  JobKind job = JobKind::kTraining;
  ClusterSpec cluster;
  WorkloadSpec workload;
  DatasetSpec dataset;
  LoaderSpec loader;
  StorageSpec storage;
  CacheSpec page_cache;
  NodeCacheSpec node_cache;
  CacheSpec server_cache;    // RAM of the file servers
  CacheSpec regional_cache;  // in front of a bucket
  StorageSpec origin;        // where the dataset is kept, when it is staged to `storage`
  StagingSpec staging;
  ModelSpec model;
  CheckpointSpec checkpoint;
  FailureSpec failures;
  ServingSpec serving;
  CostSpec cost;
  RunSpec run;
  PlanSpec plan;

  std::int64_t ranks() const { return cluster.nodes * cluster.gpus_per_node; }
};

}  // namespace stallcast
