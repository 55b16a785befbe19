#include "core/scenario/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/scenario/check/check_context.h"
#include "core/scenario/data_path.h"
#include "core/scenario/host_memory.h"
#include "core/scenario/run_length.h"

namespace stallcast {
namespace {

class DataChecks : CheckContext {
 public:
  explicit DataChecks(const CheckContext& context) : CheckContext(context) {}

  void run() {
    check_step_time();
    check_all_reduce();
    check_dataset();
    check_counts();
    check_shards();
    check_loader();
    check_decoding();
    check_cores_and_memory();
    check_caches();
    check_staging();
  }

  // Of a serving job as well.
  void check_storage() {
    const double capacity = s_.storage.capacity.base();
    const double dataset = static_cast<double>(s_.dataset.samples) * mean_of(s_.dataset.sample_size);
    if (s_.job == JobKind::kTraining && capacity > 0.0 && dataset > capacity) {
      error("does_not_fit", "/storage/capacity", fmt::format("at least {:.3g} GB", dataset * 1e-9),
            "provision more, or use fewer samples", "the dataset is larger");
    }
    unused_unless(s_.storage.duplex, "/storage/write_bandwidth", "duplex is false, so writes share read_bandwidth");
    check_occupied_devices();
    for (const auto& [group, spec] : {std::pair{"/storage", &s_.storage}, std::pair{"/origin", &s_.origin}}) {
      const std::string factor = std::string(group) + "/slow_server_factor";
      unused_unless(spec->slow_server_fraction > 0.0, factor, "slow_server_fraction is 0");
      if (spec->slow_server_fraction > 0.0 && spec->slow_server_factor <= 1.0) {
        warning("no_effect", factor, "more than 1", "give how many times longer a slow server takes",
                "slow servers are as fast as the others");
      }
    }
  }

 private:
  // A device of a node may be kept busy by requests as such. What many nodes do to a shared system is in its read_iops.
  void check_occupied_devices() {
    for (const auto& [group, spec] : {std::pair{"/storage", &s_.storage}, std::pair{"/origin", &s_.origin}}) {
      const bool device = spec == &s_.storage && spec->scope == TierScope::kPerNode;
      const auto check = [&, group = std::string(group), spec = spec](const char* name, bool set) {
        const std::string pointer = group + name;
        if (!set) return;
        if (!device) {
          error("contradiction", pointer, "0 unless /storage/scope is \"per_node\"", "remove it",
                "only a device in a node is kept from others by one request");
        } else if (spec->read_bandwidth.base() <= 0.0) {
          error("missing_value", "/storage/read_bandwidth", "more than 0", "give what a device of the node reads",
                pointer + " is time of that device");
        }
      };
      check("/latency_held_fraction", spec->latency_held_fraction > 0.0);
      check("/request_time", spec->request_time.base() > 0.0);
    }
  }

  void check_step_time() {
    const WorkloadSpec& w = s_.workload;
    const bool by_time = w.step_time_form == StepTimeForm::kTime;
    const bool by_rate = w.step_time_form == StepTimeForm::kSamplesPerSecond;
    const bool by_flops = w.step_time_form == StepTimeForm::kFlops;
    if (by_rate && w.samples_per_s_per_gpu.base() <= 0.0) {
      error("missing_value", "/workload/samples_per_s_per_gpu", "more than 0",
            "give the rate of one GPU, like \"2400 samples/s\"", "step_time_form is samples_per_s");
    }
    if (by_flops && s_.cluster.gpu_peak.base() <= 0.0) {
      error("missing_value", "/cluster/gpu_peak", "more than 0",
            "give the GPU's peak, like \"989 TFLOP/s\", or an instance", "step_time_form is flops");
    }
    if (by_flops && w.flops_per_sample.base() <= 0.0) {
      error("missing_value", "/workload/flops_per_sample", "more than 0",
            "give the operations of one sample, like \"8.2 GFLOP\"", "step_time_form is flops");
    }
    if (by_time && mean_of(w.step_time) <= 0.0 && !given("/workload/step_time")) {
      warning("missing_value", "/workload/step_time", "", "give the compute time of a step, like \"200 ms\"",
              "without it the GPUs have nothing to do");
    }
    unused_unless(by_time, "/workload/step_time", "step_time_form is not time");
    unused_unless(by_rate, "/workload/samples_per_s_per_gpu", "step_time_form is not samples_per_s");
    unused_unless(by_flops, "/workload/flops_per_sample", "step_time_form is not flops");
    unused_unless(by_flops, "/workload/mfu", "step_time_form is not flops");
  }

  void check_all_reduce() {
    const bool reduces = s_.workload.gradient_bytes.base() > 0.0;
    if (given("/workload/gradient_bytes") && reduces && s_.ranks() > 1 && s_.cluster.gpu_link_bandwidth.base() <= 0.0) {
      warning("no_effect", "/workload/gradient_bytes", "", "give /cluster/gpu_link_bandwidth",
              "without a link rate the all-reduce takes no time");
    }
    unused_unless(reduces, "/workload/allreduce_overlap", "there are no gradient_bytes to reduce");
  }

  void check_dataset() {
    const double step_samples = static_cast<double>(s_.workload.batch_size) * static_cast<double>(s_.ranks());
    const auto samples = static_cast<double>(s_.dataset.samples);
    if (samples > 0.0 && step_samples > samples) {
      error("batch_exceeds_dataset", "/workload/batch_size",
            fmt::format("up to {:.0f}", std::floor(samples / static_cast<double>(s_.ranks()))),
            "give a smaller batch or more samples",
            fmt::format("{:.0f} samples per step on {} rank{}, but the dataset has {:.0f}", step_samples, s_.ranks(),
                        s_.ranks() == 1 ? "" : "s", samples));
    }
    const bool shuffles_buffer = s_.dataset.shuffle == Shuffle::kBuffer;
    if (shuffles_buffer && s_.dataset.shuffle_buffer == 0) {
      error("missing_value", "/dataset/shuffle_buffer", "1 or more", "give the buffer's size in samples",
            "shuffle is buffer");
    }
    unused_unless(shuffles_buffer, "/dataset/shuffle_buffer", "shuffle is not buffer");
    unused_unless(shuffles_buffer, "/dataset/shuffle_initial", "shuffle is not buffer");
    unused_unless(s_.dataset.layout == DatasetLayout::kColumnar, "/dataset/wanted_fraction",
                  "the layout is not columnar");
    unused_unless(!reads_in_file_order(s_), "/dataset/page_by_page",
                  "files are read in order, where the kernel reads ahead");
    if (mean_of(s_.dataset.sample_size) <= 0.0 && !given("/dataset/sample_size")) {
      warning("missing_value", "/dataset/sample_size", "", "give the size of a sample, like \"110 kB\"",
              "without it nothing is read from storage");
    }
  }

  // Counts that are each in range, but not all together: samples are counted in 64 bits.
  void check_counts() {
    constexpr double kMost = 1e15;
    const auto samples = [](std::int64_t a, std::int64_t b) { return static_cast<double>(a) * static_cast<double>(b); };
    const auto at_most = [&](const char* pointer, std::int64_t count, double each, const char* what) {
      if (static_cast<double>(count) * each <= kMost) return;
      error("out_of_range", pointer, fmt::format("up to {:.0f}", std::floor(kMost / each)),
            "give less, or smaller ones",
            fmt::format("{:.3g} samples {}, of 1e15 at most", static_cast<double>(count) * each, what));
    };
    const WorkloadSpec& w = s_.workload;
    at_most("/workload/gradient_accumulation", w.gradient_accumulation, samples(w.batch_size, s_.ranks()), "in a step");
    at_most("/run/steps_per_epoch", s_.run.steps_per_epoch, samples(w.batch_size, w.gradient_accumulation),
            "of a rank in an epoch");
    at_most("/dataset/shards_per_rank", s_.dataset.shards_per_rank, samples(s_.dataset.samples_per_shard, 1),
            "of a rank in an epoch");
  }

  void check_shards() {
    const DatasetSpec& d = s_.dataset;
    const bool sharded = d.layout == DatasetLayout::kShards || d.layout == DatasetLayout::kColumnar;
    const bool iterable = s_.loader.style == LoaderStyle::kIterable;
    if (iterable && d.layout == DatasetLayout::kFilePerSample) {
      error("contradiction", "/loader/style", "map when the layout is file_per_sample",
            "set /dataset/layout to \"shards\"", "an iterable loader deals out whole shards");
    }
    if (d.shuffle == Shuffle::kShard && !sharded) {
      error("contradiction", "/dataset/shuffle", "none, global or buffer for this layout", "did you mean \"global\"?",
            "there are no shards to shuffle");
    }
    if (d.layout == DatasetLayout::kShards && d.samples_per_shard == 1 && !given("/dataset/samples_per_shard")) {
      warning("missing_value", "/dataset/samples_per_shard", "", "give the samples of one shard",
              "each shard holds one sample");
    }
    unused_unless(sharded, "/dataset/samples_per_shard", "this layout has no shards");
    unused_unless(iterable, "/dataset/shards_per_rank", "only iterable loaders deal out shards");
    if (iterable) check_first_batch();
    if (!iterable || !sharded) return;
    std::int64_t shards = d.shards_per_rank;
    if (shards == 0 && d.samples > 0) shards = std::max<std::int64_t>(1, d.samples / d.samples_per_shard / s_.ranks());
    if (shards > 0 && shards < s_.loader.num_workers) {
      warning("idle_workers", "/loader/num_workers", fmt::format("up to {} of use", shards), "",
              fmt::format("a rank has {} shard{} to deal out", shards, shards == 1 ? "" : "s"));
    }
  }

  // Each worker makes batches of its own shards and drops the rest: where no worker fills one, or all of them too few
  // for one step, an epoch has no step.
  void check_first_batch() {
    const DatasetSpec& d = s_.dataset;
    const std::int64_t shards = shards_per_rank(s_);
    const bool is_too_much = static_cast<double>(shards) * static_cast<double>(d.samples_per_shard) > 1e15;
    if (shards == 0 || is_too_much) return;
    const std::int64_t batches = iterable_batches(s_);
    if (batches >= s_.workload.gradient_accumulation) return;
    if (batches > 0) {
      error("no_full_step", "/workload/gradient_accumulation", fmt::format("up to {}", batches),
            "give less, or more /dataset/shards_per_rank, or a smaller /workload/batch_size",
            fmt::format("a rank's workers fill {} batch{} in an epoch, and a step takes {}", batches,
                        batches == 1 ? "" : "es", s_.workload.gradient_accumulation));
      return;
    }
    const std::int64_t workers = std::max<std::int64_t>(1, s_.loader.num_workers), batch = s_.workload.batch_size;
    const std::int64_t needed = (batch + d.samples_per_shard - 1) / d.samples_per_shard;  // shards of one batch
    const std::int64_t most = (shards + workers - 1) / workers;                           // shards of one worker
    const std::string fewer =
        needed <= shards ? fmt::format("/loader/num_workers up to {}, ", (shards + needed - 2) / (needed - 1) - 1) : "";
    error("no_full_batch", "/workload/batch_size", fmt::format("up to {}", most * d.samples_per_shard),
          fmt::format("give less, or {}/dataset/shards_per_rank {} or more, or /dataset/samples_per_shard {} or more",
                      fewer, (needed - 1) * workers + 1, (batch + most - 1) / most),
          fmt::format("a worker has {} shard{} of {} sample{} in an epoch, which fill no batch, and drops them", most,
                      most == 1 ? "" : "s", d.samples_per_shard, d.samples_per_shard == 1 ? "" : "s"));
  }

  // PyTorch refuses the same two (torch.utils.data.DataLoader, checks of its arguments).
  void check_loader() {
    const LoaderSpec& l = s_.loader;
    if (l.num_workers == 0 && given("/loader/prefetch_factor")) {
      error("contradiction", "/loader/prefetch_factor", "only when num_workers is more than 0",
            "remove it, or give workers", "without workers nothing is prefetched, and PyTorch refuses it");
    }
    if (l.num_workers == 0 && l.persistent_workers) {
      error("contradiction", "/loader/persistent_workers", "false when num_workers is 0", "did you mean false?",
            "there are no workers to keep, and PyTorch refuses it");
    }
    unused_unless(l.pin_memory, "/loader/pin_bandwidth", "pin_memory is false");
    unused_unless(l.num_workers == 0, "/loader/inline_batch_cpu", "it is for num_workers = 0");
    const bool threads = l.style == LoaderStyle::kThreads;
    unused_unless(threads, "/loader/interleave", "style is not threads");
    unused_unless(l.style == LoaderStyle::kIterable && l.num_workers > 0, "/loader/read_ahead",
                  "only workers of an iterable loader have such a thread");
    unused_unless(!threads, "/loader/start_method", "threads are not processes");
    unused_unless(!threads, "/loader/start_cpu", "threads are not processes");
    unused_unless(!threads, "/loader/next_stored", "threads hand over each batch in its turn");
    unused_unless(!(l.pin_memory && bypasses_host(s_)), "/loader/pin_memory",
                  "gpudirect keeps batches out of the host");
  }

  // Who decodes and decompresses, and whether that device can get at the bytes.
  void check_decoding() {
    const LoaderSpec& l = s_.loader;
    const DatasetSpec& d = s_.dataset;
    const bool gpu = l.decode_on == DecodeDevice::kGpu;
    const bool compressed = d.compression_ratio > 1.0;
    unused_unless(gpu, "/loader/gpu_decode_time", "decode_on is cpu");
    unused_unless(gpu, "/loader/host_decode_time", "decode_on is cpu");
    unused_unless(!gpu, "/dataset/decode_time", "decode_on is gpu");
    unused_unless(!gpu, "/dataset/decode_size_correlation", "decode_on is gpu");
    unused_unless(compressed, "/dataset/decompress_bandwidth", "compression_ratio is 1");
    // A GPU with an engine for it takes no time of its own, and leaves some to the host.
    if (gpu && mean_of(d.decode_time) > 0.0 && mean_of(l.gpu_decode_time) <= 0.0 && l.host_decode_time.base() <= 0.0 &&
        !given("/loader/gpu_decode_time")) {
      warning("missing_value", "/loader/gpu_decode_time", "", "give the time of a sample, like \"0.1 ms\"",
              "without it the GPU decodes in no time");
    }
    unused_unless(!d.format.empty() && !gpu, "/dataset/augmentation",
                  gpu ? "decode_on is gpu" : "no /dataset/format says what it would add");
    if (compressed && d.decompress_bandwidth.base() <= 0.0 && !given("/dataset/decompress_bandwidth")) {
      warning("missing_value", "/dataset/decompress_bandwidth", "", "give the output of one core, like \"1 GB/s\"",
              "without it decompressing takes no time");
    }
    if (!l.gpudirect) return;
    if (!s_.storage.gpudirect) {
      error("contradiction", "/loader/gpudirect", "false when /storage/gpudirect is",
            "did you mean /storage/gpudirect true?", "this storage cannot move data to GPU memory by itself");
    } else if (cpu_decode_s(s_, mean_of(d.decode_time), mean_of(d.sample_size)) > 0.0) {
      error("contradiction", "/loader/decode_on", "gpu when gpudirect is true", "did you mean \"gpu\"?",
            "samples go straight to GPU memory, where no CPU can decode them");
    }
  }

  void check_cores_and_memory() {
    const auto gpus = static_cast<double>(s_.cluster.gpus_per_node);
    const double workers = static_cast<double>(s_.loader.num_workers) * gpus;
    if (workers > s_.cluster.cores_per_node) {
      warning("more_workers_than_cores", "/loader/num_workers",
              fmt::format("up to {:.0f} without sharing cores", std::floor(s_.cluster.cores_per_node / gpus)), "",
              fmt::format("{:.0f} workers on {} core{} per node", workers, format_number(s_.cluster.cores_per_node),
                          s_.cluster.cores_per_node == 1.0 ? "" : "s"));
    }
    const LoaderHostMemory loader = loader_host_memory(s_);
    const double memory = s_.cluster.memory_per_node.base();
    if (memory > 0.0 && loader.total().base() > memory) {
      const bool shuffles = loader.shuffled > loader.prefetched;
      warning("out_of_memory", shuffles ? "/dataset/shuffle_buffer" : "/loader/prefetch_factor", "",
              shuffles ? "use a smaller buffer or fewer workers"
                       : "use fewer workers, a smaller prefetch_factor or a smaller batch",
              fmt::format("the loader holds {:.3g} GB of the node's {:.3g} GB: {:.3g} GB in batches, {:.3g} GB in "
                          "samples and shuffle buffers",
                          loader.total().base() * 1e-9, memory * 1e-9,
                          (loader.prefetched + loader.in_use + loader.pinned).base() * 1e-9,
                          (loader.samples + loader.shuffled).base() * 1e-9));
    }
  }

  struct NamedCache {
    const char* group;
    const CacheSpec* spec;
  };

  void check_caches() {
    const NamedCache caches[] = {{"/page_cache", &s_.page_cache},
                                 {"/node_cache", &s_.node_cache},
                                 {"/server_cache", &s_.server_cache},
                                 {"/regional_cache", &s_.regional_cache}};
    bool any = false;
    for (const auto& [group, spec] : caches) {
      const bool on = spec->policy != CachePolicy::kNone;
      any = any || (on && given(std::string(group) + "/policy"));
      for (const char* name : {"/capacity", "/read_bandwidth", "/write_bandwidth", "/latency"})
        unused_unless(on, std::string(group) + name, "its policy is none");
      if (on && spec->capacity.base() <= 0.0) {
        const bool disk = spec == &s_.node_cache;
        const bool memory = spec == &s_.page_cache;
        error("missing_value", std::string(group) + "/capacity", "more than 0 B",
              disk     ? "give it, or an instance with local NVMe"
              : memory ? "give it, or /cluster/memory_per_node"
                       : "give what it holds, like \"10 TiB\"",
              disk     ? "the machine has no NVMe that is known of"
              : memory ? "the machine's memory is not known, or its loaders leave nothing of it"
                       : "a cache without room holds nothing");
      }
    }
    unused_unless(s_.node_cache.policy != CachePolicy::kNone, "/node_cache/sharing", "its policy is none");
    if (s_.node_cache.policy != CachePolicy::kNone && s_.storage.scope == TierScope::kPerNode) {
      error("contradiction", "/node_cache/policy", "\"none\" when the storage is in the node", "did you mean \"none\"?",
            "the storage is the machine's NVMe already");
    }
    const bool sized = s_.dataset.samples > 0 || s_.run.steps_per_epoch > 0 || s_.dataset.shards_per_rank > 0;
    if (any && !sized) {
      error("missing_value", "/dataset/samples", "1 or more", "give the samples of the dataset",
            "what a cache holds of it depends on its size");
    }
    if (s_.page_cache.policy != CachePolicy::kNone && s_.loader.gpudirect && given("/page_cache/policy")) {
      warning("no_effect", "/page_cache/policy", "", "remove it, or set /loader/gpudirect to false",
              "GPUDirect reads do not go through the page cache");
    }
  }

  void check_staging() {
    const StagingSpec& g = s_.staging;
    const bool on = g.method != StagingMethod::kNone;
    for (const char* pointer : {"/staging/bandwidth", "/staging/files_per_s", "/staging/small_file"})
      unused_unless(on, pointer, "method is none");
    unused_unless(g.method == StagingMethod::kBulk, "/staging/gpus_billed",
                  on ? "nothing is copied before the job" : "method is none");
    unused_unless(on || s_.checkpoint.export_every > 0, "/origin/tier", "method is none");
    if (on && s_.dataset.samples == 0) {
      error("missing_value", "/dataset/samples", "1 or more", "give the samples of the dataset",
            "how long it takes to stage depends on its size");
    }
    if (on && s_.origin.tier.empty() && s_.origin.read_bandwidth.base() <= 0.0) {
      warning("missing_value", "/origin/tier", "", "name where the dataset is kept, like \"s3_standard\"",
              "without it the origin answers at once and without limit");
    }
  }
};

}  // namespace

Findings check_scenario(const Scenario& scenario, const std::set<std::string>& given, const std::string& file) {
  Findings findings;
  const CheckContext context(scenario, given, file, findings);
  DataChecks data(context);
  if (scenario.job == JobKind::kTraining) data.run();
  data.check_storage();
  if (scenario.job == JobKind::kTraining) check_checkpoint(context);
  check_serving(context);
  check_course(context);
  check_uncertain(context);
  // What a run takes follows from all the values: it says nothing while one of them is wrong.
  if (scenario.job == JobKind::kTraining && !findings.has_errors()) check_effort(context);
  return findings;
}

}  // namespace stallcast
