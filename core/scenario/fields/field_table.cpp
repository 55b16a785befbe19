#include "core/scenario/fields/field_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "core/scenario/fields/field_levels.h"
#include "core/scenario/fields/field_rows.h"

namespace stallcast {
namespace {

using namespace field_rows;

void add_cluster(std::vector<Field>& t) {
  using C = ClusterSpec;
  constexpr auto in = &Scenario::cluster;
  t.push_back(
      text<in, &C::instance>("/cluster/instance", "Catalogue record of the machine; empty for one described here."));
  t.push_back(text<in, &C::gpu>("/cluster/gpu",
                                "Catalogue record of the GPU, for machines without an instance; with one, the "
                                "instance's own."));
  t.push_back(text<in, &C::cpu>("/cluster/cpu",
                                "Catalogue record of the processor, for machines without an instance; with one, the "
                                "instance's own."));
  t.push_back(integer<in, &C::nodes>("/cluster/nodes", 1, 100000, "Machines in the job."));
  t.push_back(integer<in, &C::gpus_per_node>("/cluster/gpus_per_node", 1, 64, "GPUs per machine, one rank each."));
  t.push_back(number<in, &C::cores_per_node>(
      "/cluster/cores_per_node", Dimension::kNone, {0.0, 4096.0, true},
      "CPU cores per machine that loader workers and trainer processes share; one that runs two threads "
      "does 1.2 times as much as with one, and counts as 1.2."));
  t.push_back(number<in, &C::core_speed>(
      "/cluster/core_speed", Dimension::kNone, {0.0, 10.0},
      "What one core does of preparing samples, over one of an AMD EPYC 9B14 (Zen 4); 0 = not stated. It scales the "
      "decode times of the catalogue, not one that you give."));
  t.push_back(number<in, &C::all_core_clock>(
      "/cluster/all_core_clock", Dimension::kNone, {0.5, 1.0},
      "Clock of a core while all cores compute, over the one it has while the others rest (all-core over single-core "
      "turbo). In between it falls evenly. CPU times, also those that you give, are of a core that computes alone."));
  t.push_back(
      choice<in, &C::core_sharing>("/cluster/core_sharing", {"processor_sharing", "one_queue", "queue_per_core"},
                                   "How runnable processes share cores: evenly at every instant, in turns from one "
                                   "queue, or in turns from a queue per core."));
  t.push_back(quantity<in, &C::time_slice>("/cluster/time_slice", 10.0,
                                           "Turn of a process on a core while others wait for it."));
  t.push_back(quantity<in, &C::memory_per_node>("/cluster/memory_per_node", kMostSampleBytes,
                                                "RAM per machine; 0 = not stated."));
  t.push_back(quantity<in, &C::nic_bandwidth>("/cluster/nic_bandwidth", kMostBytesPerSecond,
                                              "Line rate of the network per machine and direction; 0 = unlimited."));
  t.push_back(number<in, &C::nic_efficiency>(
      "/cluster/nic_efficiency", Dimension::kFraction, {0.0, 1.0, true},
      "Share of the network's line rate that reads and writes of the storage reach; by its client where not given."));
  t.push_back(
      quantity<in, &C::host_to_device_bandwidth>("/cluster/host_to_device_bandwidth", kMostBytesPerSecond,
                                                 "Host to GPU copy rate per GPU (PCIe); 0 = the copy takes no time."));
  t.push_back(
      quantity<in, &C::gpu_link_bandwidth>("/cluster/gpu_link_bandwidth", kMostBytesPerSecond,
                                           "Rate per GPU of the all-reduce between machines; 0 = it takes no time."));
  t.push_back(quantity<in, &C::gpu_peak>("/cluster/gpu_peak", 1e21,
                                         "Dense peak of one GPU at training precision; 0 = not stated."));
  t.push_back(quantity<in, &C::local_storage_per_node>("/cluster/local_storage_per_node", kMostBytes,
                                                       "NVMe that comes with each machine; 0 = none."));
  t.push_back(quantity<in, &C::local_read_bandwidth>("/cluster/local_read_bandwidth", kMostBytesPerSecond,
                                                     "Read rate of that NVMe per machine; 0 = none."));
  t.push_back(quantity<in, &C::local_write_bandwidth>("/cluster/local_write_bandwidth", kMostBytesPerSecond,
                                                      "Write rate of that NVMe per machine; 0 = none."));
}

void add_workload(std::vector<Field>& t) {
  using W = WorkloadSpec;
  constexpr auto in = &Scenario::workload;
  t.push_back(text<in, &W::name>("/workload/name", "Catalogue record of the workload; empty for one described here."));
  t.push_back(integer<in, &W::batch_size>("/workload/batch_size", 1, 1e7, "Samples per rank and micro-step."));
  t.push_back(choice<in, &W::step_time_form>("/workload/step_time_form", {"time", "samples_per_s", "flops"},
                                             "How the compute time of a step is given."));
  t.push_back(distribution<in, &W::step_time>(
      "/workload/step_time", Dimension::kTime, kTenYears,
      "Compute time of one micro-step, sampled for each step and rank; used by form time."));
  t.push_back(quantity<in, &W::samples_per_s_per_gpu>(
      "/workload/samples_per_s_per_gpu", kMostPerSecond,
      "Samples one GPU computes when data is always there; used by form samples_per_s.", "samples"));
  t.push_back(quantity<in, &W::flops_per_sample>("/workload/flops_per_sample", 1e24,
                                                 "Operations per sample, forward and backward; used by form flops."));
  t.push_back(
      number<in, &W::mfu>("/workload/mfu", Dimension::kFraction, {0.0, 1.0, true},
                          "Model FLOPs utilization, the part of the peak that computing reaches; used by form flops."));
  t.push_back(quantity<in, &W::step_return_cpu>(
      "/workload/step_return_cpu", kTenYears,
      "CPU of the trainer at the end of a step, counted as compute (emulated accelerators); 0 = a real GPU."));
  t.push_back(integer<in, &W::gradient_accumulation>("/workload/gradient_accumulation", 1, 1e6,
                                                     "Micro-steps between gradient barriers."));
  t.push_back(quantity<in, &W::gradient_bytes>("/workload/gradient_bytes", kMostSampleBytes,
                                               "All-reduced per step; 0 = none."));
  t.push_back(number<in, &W::allreduce_overlap>("/workload/allreduce_overlap", Dimension::kFraction, {0.0, 1.0},
                                                "Part of the all-reduce that is hidden behind computing."));
  t.push_back(quantity<in, &W::barrier_time>("/workload/barrier_time", kTenYears,
                                             "Cost of the barrier when all ranks arrive together."));
  t.push_back(integer<in, &W::validation_steps>("/workload/validation_steps", 0, 1e12,
                                                "Steps at the end of each epoch that compute without loading."));
  t.push_back(quantity<in, &W::validation_step_time>("/workload/validation_step_time", kTenYears,
                                                     "Time of one validation step."));
}

void add_dataset(std::vector<Field>& t) {
  using D = DatasetSpec;
  constexpr auto in = &Scenario::dataset;
  t.push_back(choice<in, &D::layout>(
      "/dataset/layout", {"file_per_sample", "shards", "records", "columnar"},
      "How samples lie in files: one file each (a folder of images), in shards that are read from end to end "
      "(TFRecord, "
      "WebDataset tar, Mosaic MDS), as records at random places of large files (HDF5, token files, LMDB), or in row "
      "groups of columns (Parquet)."));
  t.back().other_words = {{"files", 0}, {"folder", 0},     {"image_folder", 0}, {"tfrecord", 1}, {"tfrecords", 1},
                          {"tar", 1},   {"webdataset", 1}, {"mds", 1},          {"mosaic", 1},   {"hdf5", 2},
                          {"lmdb", 2},  {"memmap", 2},     {"token_file", 2},   {"parquet", 3},  {"arrow", 3}};
  t.push_back(integer<in, &D::samples>("/dataset/samples", 0, kMostCount,
                                       "Samples in the dataset; 0 = as many as the run needs."));
  t.push_back(distribution<in, &D::sample_size>("/dataset/sample_size", Dimension::kBytes, kMostSampleBytes,
                                                "Bytes of a sample on storage."));
  t.push_back(integer<in, &D::samples_per_shard>("/dataset/samples_per_shard", 1, 1e12,
                                                 "Samples per shard, or per row group when columnar."));
  t.push_back(integer<in, &D::shards_per_rank>(
      "/dataset/shards_per_rank", 0, 1e12,
      "Shards a rank reads per epoch, iterable loaders; 0 = samples / samples_per_shard / ranks."));
  t.push_back(number<in, &D::wanted_fraction>("/dataset/wanted_fraction", Dimension::kFraction, {0.0, 1.0, true},
                                              "Part of a row group's bytes that is wanted, when columnar."));
  t.push_back(quantity<in, &D::request_size>(
      "/dataset/request_size", kMostSampleBytes,
      "What a reader asks for at a time; 0 = a whole sample. In a file that is read in order it waits for each "
      "request, "
      "while all requests of a sample at a random place go at once. Files that are read in order through the page "
      "cache: twice the kernel's read_ahead_kb."));
  t.push_back(boolean<in, &D::page_by_page>(
      "/dataset/page_by_page",
      "Samples at random places are read through a memory map without read-ahead (LMDB with readahead off, "
      "MADV_RANDOM): each page waits for the one before it. request_size is then a page, 4 KiB."));
  t.push_back(choice<in, &D::shuffle>("/dataset/shuffle", {"none", "global", "shard", "buffer"},
                                      "Order of samples in an epoch."));
  t.push_back(integer<in, &D::shuffle_buffer>("/dataset/shuffle_buffer", 0, 1e12,
                                              "Samples in the shuffle buffer, for shuffle buffer."));
  t.push_back(
      integer<in, &D::shuffle_initial>("/dataset/shuffle_initial", 0, 1e12,
                                       "Samples in the shuffle buffer before the first leaves, which then fills by one "
                                       "for each that leaves (WebDataset initial); 0 = all of them."));
  t.push_back(text<in, &D::format>("/dataset/format",
                                   "Catalogue record of what a sample is stored as (jpeg, png, npz, hdf5, ...), which "
                                   "says what decoding takes; empty "
                                   "where decode_time or the workload says it."));
  t.push_back(choice<in, &D::augmentation>("/dataset/augmentation", {"usual", "none"},
                                           "Whether the random transforms that training usually adds to this format "
                                           "are part of its decode time; used with format."));
  t.push_back(distribution<in, &D::decode_time>("/dataset/decode_time", Dimension::kTime, kTenYears,
                                                "CPU time per sample to decode and augment, alone on a core."));
  t.push_back(number<in, &D::decode_size_correlation>("/dataset/decode_size_correlation", Dimension::kNone, {-1.0, 1.0},
                                                      "Rank correlation of decode time with sample size."));
  t.push_back(quantity<in, &D::tensor_size>("/dataset/tensor_size", kMostSampleBytes,
                                            "Bytes a sample hands to the trainer; 0 = its mean size, decompressed."));
  t.push_back(number<in, &D::compression_ratio>("/dataset/compression_ratio", Dimension::kNone, {1.0, 1e6},
                                                "Bytes of a sample decompressed for each byte on storage."));
  t.push_back(quantity<in, &D::decompress_bandwidth>(
      "/dataset/decompress_bandwidth", kMostBytesPerSecond,
      "Decompressed bytes per second of one core, or of the GPU when it decodes; 0 = takes no time."));
}

void add_loader(std::vector<Field>& t) {
  using L = LoaderSpec;
  constexpr auto in = &Scenario::loader;
  t.push_back(
      text<in, &L::framework>("/loader/framework", "Catalogue record of the loader; empty for the workload's own."));
  t.push_back(choice<in, &L::style>(
      "/loader/style", {"map", "iterable", "threads"},
      "PyTorch map or iterable dataset, or a pool of threads that prepare samples (tf.data, DALI)."));
  t.push_back(integer<in, &L::num_workers>("/loader/num_workers", 0, 1024,
                                           "Worker processes (or threads) per rank; 0 loads inside next()."));
  t.push_back(
      integer<in, &L::prefetch_factor>("/loader/prefetch_factor", 1, 10000,
                                       "Batches requested ahead: per worker (map, iterable), or the total that is "
                                       "kept ready (threads), as tf.data prefetch counts them."));
  t.push_back(boolean<in, &L::persistent_workers>("/loader/persistent_workers",
                                                  "Keep the workers (or threads) from epoch to epoch."));
  t.push_back(boolean<in, &L::in_order>(
      "/loader/in_order",
      "Deliver batches (threads: samples too) in index order; false takes whichever is ready first."));
  t.push_back(boolean<in, &L::pin_memory>(
      "/loader/pin_memory", "A thread copies batches to pinned memory; of a pool, the one that assembles them."));
  t.push_back(quantity<in, &L::pin_bandwidth>("/loader/pin_bandwidth", kMostBytesPerSecond,
                                              "Copy rate of that thread; 0 = no time."));
  t.push_back(integer<in, &L::read_ahead>(
      "/loader/read_ahead", 0, 1e9,
      "Samples that a thread of each iterable worker reads ahead of it (Mosaic predownload); 0 = no such thread."));
  t.push_back(integer<in, &L::interleave>("/loader/interleave", 0, 1e6,
                                          "Files read at a time by a stage of its own, style threads (tf.data "
                                          "interleave, cycle_length); 0 = one per thread."));
  t.push_back(choice<in, &L::decode_on>("/loader/decode_on", {"cpu", "gpu"}, "Who decodes and decompresses."));
  t.push_back(distribution<in, &L::gpu_decode_time>(
      "/loader/gpu_decode_time", Dimension::kTime, kTenYears,
      "GPU time per sample to decode, taken from computing; used when decode_on is gpu."));
  t.push_back(quantity<in, &L::host_decode_time>(
      "/loader/host_decode_time", kTenYears,
      "CPU time per sample that decoding on the GPU leaves to the loader (Huffman decoding of some JPEG images); used "
      "when decode_on is gpu."));
  t.push_back(boolean<in, &L::gpudirect>(
      "/loader/gpudirect", "Storage to GPU memory by DMA (GPUDirect Storage): no host copy and no CPU for it."));
  t.push_back(
      choice<in, &L::start_method>("/loader/start_method", {"fork", "spawn"}, "How worker processes are started."));
  t.push_back(quantity<in, &L::worker_batch_cpu>(
      "/loader/worker_batch_cpu", kTenYears,
      "CPU per batch in the worker (or the thread that assembles batches) beyond decoding: collate, shared memory."));
  t.push_back(quantity<in, &L::consumer_batch_cpu>("/loader/consumer_batch_cpu", kTenYears,
                                                   "CPU per batch in the training process: receive, map, free."));
  t.push_back(quantity<in, &L::inline_batch_cpu>("/loader/inline_batch_cpu", kTenYears,
                                                 "CPU per batch of collation when num_workers is 0."));
  t.push_back(quantity<in, &L::wait_cpu>(
      "/loader/wait_cpu", kTenYears,
      "Extra CPU of a worker after each read that it waited for: the caches of its core are cold then. At most as long "
      "as the wait."));
  t.push_back(quantity<in, &L::pipe_time>(
      "/loader/pipe_time", kTenYears,
      "Wall time per batch of one worker with nothing to load and a consumer always asking."));
  t.push_back(curve<in, &L::next_ready>(
      "/loader/next_ready",
      "Duration of next() when a batch is ready, by how long both sides were idle: [gap, time] pairs."));
  t.push_back(quantity<in, &L::next_stored>(
      "/loader/next_stored", kTenYears, "Duration of next() when the batch was received earlier, out of its turn."));
  t.push_back(linear_cost<in, &L::start_call>("/loader/start_call",
                                              "Time of iter(), which starts the workers one after the other."));
  t.push_back(linear_cost<in, &L::start_ready>("/loader/start_ready",
                                               "From the start of iter() until the last worker is ready, without "
                                               "start_cpu."));
  t.push_back(linear_cost<in, &L::start_first>("/loader/start_first",
                                               "From the start of iter() until a first, empty batch is returned, "
                                               "without start_cpu."));
  t.push_back(quantity<in, &L::start_cpu>("/loader/start_cpu", kTenYears,
                                          "CPU of each worker process until it is ready (a spawned one imports), on "
                                          "the cores that all of the machine share."));
  t.push_back(linear_cost<in, &L::shutdown>("/loader/shutdown", "End of an epoch without persistent workers."));
  t.push_back(linear_cost<in, &L::reset>("/loader/reset", "iter() again with persistent workers."));
}

// The same rows for the storage that the job reads ("/storage") and for the origin of its dataset ("/origin").
template <auto in>
void add_storage(std::vector<Field>& t, const std::string& group) {
  using S = StorageSpec;
  t.push_back(
      text<in, &S::tier>(group + "/tier", "Catalogue record of the storage tier; empty for one described here."));
  t.push_back(choice<in, &S::scope>(group + "/scope", {"shared", "per_node"},
                                    "One system that all share, or a device in every machine."));
  t.push_back(quantity<in, &S::capacity>(group + "/capacity", kMostBytes,
                                         "Provisioned capacity, which sets bandwidth by the tier's rule."));
  t.push_back(integer<in, &S::servers>(group + "/servers", 0, 1e6,
                                       "Storage servers (or Lustre OSTs), for tiers that are sized by them."));
  t.push_back(quantity<in, &S::provisioned_bandwidth>(
      group + "/provisioned_bandwidth", kMostBytesPerSecond,
      "Bandwidth bought in addition to the capacity, for tiers that sell it; 0 = what is included."));
  t.push_back(quantity<in, &S::provisioned_iops>(
      group + "/provisioned_iops", kMostPerSecond,
      "IOPS bought in addition to the capacity, for tiers that sell them; 0 = what is included.", "IOPS"));
  t.push_back(quantity<in, &S::read_bandwidth>(group + "/read_bandwidth", kMostBytesPerSecond,
                                               "Total read rate, or per machine with scope per_node; 0 = unlimited."));
  t.push_back(quantity<in, &S::write_bandwidth>(group + "/write_bandwidth", kMostBytesPerSecond,
                                                "Write rate likewise; 0 = unlimited."));
  t.push_back(boolean<in, &S::duplex>(group + "/duplex",
                                      "Reads and writes have their own rates; false: they share read_bandwidth."));
  t.push_back(quantity<in, &S::burst_bandwidth>(group + "/burst_bandwidth", kMostBytesPerSecond,
                                                "Read rate while burst_credit lasts; 0 = no bursts."));
  t.push_back(quantity<in, &S::burst_credit>(
      group + "/burst_credit", kMostBytes,
      "Bytes that can be read above read_bandwidth, full at the start; what read_bandwidth leaves over refills it."));
  t.push_back(quantity<in, &S::client_read_bandwidth>(group + "/client_read_bandwidth", kMostBytesPerSecond,
                                                      "Read rate that one machine can reach; 0 = unlimited."));
  t.push_back(quantity<in, &S::client_write_bandwidth>(group + "/client_write_bandwidth", kMostBytesPerSecond,
                                                       "Write rate that one machine can reach; 0 = unlimited."));
  t.push_back(
      quantity<in, &S::stream_bandwidth>(group + "/stream_bandwidth", kMostBytesPerSecond,
                                         "Rate of one request stream once its first byte is there; 0 = unlimited."));
  t.push_back(quantity<in, &S::stream_write_bandwidth>(group + "/stream_write_bandwidth", kMostBytesPerSecond,
                                                       "Rate of one stream of writes; 0 = as stream_bandwidth."));
  t.push_back(
      quantity<in, &S::read_iops>(group + "/read_iops", kMostPerSecond, "Total read requests; 0 = unlimited.", "IOPS"));
  t.push_back(quantity<in, &S::write_iops>(group + "/write_iops", kMostPerSecond,
                                           "Total write requests; 0 = unlimited.", "IOPS"));
  t.push_back(quantity<in, &S::metadata_rate>(group + "/metadata_rate", kMostPerSecond,
                                              "Total file opens; 0 = unlimited.", "ops"));
  t.push_back(quantity<in, &S::retry_base>(
      group + "/retry_base", kTenYears,
      "First back-off of a request that is refused above read_iops, doubled each time; 0 = it waits its turn."));
  t.push_back(quantity<in, &S::retry_max>(group + "/retry_max", kTenYears, "Longest back-off."));
  t.push_back(integer<in, &S::list_page_size>(
      group + "/list_page_size", 0, 1e9, "Names per list request at the start of the job; 0 = nothing is listed."));
  t.push_back(quantity<in, &S::list_latency>(group + "/list_latency", kTenYears, "Time of one list request."));
  t.push_back(distribution<in, &S::latency>(group + "/latency", Dimension::kTime, kTenYears,
                                            "From a request to its first byte."));
  t.push_back(number<in, &S::latency_held_fraction>(
      group + "/latency_held_fraction", Dimension::kFraction, {0.0, 1.0},
      "Share of the latency during which a device of the node serves nobody else."));
  t.push_back(
      quantity<in, &S::request_time>(group + "/request_time", kTenYears,
                                     "Time of a device of the node that each read takes in addition to its bytes."));
  t.push_back(distribution<in, &S::open_latency>(group + "/open_latency", Dimension::kTime, kTenYears,
                                                 "Per file or shard opened."));
  t.push_back(quantity<in, &S::service_quantum>(group + "/service_quantum", 10.0,
                                                "Turn of a reader at the tier's full rate, round robin; 0 = a fluid."));
  t.push_back(number<in, &S::noise>(group + "/noise", Dimension::kFraction, {0.0, 0.99},
                                    "Part of the bandwidth that neighbours take."));
  t.push_back(boolean<in, &S::gpudirect>(group + "/gpudirect", "Can move data to GPU memory by DMA."));
  t.push_back(boolean<in, &S::page_cache>(group + "/page_cache",
                                          "Its client keeps what it reads in the page cache of the machine."));
  t.push_back(number<in, &S::slow_server_fraction>(
      group + "/slow_server_fraction", Dimension::kFraction, {0.0, 1.0},
      "Part of the servers that are slow at any time, for checkpoints striped over them."));
  t.push_back(number<in, &S::slow_server_factor>(group + "/slow_server_factor", Dimension::kNone, {1.0, 1e4},
                                                 "How many times longer a checkpoint takes that meets a slow server."));
  t.push_back(quantity<in, &S::mean_time_to_data_loss>(
      group + "/mean_time_to_data_loss", 1e6 * kTenYears,
      "Of a scratch file system at this capacity: everything on it is gone; 0 = never."));
}

template <auto in>
void add_cache(std::vector<Field>& t, const std::string& group, const std::string& what, const std::string& per) {
  using C = CacheSpec;
  t.push_back(
      choice<in, &C::policy>(group + "/policy", {"none", "lru", "pinned", "linux"},
                             what + ": none; dropping what was read longest ago; keeping what came first; or as the "
                                    "page cache of Linux does, which keeps what was read twice for longer."));
  t.push_back(quantity<in, &C::capacity>(group + "/capacity", kMostBytes,
                                         "Bytes it holds" + per + (per.empty() ? "." : "; 0 = what is free.")));
  t.push_back(quantity<in, &C::read_bandwidth>(group + "/read_bandwidth", kMostBytesPerSecond,
                                               "Rate of reads that it serves" + per + "; 0 = unlimited."));
  t.push_back(quantity<in, &C::write_bandwidth>(group + "/write_bandwidth", kMostBytesPerSecond,
                                                "Rate at which it is filled" + per + "; 0 = unlimited."));
  t.push_back(distribution<in, &C::latency>(group + "/latency", Dimension::kTime, kTenYears,
                                            "From a request to its first byte when it serves it."));
}

void add_caches(std::vector<Field>& t) {
  add_cache<&Scenario::page_cache>(t, "/page_cache", "Memory of the machine", " per machine");
  add_cache<&Scenario::node_cache>(t, "/node_cache", "NVMe of the machine (also a FUSE file cache)", " per machine");
  t.push_back(choice<&Scenario::node_cache, &NodeCacheSpec::sharing>(
      "/node_cache/sharing", {"private", "partitioned"},
      "A machine finds only what it read itself, or each keeps its part and serves the others."));
  add_cache<&Scenario::server_cache>(t, "/server_cache", "Memory of the file servers", "");
  add_cache<&Scenario::regional_cache>(t, "/regional_cache", "Cache in front of a bucket", "");
}

void add_staging(std::vector<Field>& t) {
  using S = StagingSpec;
  constexpr auto in = &Scenario::staging;
  t.push_back(choice<in, &S::method>(
      "/staging/method", {"none", "bulk", "lazy", "prefetch"},
      "How the dataset gets from the origin to storage: it is there, copied before the job, each file when first read, "
      "or copied during the job. That copy goes on to its end, even if the job ends before."));
  t.push_back(
      quantity<in, &S::bandwidth>("/staging/bandwidth", kMostBytesPerSecond,
                                  "Ceiling of the copy beyond what origin and storage allow, or of each machine's copy "
                                  "where storage is in the machine; 0 = unlimited."));
  t.push_back(quantity<in, &S::files_per_s>("/staging/files_per_s", kMostPerSecond,
                                            "Ceiling of the copy in small files; 0 = unlimited.", "files"));
  t.push_back(quantity<in, &S::small_file>("/staging/small_file", kMostSampleBytes,
                                           "Largest file that files_per_s counts; 0 = it counts all."));
  t.push_back(
      boolean<in, &S::gpus_billed>("/staging/gpus_billed", "The machines are up and paid for while a bulk copy runs."));
}

// Names of format_version 1, and what they became. Version 3 will no longer read them.
constexpr std::pair<std::string_view, std::string_view> kRenamedFields[] = {{"/run/beside", "/run/concurrent_jobs"}};

std::vector<Field> make_table() {
  std::vector<Field> t;
  t.push_back(
      integer<&Scenario::format_version>("/format_version", 1, kScenarioFormatVersion, "Version of this file format."));
  t.push_back(text<&Scenario::name>("/name", "Short name, shown in reports."));
  t.push_back(text<&Scenario::description>("/description", "What this scenario is for."));
  t.push_back(
      choice<&Scenario::job>("/job", {"training", "serving"}, "Training, or hosts that load a model to serve it."));
  add_cluster(t);
  add_workload(t);
  add_dataset(t);
  add_loader(t);
  add_storage<&Scenario::storage>(t, "/storage");
  add_caches(t);
  add_storage<&Scenario::origin>(t, "/origin");
  add_staging(t);
  add_model(t);
  add_checkpoint(t);
  add_failures(t);
  add_serving(t);
  add_cost(t);
  add_run(t);
  add_plan(t);
  for (Field& field : t) {
    const auto is_one_of = [&field](std::span<const std::string_view> list) {
      return std::find(list.begin(), list.end(), field.pointer) != list.end();
    };
    if (is_one_of(essential_fields())) field.level = FieldLevel::kEssential;
    if (is_one_of(common_fields())) field.level = FieldLevel::kCommon;
  }
  return t;
}

}  // namespace

const std::vector<Field>& field_table() {
  static const std::vector<Field> table = make_table();
  return table;
}

const Field* find_field(std::string_view pointer) {
  static const std::unordered_map<std::string_view, const Field*> by_pointer = [] {
    std::unordered_map<std::string_view, const Field*> map;
    for (const Field& field : field_table()) map.emplace(field.pointer, &field);
    for (const auto& [before, now] : kRenamedFields) map.emplace(before, map.at(now));
    return map;
  }();
  const auto found = by_pointer.find(pointer);
  return found == by_pointer.end() ? nullptr : found->second;
}

std::string allowed_values(const Field& field) {
  switch (field.kind) {
    case FieldKind::kText:
    case FieldKind::kTextList:
      return "";
    case FieldKind::kBoolean:
      return "true or false";
    case FieldKind::kEnum:
      return fmt::format("{}", fmt::join(field.words, ", "));
    default:
      return range_text(field.dimension, field.range, field.counted);
  }
}

}  // namespace stallcast
