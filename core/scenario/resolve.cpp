#include "core/scenario/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/catalogue/capacity_rule.h"
#include "core/diagnostics/invariant.h"
#include "core/scenario/check.h"
#include "core/scenario/field_table.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr const char* kDefaultLoader = "pytorch";
constexpr const char* kBarrierRecord = "step_barrier";

DatasetLayout layout_of(const std::string& word) {
  if (word == "shards") return DatasetLayout::kShards;
  if (word == "records") return DatasetLayout::kRecords;
  if (word == "columnar") return DatasetLayout::kColumnar;
  return DatasetLayout::kFilePerSample;
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

Distribution latency_with(double mean, const MaybeFact<double>& sigma) {
  if (mean <= 0.0 || !sigma || sigma->value <= 0.0) return Distribution::constant(mean);
  return Distribution::lognormal(mean, sigma->value);
}

class Resolver {
 public:
  Resolver(const ScenarioFile& file, const Catalogue& catalogue) : file_(file), catalogue_(catalogue) {
    out_.scenario = file.scenario;
  }

  Loaded<ResolvedScenario> run() {
    cluster();
    workload();
    tier();
    loader();
    barrier();
    note_origins();
    std::set<std::string> given = file_.given;
    given.insert(file_.overridden.begin(), file_.overridden.end());
    // Contradictions between values are worth telling only when the values are the right ones.
    if (!findings_.has_errors()) findings_.append(check_scenario(out_.scenario, given, file_.file));
    for (const Finding& finding : findings_.list()) {
      if (finding.severity == Severity::kWarning) out_.warnings.add(finding);
    }
    Loaded<ResolvedScenario> result;
    if (!findings_.has_errors()) result.value = std::move(out_);
    result.findings = std::move(findings_);
    return result;
  }

 private:
  bool given(const std::string& pointer) const {
    return file_.given.count(pointer) != 0 || file_.overridden.count(pointer) != 0;
  }
  std::string file_of(const std::string& pointer) const {
    return file_.overridden.count(pointer) != 0 ? "--set" : file_.file;
  }

  // Puts `value` in `member` unless the person gave one.
  template <class T>
  void fill(const std::string& pointer, T& member, const T& value, const Record& record, const Evidence& evidence) {
    if (given(pointer)) return;
    member = value;
    out_.provenance[pointer] = {Origin::kCatalogue, record.kind + "/" + record.name, evidence.source, evidence.kind,
                                evidence.note};
  }
  template <class T>
  void fill(const std::string& pointer, T& member, const MaybeFact<T>& fact, const Record& record) {
    if (fact) fill(pointer, member, fact->value, record, fact->evidence);
  }

  void error(std::string code, const std::string& pointer, std::string got, std::string allowed, std::string fix,
             std::string why) {
    findings_.add({Severity::kError, std::move(code), file_of(pointer), pointer, std::move(got), std::move(allowed),
                   std::move(fix), std::move(why)});
  }
  void warning(std::string code, const std::string& pointer, std::string got, std::string fix, std::string why) {
    findings_.add({Severity::kWarning, std::move(code), file_of(pointer), pointer, std::move(got), "", std::move(fix),
                   std::move(why)});
  }

  void cluster() {
    ClusterSpec& c = out_.scenario.cluster;
    if (c.instance.empty()) return;
    instance_ = find_record(catalogue_.instances, c.instance, "instance", file_of("/cluster/instance"),
                            "/cluster/instance", findings_);
    if (instance_ == nullptr) return;
    const InstanceRecord& r = *instance_;
    if (given("/cluster/gpus_per_node") && c.gpus_per_node > r.gpus.value) {
      warning("contradiction", "/cluster/gpus_per_node", fmt::format("{}", c.gpus_per_node), "",
              fmt::format("{} has {} GPUs", r.name, r.gpus.value));
    }
    fill("/cluster/gpus_per_node", c.gpus_per_node, r.gpus.value, r, r.gpus.evidence);
    fill("/cluster/cores_per_node", c.cores_per_node, static_cast<double>(r.physical_cores.value), r,
         r.physical_cores.evidence);
    fill("/cluster/memory_per_node", c.memory_per_node, r.memory, r);
    fill("/cluster/nic_bandwidth", c.nic_bandwidth, r.nic_bandwidth, r);
    fill("/cluster/host_to_device_bandwidth", c.host_to_device_bandwidth, r.host_to_device_bandwidth, r);
    fill("/cluster/gpu_link_bandwidth", c.gpu_link_bandwidth, r.gpu_link_bandwidth, r);
    fill("/cluster/local_storage_per_node", c.local_storage_per_node, r.local_storage, r);
    fill("/cluster/local_read_bandwidth", c.local_read_bandwidth, r.local_read_bandwidth, r);
    fill("/cluster/local_write_bandwidth", c.local_write_bandwidth, r.local_write_bandwidth, r);
    const auto gpu = catalogue_.gpus.find(r.gpu);
    if (gpu != catalogue_.gpus.end()) fill("/cluster/gpu_peak", c.gpu_peak, gpu->second.dense_bf16_peak, gpu->second);
  }

  void workload() {
    WorkloadSpec& w = out_.scenario.workload;
    DatasetSpec& d = out_.scenario.dataset;
    if (w.name.empty()) return;
    workload_ =
        find_record(catalogue_.workloads, w.name, "workload", file_of("/workload/name"), "/workload/name", findings_);
    if (workload_ == nullptr) return;
    const WorkloadRecord& r = *workload_;
    fill("/workload/batch_size", w.batch_size, r.batch_size.value, r, r.batch_size.evidence);
    const bool other_form = given("/workload/step_time_form") && w.step_time_form != StepTimeForm::kTime;
    if (!given("/workload/step_time") && !other_form) step_time(r);
    fill("/dataset/layout", d.layout, layout_of(r.layout), r, r.sample_size.evidence);
    fill("/dataset/sample_size", d.sample_size, sizes_of(r), r,
         r.sample_size_sd ? r.sample_size_sd->evidence : r.sample_size.evidence);
    fill("/dataset/samples_per_shard", d.samples_per_shard, r.samples_per_shard, r);
    fill("/dataset/tensor_size", d.tensor_size, r.tensor_size, r);
    if (r.decode_time) {
      fill("/dataset/decode_time", d.decode_time, Distribution::constant(r.decode_time->value.base()), r,
           r.decode_time->evidence);
    }
    CheckpointSpec& c = out_.scenario.checkpoint;
    if (c.mode != CheckpointMode::kNone) fill("/checkpoint/size", c.size, r.checkpoint_size, r);
  }

  void step_time(const WorkloadRecord& r) {
    std::vector<std::string> known;
    for (const auto& [gpu, time] : r.step_time) known.push_back(gpu);
    const std::string list = fmt::format("an instance with {}", fmt::join(known, " or "));
    if (instance_ == nullptr) {
      if (!out_.scenario.cluster.instance.empty()) return;  // the unknown instance is reported already
      error("missing_value", "/cluster/instance", "nothing", list, "or give /workload/step_time",
            "the step time depends on the GPU");
      return;
    }
    const auto time = r.step_time.find(instance_->gpu);
    if (time == r.step_time.end()) {
      error("no_step_time", "/workload/name", fmt::format("\"{}\" on {}", r.name, instance_->gpu), list,
            "or give /workload/step_time", "nobody has published its step time on this GPU here");
      return;
    }
    const Fact<Seconds>& fact = time->second;
    fill("/workload/step_time", out_.scenario.workload.step_time, Distribution::constant(fact.value.base()), r,
         fact.evidence);
    fill("/workload/step_time_form", out_.scenario.workload.step_time_form, StepTimeForm::kTime, r, fact.evidence);
  }

  // The capacity that sets the tier's rates, or nothing when it cannot be bought.
  bool settle_capacity(const TierRecord& r) {
    StorageSpec& s = out_.scenario.storage;
    if (!is_provisioned(r)) return true;
    const char* pointer = "/storage/capacity";
    const auto text = [](Bytes size) { return format_quantity(Dimension::kBytes, size.base()); };
    if (!given(pointer)) {
      if (!r.capacity_min) {
        error("missing_value", pointer, "nothing", "the capacity to provision", "",
              fmt::format("{}'s rates grow with it", r.name));
        return false;
      }
      fill(pointer, s.capacity, r.capacity_min, r);
      warning("assumed_capacity", pointer, "nothing",
              fmt::format("give the capacity to provision, like \"{}\"", text(s.capacity)),
              fmt::format("the smallest {} is assumed: {}", r.name, text(s.capacity)));
      return true;
    }
    if (is_valid_capacity(r, s.capacity)) return true;
    const std::vector<Bytes> near = nearest_capacities(r, s.capacity);
    std::string allowed = fmt::format("{} or more", text(r.capacity_min ? r.capacity_min->value : bytes(0)));
    if (r.capacity_max) allowed = fmt::format("{} to {}", text(r.capacity_min->value), text(r.capacity_max->value));
    if (r.capacity_step) allowed += fmt::format(" in steps of {}", text(r.capacity_step->value));
    std::string fix = fmt::format("did you mean \"{}\"", text(near.front()));
    if (near.size() > 1) fix += fmt::format(" or \"{}\"", text(near.back()));
    error("invalid_capacity", pointer, fmt::format("\"{}\"", text(s.capacity)), allowed, fix + "?",
          fmt::format("{} comes in these sizes", r.name));
    return false;
  }

  template <class Rate>
  void fill_rate(const std::string& pointer, Rate& member, const TierRecord& r, const MaybeFact<Rate>& fixed,
                 const MaybeFact<Rate>& per_tib) {
    const auto rate = rate_at_capacity(r, fixed, per_tib, out_.scenario.storage.capacity);
    if (rate) fill(pointer, member, *rate, r, fixed ? fixed->evidence : per_tib->evidence);
  }

  void tier() {
    StorageSpec& s = out_.scenario.storage;
    if (s.tier.empty()) return;
    const TierRecord* found =
        find_record(catalogue_.tiers, s.tier, "tier", file_of("/storage/tier"), "/storage/tier", findings_);
    if (found == nullptr) return;
    const TierRecord& r = *found;
    const Evidence itself = {"vendor", fmt::format("record {}", r.name), ""};
    fill("/storage/scope", s.scope, r.scope == "per_node" ? TierScope::kPerNode : TierScope::kShared, r, itself);
    fill("/storage/duplex", s.duplex, r.duplex, r, itself);
    if (!settle_capacity(r)) return;
    fill_rate("/storage/read_bandwidth", s.read_bandwidth, r, r.read_bandwidth, r.read_bandwidth_per_tib);
    fill_rate("/storage/write_bandwidth", s.write_bandwidth, r, r.write_bandwidth, r.write_bandwidth_per_tib);
    fill_rate("/storage/read_iops", s.read_iops, r, r.read_iops ? r.read_iops : r.read_request_rate,
              r.read_iops_per_tib);
    if (r.scope == "per_node") local_rates(r);
    fill("/storage/metadata_rate", s.metadata_rate, r.metadata_rate, r);
    fill("/storage/client_read_bandwidth", s.client_read_bandwidth, r.client_read_bandwidth, r);
    fill("/storage/client_write_bandwidth", s.client_write_bandwidth, r.client_write_bandwidth, r);
    fill("/storage/stream_bandwidth", s.stream_bandwidth, r.stream_bandwidth, r);
    DatasetSpec& d = out_.scenario.dataset;
    const bool in_sequence = d.layout == DatasetLayout::kShards || d.layout == DatasetLayout::kColumnar;
    fill("/dataset/request_size", d.request_size,
         in_sequence && r.sequential_request_size ? r.sequential_request_size : r.request_size, r);
    if (r.latency_mean) {
      fill("/storage/latency", s.latency, latency_with(r.latency_mean->value.base(), r.latency_sigma), r,
           r.latency_mean->evidence);
    }
    if (r.open_latency_mean) {
      fill("/storage/open_latency", s.open_latency, latency_with(r.open_latency_mean->value.base(), r.latency_sigma), r,
           r.open_latency_mean->evidence);
    }
  }

  // A tier in every node is the instance's own NVMe, unless the record or the person says otherwise.
  void local_rates(const TierRecord& r) {
    StorageSpec& s = out_.scenario.storage;
    const ClusterSpec& c = out_.scenario.cluster;
    if (!given("/storage/read_bandwidth") && !r.read_bandwidth && c.local_read_bandwidth.base() <= 0.0) {
      error("no_local_storage", "/storage/tier", fmt::format("\"{}\"", r.name), "an instance with local NVMe",
            "or give /cluster/local_read_bandwidth",
            c.instance.empty() ? "no instance is named"
                               : fmt::format("{} has none, or its rate is not known", c.instance));
      return;
    }
    const auto copy = [&](const std::string& to, auto& member, const auto& value, const std::string& from) {
      if (given(to) || value.base() <= 0.0) return;
      member = value;
      const auto origin = out_.provenance.find(from);
      out_.provenance[to] =
          origin != out_.provenance.end() ? origin->second : Provenance{origin_of(from), "", "", "", ""};
    };
    if (!r.read_bandwidth)
      copy("/storage/read_bandwidth", s.read_bandwidth, c.local_read_bandwidth, "/cluster/local_read_bandwidth");
    if (!r.write_bandwidth)
      copy("/storage/write_bandwidth", s.write_bandwidth, c.local_write_bandwidth, "/cluster/local_write_bandwidth");
    copy("/storage/capacity", s.capacity, c.local_storage_per_node, "/cluster/local_storage_per_node");
  }

  void loader() {
    const std::string name = workload_ != nullptr ? workload_->loader : kDefaultLoader;
    const auto found = catalogue_.loaders.find(name);
    if (found == catalogue_.loaders.end()) return;  // a catalogue without loader records: costs stay 0
    const LoaderRecord& r = found->second;
    const Scenario& s = out_.scenario;
    LoaderSpec& l = out_.scenario.loader;
    const auto samples = static_cast<double>(s.workload.batch_size);
    const double tensor =
        s.dataset.tensor_size.base() > 0.0 ? s.dataset.tensor_size.base() : mean_of(s.dataset.sample_size);
    const Bytes batch = bytes(samples * tensor);
    const auto fill_cost = [&](const char* pointer, Seconds& member, const BatchCost& cost) {
      fill(pointer, member, cost.at(samples, batch), r, cost.base.evidence);
    };
    fill_cost("/loader/worker_batch_cpu", l.worker_batch_cpu, r.worker_batch_cpu);
    fill_cost("/loader/consumer_batch_cpu", l.consumer_batch_cpu, r.consumer_batch_cpu);
    fill_cost("/loader/inline_batch_cpu", l.inline_batch_cpu, r.inline_batch_cpu);
    fill_cost("/loader/pipe_time", l.pipe_time, r.pipe_time);
    if (l.pin_memory) fill("/loader/pin_bandwidth", l.pin_bandwidth, r.pin_bandwidth, r);

    const Seconds for_bytes =
        r.next_ready_rate && r.next_ready_rate->value.base() > 0.0 ? batch / r.next_ready_rate->value : seconds(0);
    std::vector<CurvePoint> ready;
    for (const GapTime& point : r.next_ready.value) ready.push_back({point.gap, point.time + for_bytes});
    fill("/loader/next_ready", l.next_ready, ready, r, r.next_ready.evidence);

    const LoaderStartCosts& start = l.start_method == StartMethod::kSpawn ? r.spawn : r.fork;
    const auto fill_start = [&](const char* pointer, LinearCost& member, const Fact<WorkerCost>& fact) {
      fill(pointer, member, LinearCost{fact.value.base, fact.value.per_worker}, r, fact.evidence);
    };
    fill_start("/loader/start_call", l.start_call, start.start_call);
    fill_start("/loader/start_ready", l.start_ready, start.start_ready);
    fill_start("/loader/start_first", l.start_first, start.start_first);
    fill_start("/loader/shutdown", l.shutdown, start.shutdown);
    fill_start("/loader/reset", l.reset, start.reset);
  }

  void barrier() {
    if (out_.scenario.ranks() <= 1) return;
    const auto found = catalogue_.collectives.find(kBarrierRecord);
    if (found == catalogue_.collectives.end()) return;
    const CollectiveRecord& r = found->second;
    fill("/workload/barrier_time", out_.scenario.workload.barrier_time, r.barrier_time.value, r,
         r.barrier_time.evidence);
  }

  Origin origin_of(const std::string& pointer) const {
    if (file_.overridden.count(pointer) != 0) return Origin::kOverride;
    return file_.given.count(pointer) != 0 ? Origin::kFile : Origin::kDefault;
  }

  void note_origins() {
    for (const Field& field : field_table()) {
      out_.provenance.try_emplace(field.pointer, Provenance{origin_of(field.pointer), "", "", "", ""});
    }
  }

  const ScenarioFile& file_;
  const Catalogue& catalogue_;
  ResolvedScenario out_;
  Findings findings_;
  const InstanceRecord* instance_ = nullptr;
  const WorkloadRecord* workload_ = nullptr;
};

}  // namespace

Loaded<ResolvedScenario> resolve(const ScenarioFile& file, const Catalogue& catalogue) {
  return Resolver(file, catalogue).run();
}

}  // namespace stallcast
