#include "core/scenario/resolve/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "core/catalogue/match_record.h"
#include "core/catalogue/records/record.h"
#include "core/catalogue/records/records.h"
#include "core/scenario/check/check.h"
#include "core/scenario/data_path.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/resolve/assumed_value.h"
#include "core/scenario/resolve/concurrent_jobs.h"
#include "core/scenario/resolve/core_speed.h"
#include "core/scenario/resolve/gpu_decode.h"
#include "core/scenario/resolve/machine/host_price.h"
#include "core/scenario/resolve/machine/nic_efficiency.h"
#include "core/scenario/resolve/machine/usual_machine.h"
#include "core/scenario/resolve/record_names.h"
#include "core/scenario/resolve/resolve_checkpoint.h"
#include "core/scenario/resolve/resolve_context.h"
#include "core/scenario/resolve/resolve_serving.h"
#include "core/scenario/resolve/resolve_storage.h"
#include "core/scenario/scenario.h"
#include "core/units/distribution.h"
#include "core/units/quantity.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

constexpr const char* kDefaultLoader = "pytorch";
constexpr const char* kBarrierRecord = "step_barrier";
constexpr const char* kUncertainField = "/run/uncertain";

DatasetLayout layout_of(const std::string& word) {
  if (word == "shards") return DatasetLayout::kShards;
  if (word == "records") return DatasetLayout::kRecords;
  if (word == "columnar") return DatasetLayout::kColumnar;
  return DatasetLayout::kFilePerSample;
}

LoaderStyle style_of(const std::string& word) {
  if (word == "iterable") return LoaderStyle::kIterable;
  return word == "threads" ? LoaderStyle::kThreads : LoaderStyle::kMap;
}

// Sizes with the record's mean, deviation and shape.
Distribution sizes_of(const WorkloadRecord& workload) {
  const double mean = workload.sample_size.value.base();
  Distribution d = Distribution::constant(mean);
  const double sd = workload.sample_size_sd ? workload.sample_size_sd->value.base() : 0.0;
  if (sd <= 0.0 || mean <= 0.0) return d;
  const double variation = sd / mean;
  if (workload.sample_size_shape == "normal") {
    d.kind = DistributionKind::kNormal;
    d.sd = sd;
  } else if (workload.sample_size_shape == "gamma") {
    d.kind = DistributionKind::kGamma;
    d.shape = 1.0 / (variation * variation);
  } else if (workload.sample_size_shape == "lognormal") {
    d = Distribution::lognormal(mean, std::sqrt(std::log1p(variation * variation)));
  }
  return d;
}

// Evidence of the deviation, with the interval of the mean: a factor scales a distribution as a whole.
Evidence size_evidence(const WorkloadRecord& workload) {
  if (!workload.sample_size_sd) return workload.sample_size.evidence;
  Evidence out = workload.sample_size_sd->evidence;
  out.low_factor = workload.sample_size.evidence.low_factor;
  out.high_factor = workload.sample_size.evidence.high_factor;
  return out;
}

class Resolver {
 public:
  // `alone`: whether the job is simulated without others on its storage.
  Resolver(const ScenarioFile& file, const Catalogue& catalogue)
      : c_{.file = file, .catalogue = catalogue, .out = {}, .findings = {}, .intervals = {}} {
    c_.out.scenario = file.scenario;
    use_record_names(c_.out.scenario, file, catalogue, c_.findings);
    c_.out.catalogue = catalogue.identity;
  }

  Loaded<ResolvedScenario> run() {
    cluster();
    own_price();
    workload();
    format();
    loader_style();
    resolve_storage(c_);
    network();
    resolve_checkpoint(c_);
    loader();
    barrier();
    workers();
    resolve_serving(c_);
    recovery();
    uncertain_inputs();
    note_origins();
    std::set<std::string> given = c_.file.given;
    given.insert(c_.file.overridden.begin(), c_.file.overridden.end());
    // Contradictions between values are worth telling only when the values are the right ones.
    if (!c_.findings.has_errors()) c_.findings.append(check_scenario(c_.out.scenario, given, c_.file.file));
    for (const Finding& finding : c_.findings.list()) {
      if (finding.severity == Severity::kWarning) c_.out.warnings.add(finding);
    }
    Loaded<ResolvedScenario> result;
    if (!c_.findings.has_errors()) result.value = std::move(c_.out);
    result.findings = std::move(c_.findings);
    return result;
  }

 private:
  // Cores that run two threads each do more than half as many cores that run one: up to 1.3 times as much as with one.
  void cores(const InstanceRecord& r) {
    constexpr double kTwoThreads = 1.2, kLow = 1.0, kHigh = 1.35;
    const auto physical = static_cast<double>(r.physical_cores.value);
    const bool two = r.vcpus && r.vcpus->value > r.physical_cores.value;
    Evidence evidence = r.physical_cores.evidence;
    if (two) {
      evidence = evidence.with_ends(kTwoThreads, kLow, kHigh);
      evidence.note = fmt::format(
          "{} cores of two threads: {} times what one thread each does, {} to {} (Intel: up to "
          "1.3; video encoding 1.2 to 1.3)",
          physical, kTwoThreads, kLow, kHigh);
    }
    const double cores = std::round(10.0 * physical * (two ? kTwoThreads : 1.0)) / 10.0;
    c_.fill("/cluster/cores_per_node", c_.out.scenario.cluster.cores_per_node, cores, r, evidence);
  }

  void cluster() {
    ClusterSpec& c = c_.out.scenario.cluster;
    if (c.instance.empty()) return described_machine();
    c_.instance = find_record(c_.catalogue.instances, c.instance, "instance", c_.file_of("/cluster/instance"),
                              "/cluster/instance", c_.findings);
    if (c_.instance == nullptr) return;
    const InstanceRecord& r = *c_.instance;
    c_.out.records.instance = r;
    if (c_.given("/cluster/gpus_per_node") && c.gpus_per_node > r.gpus.value) {
      c_.warning("contradiction", "/cluster/gpus_per_node", fmt::format("{}", c.gpus_per_node), "",
                 fmt::format("{} has {} GPUs", r.name, r.gpus.value));
    }
    c_.fill("/cluster/gpus_per_node", c.gpus_per_node, r.gpus.value, r, r.gpus.evidence);
    cores(r);
    use_processor(c_);
    c_.fill("/cluster/memory_per_node", c.memory_per_node, r.memory, r);
    c_.fill("/cluster/nic_bandwidth", c.nic_bandwidth, r.nic_bandwidth, r);
    c_.fill("/cluster/host_to_device_bandwidth", c.host_to_device_bandwidth, r.host_to_device_bandwidth, r);
    c_.fill("/cluster/gpu_link_bandwidth", c.gpu_link_bandwidth, r.gpu_link_bandwidth, r);
    c_.fill("/cluster/local_storage_per_node", c.local_storage_per_node, r.local_storage, r);
    c_.fill("/cluster/local_read_bandwidth", c.local_read_bandwidth, r.local_read_bandwidth, r);
    c_.fill("/cluster/local_write_bandwidth", c.local_write_bandwidth, r.local_write_bandwidth, r);
    node_price(r);
    if (c_.given("/cluster/gpu") && c.gpu != r.gpu) {
      c_.error("contradiction", "/cluster/gpu", fmt::format("\"{}\"", c.gpu), r.gpu,
               "remove it, or name another instance", fmt::format("{} has {}", r.name, r.gpu));
    }
    c_.fill("/cluster/gpu", c.gpu, r.gpu, r, {"vendor", fmt::format("record {}", r.name), "", ""});
    const auto gpu = c_.catalogue.gpus.find(r.gpu);
    if (gpu != c_.catalogue.gpus.end()) use_gpu(gpu->second);
  }

  void use_gpu(const GpuRecord& gpu) {
    gpu_ = &gpu;
    c_.fill("/cluster/gpu_peak", c_.out.scenario.cluster.gpu_peak, gpu.dense_bf16_peak, gpu);
  }

  static constexpr double kLowestClock = 0.68;  // end of the interval of the lowest of models/instances

  // A machine that no record describes, by its GPU: the rest of it is as usual around that GPU.
  void described_machine() {
    ClusterSpec& c = c_.out.scenario.cluster;
    use_processor(c_);
    if (c.gpu.empty()) return;
    const GpuRecord* gpu =
        find_record(c_.catalogue.gpus, c.gpu, "gpu", c_.file_of("/cluster/gpu"), "/cluster/gpu", c_.findings);
    if (gpu == nullptr) return;
    use_gpu(*gpu);
    const UsualMachine usual = usual_machine(c_.catalogue, gpu->name, c.gpus_per_node);
    const auto use = [&](const char* pointer, auto& member, const auto& value, double most = 2.0) {
      if (value) c_.take(pointer, member, *value, usual.source, 0.5, most);
    };
    // A job on some of a machine's GPUs may have all of its card to itself.
    const double whole = usual.whole_nic ? *usual.whole_nic / *usual.nic_bandwidth : 1.0;
    use("/cluster/cores_per_node", c.cores_per_node, usual.cores);
    if (usual.all_core_clock && c.cpu.empty()) {
      const double clock = *usual.all_core_clock;
      c_.take("/cluster/all_core_clock", c.all_core_clock, clock, usual.source, kLowestClock / clock, 1.0 / clock);
    }
    use("/cluster/memory_per_node", c.memory_per_node, usual.memory);
    use("/cluster/nic_bandwidth", c.nic_bandwidth, usual.nic_bandwidth, std::max(2.0, whole));
    use("/cluster/host_to_device_bandwidth", c.host_to_device_bandwidth, usual.host_to_device_bandwidth);
    use("/cluster/gpu_link_bandwidth", c.gpu_link_bandwidth, usual.gpu_link_bandwidth);
  }

  // What a machine costs that is rented by the GPU, or owned. It goes before the price of the instance.
  void own_price() {
    CostSpec& cost = c_.out.scenario.cost;
    if (c_.given("/cost/node_price")) return;
    if (c_.given("/cost/gpu_hour_price") && cost.gpu_hour_price.base() > 0.0) {
      c_.copy("/cost/node_price", cost.node_price,
              UsdPerHour::from_base(cost.gpu_hour_price.base() *
                                    static_cast<double>(c_.out.scenario.cluster.gpus_per_node)),
              "/cost/gpu_hour_price");
    } else if (c_.given("/cost/purchase_price") && cost.purchase_price.base() > 0.0 && cost.lifetime.base() > 0.0) {
      c_.copy("/cost/node_price", cost.node_price, hour_of_owned(cost), "/cost/purchase_price");
    }
  }

  void node_price(const InstanceRecord& r) {
    CostSpec& cost = c_.out.scenario.cost;
    if (const Price* price = host_price(r, cost.pricing); price != nullptr) {
      double amount = 0.0;
      std::from_chars(price->amount.data(), price->amount.data() + price->amount.size(), amount);
      c_.fill("/cost/node_price", cost.node_price, UsdPerHour::from_base(amount), r, price->evidence);
    } else if (c_.given("/cost/pricing") && !c_.given("/cost/node_price")) {
      std::string has;
      for (const auto& entry : r.prices) has += (has.empty() ? "" : ", ") + entry.first;
      c_.warning("unknown_price", "/cost/pricing", fmt::format("\"{}\"", host_price_key(cost.pricing)),
                 "give /cost/node_price, like \"$32.77/h\"",
                 fmt::format("{} has {}; without a price the bill has no total", r.name,
                             has.empty() ? "no prices" : "only prices for " + has));
    }
  }

  void workload() {
    WorkloadSpec& w = c_.out.scenario.workload;
    DatasetSpec& d = c_.out.scenario.dataset;
    if (w.name.empty()) return;
    c_.workload = find_record(c_.catalogue.workloads, w.name, "workload", c_.file_of("/workload/name"),
                              "/workload/name", c_.findings);
    if (c_.workload == nullptr) return;
    const WorkloadRecord& r = *c_.workload;
    c_.fill("/workload/batch_size", w.batch_size, r.batch_size.value, r, r.batch_size.evidence);
    const bool other_form = c_.given("/workload/step_time_form") && w.step_time_form != StepTimeForm::kTime;
    if (!c_.given("/workload/step_time") && !other_form) step_time(r);
    c_.fill("/dataset/layout", d.layout, layout_of(r.layout), r, r.sample_size.evidence);
    c_.fill("/dataset/sample_size", d.sample_size, sizes_of(r), r, size_evidence(r));
    c_.fill("/dataset/samples_per_shard", d.samples_per_shard, r.samples_per_shard, r);
    c_.fill("/dataset/tensor_size", d.tensor_size, r.tensor_size, r);
    if (r.decode_time) {
      c_.fill("/dataset/decode_time", d.decode_time,
              Distribution::constant(r.decode_time->value.base() * size_factor(r)), r, r.decode_time->evidence);
      decoding_core_ = r.decode_time->evidence.core_speed;
    }
    c_.fill("/dataset/samples", d.samples, r.samples, r);
    c_.fill("/dataset/compression_ratio", d.compression_ratio, r.compression_ratio, r);
    c_.fill("/workload/gradient_bytes", w.gradient_bytes, r.gradient_size, r);
    LoaderSpec& l = c_.out.scenario.loader;
    if (r.gpu_decode_time && l.decode_on == DecodeDevice::kGpu) {
      c_.fill("/loader/gpu_decode_time", l.gpu_decode_time, Distribution::constant(r.gpu_decode_time->value.base()), r,
              r.gpu_decode_time->evidence);
    }
  }

  // What a sample of the size that the person gives takes to decode, over one of the workload's own.
  double size_factor(const WorkloadRecord& r) const {
    const auto format = c_.catalogue.formats.find(r.format);
    if (!c_.given("/dataset/sample_size") || format == c_.catalogue.formats.end()) return 1.0;
    const Bytes given = bytes(mean_of(c_.out.scenario.dataset.sample_size));
    return format->second.decode_time_of(given, true) / format->second.decode_time_of(r.sample_size.value, true);
  }

  // What a sample is stored as: as the person says, else as the workload's samples are. Null where neither is known.
  const FormatRecord* stored_format() const {
    const std::string& given = c_.out.scenario.dataset.format;
    const std::string name = !given.empty() ? given : c_.workload != nullptr ? c_.workload->format : "";
    const auto found = c_.catalogue.formats.find(name);
    return found != c_.catalogue.formats.end() ? &found->second : nullptr;
  }

  // What decoding takes, by what a sample is stored as. A format that the person names goes before the workload's time.
  void format() {
    const Scenario& s = c_.out.scenario;
    DatasetSpec& d = c_.out.scenario.dataset;
    if (d.format.empty()) {
      if (s.workload.name.empty() && s.job == JobKind::kTraining && s.loader.decode_on == DecodeDevice::kCpu &&
          mean_of(d.sample_size) > 0.0 && !c_.given("/dataset/decode_time")) {
        c_.warning(
            "missing_value", "/dataset/decode_time", "nothing",
            "name /dataset/format (jpeg, npz, hdf5, ...), or give the CPU time of a sample, \"0 s\" if it has none",
            "without them preparing a sample takes no CPU time");
      }
      return;
    }
    const FormatRecord* r = find_record(c_.catalogue.formats, d.format, "format", c_.file_of("/dataset/format"),
                                        "/dataset/format", c_.findings);
    if (r == nullptr) return;
    const Bytes sample = bytes(mean_of(d.sample_size));
    const bool augmented = d.augmentation == Augmentation::kUsual;
    c_.fill("/dataset/decode_time", d.decode_time, Distribution::constant(r->decode_time_of(sample, augmented).base()),
            *r, r->evidence_of(sample, augmented));
    decoding_core_ = r->decode_time.evidence.core_speed;
    if (d.compression_ratio > 1.0) decompressing(*r);
  }

  void decompressing(const FormatRecord& r) {
    DatasetSpec& d = c_.out.scenario.dataset;
    c_.fill("/dataset/decompress_bandwidth", d.decompress_bandwidth, r.decompress_bandwidth, r);
    if (r.decompress_bandwidth) decompressing_core_ = r.decompress_bandwidth->evidence.core_speed;
  }

  // The published time or rate on this GPU, else FLOPs over what the GPU reaches of its peak.
  void step_time(const WorkloadRecord& r) {
    WorkloadSpec& w = c_.out.scenario.workload;
    const auto form = [&](StepTimeForm value, const Evidence& evidence) {
      c_.fill("/workload/step_time_form", w.step_time_form, value, r, evidence);
    };
    const std::string gpu = gpu_ != nullptr ? gpu_->name : "";
    if (const auto time = r.step_time.find(gpu); time != r.step_time.end()) {
      c_.fill("/workload/step_time", w.step_time, Distribution::constant(time->second.value.base()), r,
              time->second.evidence);
      return form(StepTimeForm::kTime, time->second.evidence);
    }
    if (const auto rate = r.samples_per_s.find(gpu); rate != r.samples_per_s.end()) {
      c_.fill("/workload/samples_per_s_per_gpu", w.samples_per_s_per_gpu, rate->second.value, r, rate->second.evidence);
      return form(StepTimeForm::kSamplesPerSecond, rate->second.evidence);
    }
    if (r.flops_per_sample && c_.out.scenario.cluster.gpu_peak.base() > 0.0) {
      c_.fill("/workload/flops_per_sample", w.flops_per_sample, r.flops_per_sample, r);
      c_.fill("/workload/mfu", w.mfu, r.mfu, r);
      return form(StepTimeForm::kFlops, r.flops_per_sample->evidence);
    }
    std::vector<std::string> known;
    for (const auto& [name, time] : r.step_time) known.push_back(name);
    for (const auto& [name, rate] : r.samples_per_s) known.push_back(name);
    const std::string list = fmt::format("an instance with one of {}", name_list(gpu, known));
    if (gpu.empty()) {
      const ClusterSpec& cluster = c_.out.scenario.cluster;
      if (!cluster.instance.empty() || !cluster.gpu.empty()) return;  // the unknown name is reported already
      c_.error("missing_value", "/cluster/instance", "nothing", list, "or give /cluster/gpu, or /workload/step_time",
               "the step time depends on the GPU");
      return;
    }
    if (scaled_rate(r, gpu)) return;
    c_.error("no_step_time", "/workload/name", fmt::format("\"{}\" on {}", r.name, gpu), list,
             "or give /workload/step_time", "nobody has published its step time on this GPU here");
  }

  // The published rate on the GPU that is most like it, times the ratio of their peaks. False where there is none.
  // **Source** where this catalogue has a workload on two GPUs (78 pairs), the faster one reaches 0.5 to 1.7 times what
  // the ratio of the peaks says of it, in nine pairs of ten.
  bool scaled_rate(const WorkloadRecord& r, const std::string& gpu) {
    constexpr double kUpLow = 0.5, kUpHigh = 1.7;
    if (gpu_ == nullptr || !gpu_->dense_bf16_peak) return false;
    const double peak = gpu_->dense_bf16_peak->value.base();
    const auto ratio = [&](const std::string& other) {
      const auto found = c_.catalogue.gpus.find(other);
      return found == c_.catalogue.gpus.end() || !found->second.dense_bf16_peak
                 ? 0.0
                 : peak / found->second.dense_bf16_peak->value.base();
    };
    std::map<std::string, double> rates;
    for (const auto& [name, rate] : r.samples_per_s) rates[name] = rate.value.base();
    for (const auto& [name, time] : r.step_time)
      rates[name] = static_cast<double>(r.batch_size.value) / time.value.base();
    std::string best;
    const auto distance = [&](const std::string& name) { return std::abs(std::log(ratio(name))); };
    for (const auto& [name, rate] : rates)
      if (ratio(name) > 0.0 && (best.empty() || distance(name) < distance(best))) best = name;
    if (best.empty()) return false;
    WorkloadSpec& w = c_.out.scenario.workload;
    const bool up = ratio(best) >= 1.0;
    const std::string source = fmt::format(
        "{} on {}, times the ratio of the dense peaks: nobody has published it on {} here", r.title, best, gpu);
    c_.take("/workload/samples_per_s_per_gpu", w.samples_per_s_per_gpu, PerSecond::from_base(rates[best] * ratio(best)),
            source, up ? kUpLow : 1.0 / kUpHigh, up ? kUpHigh : 1.0 / kUpLow);
    if (!c_.given("/workload/step_time_form")) w.step_time_form = StepTimeForm::kSamplesPerSecond;
    c_.warning("assumed_rate", "/workload/name", fmt::format("\"{}\" on {}", r.name, gpu),
               fmt::format("{} samples/s per GPU is taken; give /workload/step_time if you know it",
                           format_number(rounded(rates[best] * ratio(best)))),
               fmt::format("no source states it: the rate on {} times the ratio of the peaks", best));
    return true;
  }

  // Which loader it is; before the storage, whose page cache has what the loader leaves of the memory.
  void loader_style() {
    LoaderSpec& l = c_.out.scenario.loader;
    if (l.framework.empty() && c_.workload != nullptr) {
      c_.fill("/loader/framework", l.framework, c_.workload->loader, *c_.workload, {"vendor", "", "", ""});
    }
    const std::string name = l.framework.empty() ? kDefaultLoader : l.framework;
    const auto found = c_.catalogue.loaders.find(name);
    if (found == c_.catalogue.loaders.end()) {
      // A catalogue without loader records: costs stay 0.
      if (c_.given("/loader/framework")) {
        find_record(c_.catalogue.loaders, name, "loader", c_.file_of("/loader/framework"), "/loader/framework",
                    c_.findings);
      }
      return;
    }
    loader_ = &found->second;
    if (!loader_->style.empty())
      c_.fill("/loader/style", l.style, style_of(loader_->style), *loader_, {"vendor", "", "", ""});
  }

  void loader() {
    check_gpudirect();
    resolve_gpu_decode(c_, stored_format(), gpu_ != nullptr && gpu_->jpeg_engine);
    if (loader_ == nullptr) return;
    const LoaderRecord& r = *loader_;
    const Scenario& s = c_.out.scenario;
    LoaderSpec& l = c_.out.scenario.loader;
    const auto samples = static_cast<double>(s.workload.batch_size);
    const Bytes batch = bytes(bypasses_host(s) ? 0.0 : samples * handed_over_bytes(s));
    const double index =
        static_cast<double>(s.dataset.samples) / static_cast<double>(std::max<std::int64_t>(1, s.ranks()));
    const auto fill_cost = [&](const char* pointer, Seconds& member, const BatchCost& there) {
      const BatchCost cost = there.on_core(s.cluster.core_speed);
      c_.fill(pointer, member, cost.at(samples, batch, index), r, cost.evidence_at(samples, batch, index));
    };
    preprocess(r);
    on_these_cores();
    fill_cost("/loader/worker_batch_cpu", l.worker_batch_cpu, r.worker_batch_cpu);
    fill_cost("/loader/consumer_batch_cpu", l.consumer_batch_cpu, r.consumer_batch_cpu);
    fill_cost("/loader/inline_batch_cpu", l.inline_batch_cpu, r.inline_batch_cpu);
    fill_cost("/loader/pipe_time", l.pipe_time, r.pipe_time);
    if (l.pin_memory) c_.fill("/loader/pin_bandwidth", l.pin_bandwidth, r.pin_bandwidth, r);

    const Seconds for_bytes =
        r.next_ready_rate && r.next_ready_rate->value.base() > 0.0 ? batch / r.next_ready_rate->value : seconds(0);
    std::vector<CurvePoint> ready;
    for (const GapTime& point : r.next_ready.value) ready.push_back({point.gap, point.time + for_bytes});
    c_.fill("/loader/next_ready", l.next_ready, ready, r, next_ready_evidence(r, batch));

    const LoaderStartCosts& start = l.start_method == StartMethod::kSpawn ? r.spawn : r.fork;
    const auto fill_start = [&](const char* pointer, LinearCost& member, const Fact<WorkerCost>& fact) {
      c_.fill(pointer, member, LinearCost{fact.value.base, fact.value.per_worker}, r, fact.evidence);
    };
    fill_start("/loader/start_call", l.start_call, start.start_call);
    fill_start("/loader/start_ready", l.start_ready, start.start_ready);
    fill_start("/loader/start_first", l.start_first, start.start_first);
    fill_start("/loader/shutdown", l.shutdown, start.shutdown);
    fill_start("/loader/reset", l.reset, start.reset);
    if (l.style == LoaderStyle::kThreads || !start.start_cpu) return;
    c_.fill("/loader/start_cpu", l.start_cpu, start.start_cpu, r);
    l.start_cpu = l.start_cpu * core_factor(c_, "/loader/start_cpu", start.start_cpu->evidence.core_speed);
  }

  // Where the rate has an interval of its own, that of the whole: the curve's last time, and the batch's bytes.
  static Evidence next_ready_evidence(const LoaderRecord& r, Bytes batch) {
    const Evidence& curve = r.next_ready.evidence;
    if (!r.next_ready_rate || !r.next_ready_rate->evidence.states_interval() || r.next_ready.value.empty())
      return curve;
    const double base = r.next_ready.value.back().time.base();
    const auto bytes_at = [&](IntervalEnd end) { return (batch / r.next_ready_rate->at(end)).base(); };
    return curve.with_ends(base + bytes_at(nullptr), kElsewhereLow * base + bytes_at(&Evidence::high_factor),
                           kElsewhereHigh * base + bytes_at(&Evidence::low_factor));
  }

  // A tier of the catalogue that cannot: name those that can.
  void check_gpudirect() {
    const Scenario& s = c_.out.scenario;
    if (!s.loader.gpudirect || s.storage.gpudirect || s.storage.tier.empty() || c_.findings.has_errors()) return;
    std::vector<std::string> able;
    for (const auto& [name, tier] : c_.catalogue.tiers) {
      if (tier.gds) able.push_back(name);
    }
    c_.error("contradiction", "/loader/gpudirect", "true",
             fmt::format("a tier out of {}", name_list(s.storage.tier, able, "stallcast catalogue list tier")),
             "set it to false",
             fmt::format("the client of {} cannot move data to GPU memory by itself", s.storage.tier));
  }

  void barrier() {
    if (c_.out.scenario.ranks() <= 1) return;
    const auto found = c_.catalogue.collectives.find(kBarrierRecord);
    if (found == c_.catalogue.collectives.end()) return;
    const CollectiveRecord& r = found->second;
    c_.fill("/workload/barrier_time", c_.out.scenario.workload.barrier_time, r.barrier_time.value, r,
            r.barrier_time.evidence);
  }

  // What the client of the storage reaches of the network card.
  void network() {
    ClusterSpec& cluster = c_.out.scenario.cluster;
    if (cluster.nic_bandwidth.base() <= 0.0) return;
    const std::string client = c_.out.records.storage ? c_.out.records.storage->client : "";
    const NicEfficiency e = nic_efficiency(client, cluster.nic_bandwidth);
    c_.take("/cluster/nic_efficiency", cluster.nic_efficiency, e.value, e.source, e.low / e.value, e.high / e.value);
  }

  // Every training script sets the workers, and few people mention how many.
  void workers() {
    Scenario& s = c_.out.scenario;
    if (s.job == JobKind::kServing || s.loader.num_workers <= 0) return;
    c_.take("/loader/num_workers", s.loader.num_workers, s.loader.num_workers,
            "defaults of training scripts: 4 (PyTorch's ImageNet example, timm), 10 (DeiT, MAE), 16 (torchvision)", 0.5,
            4.0);
  }

  // What a failure takes besides the steps that are done again: never nothing.
  void recovery() {
    FailureSpec& f = c_.out.scenario.failures;
    if (f.mtti.base() <= 0.0 && f.per_1000_node_days <= 0.0) return;
    c_.take(
        "/failures/detection_time", f.detection_time, seconds(600),
        "torch.distributed: NCCL operations time out after 10 minutes by default; Jiang et al., MegaScale, NSDI 2024: "
        "faults are found and diagnosed in less than 10 minutes",
        0.1, 3.0);
    c_.take(
        "/failures/restart_time", f.restart_time, seconds(300),
        "Kokolis et al., HPCA 2025, arXiv 2410.21680: 5 minutes to start again; Jiang et al., MegaScale, NSDI 2024: "
        "training again within 15 minutes of a crash; Lambda and OLMo: 39 minutes in the mean where people restart",
        0.4, 8.0);
  }

  // What the catalogue says of decoding is Python's; a loader of its own code takes a part of it. It leaves arrays,
  // which nobody transforms as images and sounds are, to the same libraries.
  void preprocess(const LoaderRecord& r) {
    constexpr const char* kPointer = "/dataset/decode_time";
    const FormatRecord* stored = stored_format();
    if (stored != nullptr && !stored->augmentation_time) return;
    const auto from = c_.out.provenance.find(kPointer);
    if (!r.preprocess_factor || from == c_.out.provenance.end() || from->second.origin != Origin::kCatalogue) return;
    const Fact<double>& factor = *r.preprocess_factor;
    Distribution& time = c_.out.scenario.dataset.decode_time;
    time = Distribution::constant(factor.value * mean_of(time));
    Provenance& p = from->second;
    p.note = fmt::format("{}; times {:.3g} with {}: {}", p.note, factor.value, r.name, factor.evidence.note);
    p.low_factor *= factor.evidence.low_factor;
    p.high_factor *= factor.evidence.high_factor;
  }

  // Decoding and decompressing as the cores of this machine do.
  void on_these_cores() {
    DatasetSpec& d = c_.out.scenario.dataset;
    const double decode = core_factor(c_, "/dataset/decode_time", decoding_core_);
    if (decode != 1.0) d.decode_time = Distribution::constant(decode * mean_of(d.decode_time));
    const double decompress = core_factor(c_, "/dataset/decompress_bandwidth", decompressing_core_);
    d.decompress_bandwidth = d.decompress_bandwidth / decompress;
  }

  // Intervals that were measured here, which overlays hold, go to run.uncertain, unless the person gave it, in the
  // order of the field table.
  void uncertain_inputs() {
    if (c_.given(kUncertainField)) return;
    for (const Field& field : field_table()) {
      const auto interval = c_.intervals.find(field.pointer);
      if (interval == c_.intervals.end() || !can_be_uncertain(field.pointer)) continue;
      const Evidence& evidence = interval->second;
      if (evidence.kind != kMeasuredHere) continue;  // assumed_values() has those
      const auto text = measured_interval_text(field.pointer, evidence.low_factor, evidence.high_factor);
      if (!text) continue;
      c_.out.scenario.run.uncertain.push_back(*text);
      // The first one's: provenance is of a field as a whole.
      c_.out.provenance.emplace(kUncertainField, c_.out.provenance.at(field.pointer));
    }
  }

  void note_origins() {
    for (const Field& field : field_table()) {
      c_.out.provenance.try_emplace(field.pointer, Provenance{c_.origin_of(field.pointer), "", "", "", ""});
    }
  }

  ResolveContext c_;
  const GpuRecord* gpu_ = nullptr;
  const LoaderRecord* loader_ = nullptr;
  // core_speed of the facts that say what decoding and decompressing take; 0 = not stated
  double decoding_core_ = 0.0, decompressing_core_ = 0.0;
};

}  // namespace

Loaded<ResolvedScenario> resolve(const ScenarioFile& file, const Catalogue& catalogue) {
  Loaded<ResolvedScenario> first = Resolver(file, catalogue).run();
  if (file.concurrent_jobs.empty()) return first;
  Findings findings = first.findings;
  if (first.value) findings.append(check_shared_storage(file, first.value->scenario));
  for (const ScenarioFile& other : file.concurrent_jobs) {
    if (first.value) findings.append(check_same_storage(other, file, first.value->scenario));
    const ScenarioFile job = on_storage_of(file, other);
    Loaded<ResolvedScenario> resolved = Resolver(job, catalogue).run();
    for (const Finding& finding : resolved.findings.list())
      if (!told_already(finding, first.findings)) findings.add(finding);
    if (first.value && resolved.value) first.value->concurrent_jobs.push_back(std::move(*resolved.value));
  }
  if (findings.has_errors()) first.value.reset();
  first.findings = std::move(findings);
  return first;
}

}  // namespace stallcast
