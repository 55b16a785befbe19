#include "core/catalogue/read_records.h"

#include <algorithm>

#include "core/catalogue/tier_example.h"

namespace stallcast {
namespace {

const std::vector<std::string> kProviders = {"gcp", "aws", "azure", "self", "any"};

// The law whose base number is called `name`, under `group` ("" or "bands/large/").
template <class Rate>
RateLaw<Rate> read_law(RecordReader& in, const std::string& group, const std::string& name) {
  const std::string path = group + name;
  return {in.quantity<Rate>(path), in.quantity<Rate>(path + "_per_tib"), in.quantity<Rate>(path + "_per_server"),
          in.quantity<Rate>(path + "_max")};
}

RateLaws read_laws(RecordReader& in, const std::string& group) {
  return {read_law<BytesPerSecond>(in, group, "read_bandwidth"), read_law<BytesPerSecond>(in, group, "write_bandwidth"),
          read_law<PerSecond>(in, group, "read_iops"), read_law<PerSecond>(in, group, "write_iops"),
          read_law<PerSecond>(in, group, "metadata_rate")};
}

template <class Rate>
Provisioning<Rate> read_provisioning(RecordReader& in, const std::string& group) {
  const auto fact = [&](const char* name) { return in.quantity<Rate>(group + "/" + name); };
  return {fact("min"), fact("max"), fact("step"), fact("included"), fact("included_per_tib"), fact("max_per_tib")};
}

ModelFacts read_model(RecordReader& in) {
  return {in.count("layers"),          in.count("hidden_size"),       in.count("ffn_hidden_size"),
          in.count("vocab_size"),      in.count("attention_heads"),   in.count("kv_heads"),
          in.count("tensor_parallel"), in.count("pipeline_parallel"), in.count("zero_stage")};
}

BatchCost read_batch_cost(RecordReader& in, const std::string& name) {
  return {in.required(name + "/base", in.quantity<Seconds>(name + "/base")), in.quantity<Seconds>(name + "/per_sample"),
          in.quantity<BytesPerSecond>(name + "/rate"), in.quantity<Seconds>(name + "/per_index_entry")};
}

LoaderStartCosts read_start_costs(RecordReader& in, const std::string& method) {
  const auto cost = [&](const std::string& name) {
    const std::string path = method + "/" + name;
    return in.required(path, in.worker_cost(path));
  };
  return {cost("start_call"), cost("start_ready"), cost("start_first"),
          cost("shutdown"),   cost("reset"),       in.quantity<Seconds>(method + "/start_cpu")};
}

}  // namespace

void read_record(RecordReader& in, GpuRecord& gpu) {
  gpu.jpeg_engine = in.flag("jpeg_engine", false);
  gpu.memory = in.quantity<Bytes>("memory");
  gpu.dense_bf16_peak = in.quantity<FlopsPerSecond>("dense_bf16_peak");
}

void read_record(RecordReader& in, CpuRecord& cpu) {
  cpu.core_speed = in.required("core_speed", in.number("core_speed"));
  cpu.all_core_clock = in.number("all_core_clock");
}

void read_record(RecordReader& in, InstanceRecord& instance) {
  instance.provider = in.word_or("provider", kProviders, "self");
  instance.gpu = in.text("gpu");
  instance.cpu = in.text_or("cpu", "");
  instance.core_speed = in.number("core_speed");
  instance.all_core_clock = in.number("all_core_clock");
  instance.gpus = in.required("gpus", in.count("gpus"));
  instance.physical_cores = in.required("physical_cores", in.count("physical_cores"));
  instance.vcpus = in.count("vcpus");
  instance.memory = in.quantity<Bytes>("memory");
  instance.nic_bandwidth = in.quantity<BytesPerSecond>("nic_bandwidth");
  instance.gpu_link_bandwidth = in.quantity<BytesPerSecond>("gpu_link_bandwidth");
  instance.host_to_device_bandwidth = in.quantity<BytesPerSecond>("host_to_device_bandwidth");
  instance.local_storage = in.quantity<Bytes>("local_storage");
  instance.local_read_bandwidth = in.quantity<BytesPerSecond>("local_read_bandwidth");
  instance.local_write_bandwidth = in.quantity<BytesPerSecond>("local_write_bandwidth");
}

void read_record(RecordReader& in, TierRecord& tier) {
  tier.provider = in.word_or("provider", kProviders, "any");
  tier.scope = in.word("scope", {"shared", "per_node"});
  tier.client = in.word_or("client", {"nfs", "kernel", "fuse", "interception", "library", "block", "local"}, "library");
  tier.duplex = in.flag("duplex", true);
  tier.gds = in.flag("gds", false);
  tier.page_cache = in.flag("page_cache", false);
  tier.lazy_load = in.flag("lazy_load", false);
  tier.capacity_min = in.quantity<Bytes>("capacity_min");
  tier.capacity_max = in.quantity<Bytes>("capacity_max");
  tier.capacity_step = in.quantity<Bytes>("capacity_step");
  tier.capacity_unit = in.quantity<Bytes>("capacity_unit");
  tier.servers_min = in.count("servers_min");
  tier.servers_max = in.count("servers_max");
  tier.servers_default = in.count("servers_default");
  tier.laws = read_laws(in, "");
  for (const std::string& name : in.groups("bands")) {
    const std::string group = "bands/" + name + "/";
    tier.bands.push_back({in.required(group + "from", in.quantity<Bytes>(group + "from")),
                          in.quantity<Bytes>(group + "capacity_step"), read_laws(in, group)});
  }
  std::sort(tier.bands.begin(), tier.bands.end(),
            [](const SizeBand& a, const SizeBand& b) { return a.from.value < b.from.value; });
  tier.provisioned_bandwidth = read_provisioning<BytesPerSecond>(in, "provisioned_bandwidth");
  tier.provisioned_iops = read_provisioning<PerSecond>(in, "provisioned_iops");
  tier.bytes_per_io = in.quantity<Bytes>("bytes_per_io");
  tier.bytes_per_provisioned_io = in.quantity<Bytes>("bytes_per_provisioned_io");
  tier.burst_bandwidth = read_law<BytesPerSecond>(in, "", "burst_bandwidth");
  tier.burst_credit = in.quantity<Bytes>("burst_credit");
  tier.burst_credit_per_tib = in.quantity<Bytes>("burst_credit_per_tib");
  tier.server_cache_per_tib = in.quantity<Bytes>("server_cache_per_tib");
  tier.server_cache_bandwidth = read_law<BytesPerSecond>(in, "", "server_cache_bandwidth");
  tier.read_request_rate = in.quantity<PerSecond>("read_request_rate");
  tier.write_request_rate = in.quantity<PerSecond>("write_request_rate");
  tier.retry_base = in.quantity<Seconds>("retry_base");
  tier.retry_max = in.quantity<Seconds>("retry_max");
  tier.list_page_size = in.count("list_page_size");
  tier.list_latency = in.quantity<Seconds>("list_latency");
  tier.client_read_bandwidth = in.quantity<BytesPerSecond>("client_read_bandwidth");
  tier.gpudirect_read_bandwidth = in.quantity<BytesPerSecond>("gpudirect_read_bandwidth");
  tier.client_write_bandwidth = in.quantity<BytesPerSecond>("client_write_bandwidth");
  tier.stream_bandwidth = in.quantity<BytesPerSecond>("stream_bandwidth");
  tier.stream_write_bandwidth = in.quantity<BytesPerSecond>("stream_write_bandwidth");
  tier.device_read_bandwidth = in.quantity<BytesPerSecond>("device_read_bandwidth");
  tier.device_write_bandwidth = in.quantity<BytesPerSecond>("device_write_bandwidth");
  tier.stripe_bandwidth = in.quantity<BytesPerSecond>("stripe_bandwidth");
  tier.stripe_count = in.count("stripe_count");
  tier.upload_streams = in.count("upload_streams");
  tier.request_size = in.quantity<Bytes>("request_size");
  tier.sequential_request_size = in.quantity<Bytes>("sequential_request_size");
  tier.latency_mean = in.quantity<Seconds>("latency_mean");
  tier.latency_sigma = in.number("latency_sigma");
  tier.latency_p50 = in.quantity<Seconds>("latency_p50");
  tier.latency_p99 = in.quantity<Seconds>("latency_p99");
  tier.latency_held_fraction = in.number("latency_held_fraction");
  tier.request_time = in.quantity<Seconds>("request_time");
  tier.open_latency_mean = in.quantity<Seconds>("open_latency_mean");
  tier.staging_bandwidth = in.quantity<BytesPerSecond>("staging_bandwidth");
  tier.staging_files = in.quantity<PerSecond>("staging_files");
  tier.staging_small_file = in.quantity<Bytes>("staging_small_file");
  tier.durability = in.number("durability");
  tier.mttdl = in.quantity<Seconds>("mttdl");
  tier.mttdl_capacity = in.quantity<Bytes>("mttdl_capacity");
  tier.mttdl_per_server = in.quantity<Seconds>("mttdl_per_server");
  tier.server_capacity = in.quantity<Bytes>("server_capacity");
  tier.billing_granularity = in.quantity<Seconds>("billing_granularity");
  tier.billing_minimum = in.quantity<Seconds>("billing_minimum");
  tier.minimum_storage_time = in.quantity<Seconds>("minimum_storage_time");
  tier.examples = read_examples(in);
}

void read_record(RecordReader& in, WorkloadRecord& workload) {
  workload.layout = in.word("layout", {"file_per_sample", "shards", "records", "columnar"});
  workload.loader = in.text("loader");
  workload.format = in.text_or("format", "");
  workload.checkpointer = in.text_or("checkpointer", "");
  workload.real_job = in.text_or("real_job", "");
  workload.sample_size_shape = in.word("sample_size_shape", {"constant", "normal", "lognormal", "gamma"});
  workload.batch_size = in.required("batch_size", in.count("batch_size"));
  for (const std::string& gpu : in.members("step_time")) {
    if (const auto time = in.quantity<Seconds>("step_time/" + gpu)) workload.step_time.emplace(gpu, *time);
  }
  for (const std::string& gpu : in.members("samples_per_s")) {
    if (const auto rate = in.quantity<PerSecond>("samples_per_s/" + gpu)) workload.samples_per_s.emplace(gpu, *rate);
  }
  workload.flops_per_sample = in.quantity<Flops>("flops_per_sample");
  workload.mfu = in.number("mfu");
  workload.sample_size = in.required("sample_size", in.quantity<Bytes>("sample_size"));
  workload.sample_size_sd = in.quantity<Bytes>("sample_size_sd");
  workload.samples_per_shard = in.count("samples_per_shard");
  workload.tensor_size = in.quantity<Bytes>("tensor_size");
  workload.decode_time = in.quantity<Seconds>("decode_time");
  workload.gpu_decode_time = in.quantity<Seconds>("gpu_decode_time");
  workload.compression_ratio = in.number("compression_ratio");
  workload.samples = in.count("samples");
  workload.parameters = in.number("parameters");
  workload.model = read_model(in);
  workload.gradient_size = in.quantity<Bytes>("gradient_size");
  workload.target_utilization = in.number("target_utilization");
  workload.checkpoint_size = in.quantity<Bytes>("checkpoint_size");
}

void read_record(RecordReader& in, LoaderRecord& loader) {
  loader.style = in.word_or("style", {"map", "iterable", "threads"}, "");
  loader.worker_batch_cpu = read_batch_cost(in, "worker_batch_cpu");
  loader.consumer_batch_cpu = read_batch_cost(in, "consumer_batch_cpu");
  loader.inline_batch_cpu = read_batch_cost(in, "inline_batch_cpu");
  loader.pipe_time = read_batch_cost(in, "pipe_time");
  loader.next_ready = in.required("next_ready/curve", in.curve("next_ready/curve"));
  loader.next_ready_rate = in.quantity<BytesPerSecond>("next_ready/rate");
  loader.pin_bandwidth = in.quantity<BytesPerSecond>("pin_bandwidth");
  loader.preprocess_factor = in.number("preprocess_factor");
  loader.fork = read_start_costs(in, "fork");
  loader.spawn = read_start_costs(in, "spawn");
}

void read_record(RecordReader& in, FormatRecord& format) {
  format.decode_time = in.required("decode_time", in.quantity<Seconds>("decode_time"));
  format.decode_bandwidth = in.quantity<BytesPerSecond>("decode_bandwidth");
  format.augmentation_time = in.quantity<Seconds>("augmentation_time");
  format.decompress_bandwidth = in.quantity<BytesPerSecond>("decompress_bandwidth");
  format.gpu_decode_bandwidth = in.quantity<BytesPerSecond>("gpu_decode_bandwidth");
  format.host_decode_share = in.number("host_decode_share");
  format.host_decode_share_engine = in.number("host_decode_share_engine");
}

void read_record(RecordReader& in, CheckpointerRecord& checkpointer) {
  checkpointer.writers = in.word_or("writers", {"rank0", "all"}, "");
  checkpointer.local_write = in.word_or("local_write", {"direct", "page_cache", "synced"}, "direct");
  checkpointer.replica_saving = in.word_or("replica_saving", {"first", "parallel", "parallel_after_copy"}, "first");
  checkpointer.remote_write = in.word_or("remote_write", {"direct", "whole"}, "direct");
  checkpointer.serialize_bandwidth = in.quantity<BytesPerSecond>("serialize_bandwidth");
  checkpointer.load_bandwidth = in.quantity<BytesPerSecond>("load_bandwidth");
  checkpointer.load_bandwidth_of_eight = in.quantity<BytesPerSecond>("load_bandwidth_of_eight");
  checkpointer.object_load_bandwidth_of_eight = in.quantity<BytesPerSecond>("object_load_bandwidth_of_eight");
  checkpointer.memory_load_bandwidth = in.quantity<BytesPerSecond>("memory_load_bandwidth");
  checkpointer.memory_load_bandwidth_of_eight = in.quantity<BytesPerSecond>("memory_load_bandwidth_of_eight");
  checkpointer.plan_time_per_rank = in.quantity<Seconds>("plan_time_per_rank");
  checkpointer.gather_bandwidth = in.quantity<BytesPerSecond>("gather_bandwidth");
  checkpointer.file_time = in.quantity<Seconds>("file_time");
  checkpointer.writer_spread = in.number("writer_spread");
  checkpointer.commit_time = in.quantity<Seconds>("commit_time");
  checkpointer.streams = in.count("streams");
  checkpointer.read_streams = in.count("read_streams");
  checkpointer.object_streams = in.count("object_streams");
  checkpointer.staging_time = in.quantity<Seconds>("staging_time");
  checkpointer.staging_bandwidth = in.quantity<BytesPerSecond>("staging_bandwidth");
}

void read_record(RecordReader& in, CollectiveRecord& collective) {
  collective.barrier_time = in.required("barrier_time", in.quantity<Seconds>("barrier_time"));
}

}  // namespace stallcast
