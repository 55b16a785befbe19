#include "core/scenario/resolve/resolve_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/catalogue/capacity_rule.h"
#include "core/catalogue/match_record.h"
#include "core/catalogue/unit_price.h"
#include "core/scenario/data_path.h"
#include "core/scenario/host_memory.h"
#include "core/scenario/resolve/machine/usual_storage.h"
#include "core/scenario/run_length.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

constexpr double kP99 = 2.3263478740408408;  // 99th percentile of the standard normal distribution

constexpr const char* kPageCacheRecord = "host_page_cache";
constexpr const char* kNodeCacheRecord = "local_nvme";

std::string text_of(Bytes size) { return format_quantity(Dimension::kBytes, size.base()); }

Distribution latency_with(double mean, double sigma) {
  return mean > 0.0 && sigma > 0.0 ? Distribution::lognormal(mean, sigma) : Distribution::constant(mean);
}

struct Latency {
  Distribution distribution;
  double sigma = 0.0;
  Evidence evidence;
};

// The record's first-byte latency. **Model** lognormal; sigma = ln(p99 / p50) / 2.326, mean = p50 * exp(sigma^2 / 2).
std::optional<Latency> latency_of(const TierRecord& r) {
  double sigma = r.latency_sigma ? r.latency_sigma->value : 0.0;
  if (r.latency_p50) {
    const double p50 = r.latency_p50->value.base();
    if (r.latency_p99 && p50 > 0.0) sigma = std::log(std::max(1.0, r.latency_p99->value.base() / p50)) / kP99;
    return Latency{latency_with(p50 * std::exp(sigma * sigma / 2.0), sigma), sigma, r.latency_p50->evidence};
  }
  if (r.latency_mean)
    return Latency{latency_with(r.latency_mean->value.base(), sigma), sigma, r.latency_mean->evidence};
  return std::nullopt;
}

// One storage system of the scenario: `group` is "/storage" or "/origin".
class TierResolver {
 public:
  TierResolver(ResolveContext& context, std::string group, StorageSpec& spec)
      : c_(context), group_(std::move(group)), spec_(spec) {}

  // The record that the tier comes from, or null.
  const TierRecord* run() {
    if (spec_.tier.empty()) return nullptr;
    const TierRecord* found =
        find_record(c_.catalogue.tiers, spec_.tier, "tier", c_.file_of(at("tier")), at("tier"), c_.findings);
    if (found == nullptr) return nullptr;
    const TierRecord& r = *found;
    const Evidence itself = {"vendor", fmt::format("record {}", r.name), "", ""};
    c_.fill(at("scope"), spec_.scope, r.scope == "per_node" ? TierScope::kPerNode : TierScope::kShared, r, itself);
    c_.fill(at("duplex"), spec_.duplex, r.duplex, r, itself);
    c_.fill(at("gpudirect"), spec_.gpudirect, r.gds, r, itself);
    c_.fill(at("page_cache"), spec_.page_cache, r.page_cache, r, itself);
    if (!settle_capacity(r) || !settle_servers(r) || !settle_provisioning(r)) return found;
    rates(r);
    if (r.scope == "per_node") local_rates(r);
    const bool asked = c_.out.scenario.loader.gpudirect || c_.out.scenario.job == JobKind::kServing;
    const bool direct = asked && spec_.gpudirect && r.gpudirect_read_bandwidth;
    c_.fill(at("client_read_bandwidth"), spec_.client_read_bandwidth,
            direct ? r.gpudirect_read_bandwidth : r.client_read_bandwidth, r);
    c_.fill(at("client_write_bandwidth"), spec_.client_write_bandwidth, r.client_write_bandwidth, r);
    stream(r);
    c_.fill(at("retry_base"), spec_.retry_base, r.retry_base, r);
    c_.fill(at("retry_max"), spec_.retry_max, r.retry_max, r);
    c_.fill(at("list_page_size"), spec_.list_page_size, r.list_page_size, r);
    c_.fill(at("list_latency"), spec_.list_latency, r.list_latency, r);
    const auto latency = latency_of(r);
    if (latency) c_.fill(at("latency"), spec_.latency, latency->distribution, r, latency->evidence);
    c_.fill(at("latency_held_fraction"), spec_.latency_held_fraction, r.latency_held_fraction, r);
    c_.fill(at("request_time"), spec_.request_time, r.request_time, r);
    if (r.open_latency_mean) {
      c_.fill(at("open_latency"), spec_.open_latency,
              latency_with(r.open_latency_mean->value.base(), latency ? latency->sigma : 0.0), r,
              r.open_latency_mean->evidence);
    }
    return found;
  }

 private:
  std::string at(const char* name) const { return fmt::format("{}/{}", group_, name); }

  TierSize size() const { return {spec_.capacity, spec_.servers, spec_.provisioned_bandwidth, spec_.provisioned_iops}; }

  // The capacity that sets the tier's rates. False when it cannot be bought.
  bool settle_capacity(const TierRecord& r) {
    if (!is_provisioned(r)) return true;
    const std::string pointer = at("capacity");
    if (!c_.given(pointer)) {
      if (!r.capacity_min) {
        c_.error("missing_value", pointer, "nothing", "the capacity to provision", "",
                 fmt::format("{}'s rates grow with it", r.name));
        return false;
      }
      c_.fill(pointer, spec_.capacity, r.capacity_min, r);
      c_.warning("assumed_capacity", pointer, "nothing",
                 fmt::format("give the capacity to provision, like \"{}\"", text_of(spec_.capacity)),
                 fmt::format("the smallest {} is assumed: {}", r.name, text_of(spec_.capacity)));
      return true;
    }
    if (is_valid_capacity(r, spec_.capacity)) return true;
    const std::vector<Bytes> near = nearest_capacities(r, spec_.capacity);
    std::string allowed = fmt::format("{} or more", text_of(r.capacity_min ? r.capacity_min->value : bytes(0)));
    if (r.capacity_max && r.capacity_min) {
      allowed = fmt::format("{} to {}", text_of(r.capacity_min->value), text_of(r.capacity_max->value));
    }
    if (r.capacity_step) allowed += fmt::format(" in steps of {}", text_of(r.capacity_step->value));
    const auto priced = [&r](Bytes size) {
      const std::string price = hourly_price_text(r, size);
      return fmt::format("\"{}\"{}", text_of(size), price.empty() ? "" : fmt::format(" ({})", price));
    };
    std::string fix = "did you mean " + priced(near.front());
    if (near.size() > 1) fix += " or " + priced(near.back());
    c_.error("invalid_capacity", pointer, fmt::format("\"{}\"", text_of(spec_.capacity)), allowed, fix + "?",
             fmt::format("{} comes in these sizes", r.name));
    return false;
  }

  bool settle_servers(const TierRecord& r) {
    const std::string pointer = at("servers");
    if (!r.laws.read_bandwidth.per_server && !r.servers_min) return true;
    if (!c_.given(pointer)) {
      const MaybeFact<std::int64_t>& standard = r.servers_default ? r.servers_default : r.servers_min;
      c_.fill(pointer, spec_.servers, standard, r);
      c_.warning("assumed_servers", pointer, "nothing", "give the number of storage servers",
                 fmt::format("{}'s rates grow with it; {} assumed", r.name, spec_.servers));
      return true;
    }
    const std::int64_t min = r.servers_min ? r.servers_min->value : 1;
    const std::int64_t max = r.servers_max ? r.servers_max->value : std::numeric_limits<std::int64_t>::max();
    if (spec_.servers >= min && spec_.servers <= max) return true;
    c_.error("out_of_range", pointer, fmt::format("{}", spec_.servers),
             r.servers_max ? fmt::format("{} to {}", min, max) : fmt::format("{} or more", min),
             fmt::format("did you mean {}?", std::clamp(spec_.servers, min, max)), r.title);
    return false;
  }

  template <class Rate>
  bool within(const char* name, Rate value, const ProvisionedRange<Rate>& range, const Provisioning<Rate>& sold,
              Dimension dimension, const TierRecord& r) {
    const std::string pointer = at(name);
    const auto text = [&](double rate) { return format_quantity(dimension, rate); };
    if (!c_.given(pointer)) return true;
    if (!sold.stated()) {
      c_.error(
          "not_sold", pointer, fmt::format("\"{}\"", text(value.base())), "nothing", "remove it",
          fmt::format("{} sells no {} in addition to its capacity", r.name, name + std::string("provisioned_").size()));
      return false;
    }
    const double low = std::max(range.min.base(), 0.0);
    const double high = range.max.base();
    constexpr double kSlack = 1e-9;
    if (value.base() >= low * (1.0 - kSlack) && value.base() <= high * (1.0 + kSlack)) return true;
    c_.error(
        "out_of_range", pointer, fmt::format("\"{}\"", text(value.base())),
        std::isfinite(high) ? fmt::format("{} to {}", text(low), text(high)) : fmt::format("{} or more", text(low)),
        fmt::format("did you mean \"{}\"?", text(std::clamp(value.base(), low, high))),
        fmt::format("{} at {}", r.name, text_of(spec_.capacity)));
    return false;
  }

  bool settle_provisioning(const TierRecord& r) {
    const bool bandwidth =
        within("provisioned_bandwidth", spec_.provisioned_bandwidth, provisioned_bandwidth_range(r, spec_.capacity),
               r.provisioned_bandwidth, Dimension::kByteRate, r);
    const bool iops = within("provisioned_iops", spec_.provisioned_iops, provisioned_iops_range(r, spec_.capacity),
                             r.provisioned_iops, Dimension::kRate, r);
    return bandwidth && iops;
  }

  template <class Rate>
  void fill_rate(const char* name, Rate& member, const MaybeRate<Rate>& rate, const TierRecord& r) {
    if (rate) c_.fill(at(name), member, rate->value, r, rate->evidence);
  }

  void rates(const TierRecord& r) {
    const TierRates rates = rates_at(r, size());
    fill_rate("read_bandwidth", spec_.read_bandwidth, rates.read_bandwidth, r);
    fill_rate("write_bandwidth", spec_.write_bandwidth, rates.write_bandwidth, r);
    fill_rate("burst_bandwidth", spec_.burst_bandwidth, rates.burst_bandwidth, r);
    fill_rate("burst_credit", spec_.burst_credit, rates.burst_credit, r);
    c_.fill(at("read_iops"), spec_.read_iops, r.read_request_rate, r);
    c_.fill(at("write_iops"), spec_.write_iops, r.write_request_rate, r);
    fill_rate("read_iops", spec_.read_iops, rates.read_iops, r);
    fill_rate("write_iops", spec_.write_iops, rates.write_iops, r);
    fill_rate("metadata_rate", spec_.metadata_rate, rates.metadata_rate, r);
    if (rates.mttdl && group_ == "/storage" && may_lose_data(rates.mttdl->value))
      fill_rate("mean_time_to_data_loss", spec_.mean_time_to_data_loss, rates.mttdl, r);
  }

  // Whether the run is long enough for a loss to matter: otherwise it is one of the many that see none.
  bool may_lose_data(Seconds mttdl) const {
    constexpr double kLeastChance = 1e-3;
    return run_compute_s(c_.out.scenario) >= kLeastChance * mttdl.base();
  }

  // One request stream: what the client reaches on it, and the targets that its file is striped over.
  void stream(const TierRecord& r) {
    c_.fill(at("stream_bandwidth"), spec_.stream_bandwidth, r.stream_bandwidth, r);
    c_.fill(at("stream_write_bandwidth"), spec_.stream_write_bandwidth, r.stream_write_bandwidth, r);
    if (!r.stripe_bandwidth) return;
    const double striped =
        r.stripe_bandwidth->value.base() * static_cast<double>(r.stripe_count ? r.stripe_count->value : 1);
    if (!r.stream_bandwidth || striped < r.stream_bandwidth->value.base()) {
      c_.fill(at("stream_bandwidth"), spec_.stream_bandwidth, bytes_per_second(striped), r,
              r.stripe_bandwidth->evidence);
    }
  }

  // A tier in every node is the instance's own NVMe, unless the record or the person says otherwise.
  void local_rates(const TierRecord& r) {
    const ClusterSpec& c = c_.out.scenario.cluster;
    const bool states_rate = r.laws.read_bandwidth.stated() || r.provisioned_bandwidth.stated();
    // A machine that only its GPU describes has one device.
    if (!states_rate && c.instance.empty() && !c.gpu.empty() && c.local_read_bandwidth.base() <= 0.0 &&
        r.device_read_bandwidth) {
      c_.fill(at("read_bandwidth"), spec_.read_bandwidth, r.device_read_bandwidth, r);
      c_.fill(at("write_bandwidth"), spec_.write_bandwidth, r.device_write_bandwidth, r);
      return;
    }
    if (!c_.given(at("read_bandwidth")) && !states_rate && c.local_read_bandwidth.base() <= 0.0) {
      c_.error("no_local_storage", at("tier"), fmt::format("\"{}\"", r.name), "an instance with local NVMe",
               "or give /cluster/local_read_bandwidth",
               c.instance.empty() ? "no instance is named"
                                  : fmt::format("{} has none, or its rate is not known", c.instance));
      return;
    }
    const auto copy = [&](const char* to, auto& member, const auto& value, const std::string& from) {
      if (value.base() > 0.0) c_.copy(at(to), member, value, from);
    };
    if (!states_rate)
      copy("read_bandwidth", spec_.read_bandwidth, c.local_read_bandwidth, "/cluster/local_read_bandwidth");
    if (!r.laws.write_bandwidth.stated() && !r.provisioned_bandwidth.stated())
      copy("write_bandwidth", spec_.write_bandwidth, c.local_write_bandwidth, "/cluster/local_write_bandwidth");
    if (!is_provisioned(r))
      copy("capacity", spec_.capacity, c.local_storage_per_node, "/cluster/local_storage_per_node");
  }

  ResolveContext& c_;
  std::string group_;
  StorageSpec& spec_;
};

void request_size(ResolveContext& c, const TierRecord& r) {
  DatasetSpec& d = c.out.scenario.dataset;
  if (d.page_by_page && !reads_in_file_order(c.out.scenario)) return;
  const bool in_sequence = d.layout == DatasetLayout::kShards || d.layout == DatasetLayout::kColumnar;
  c.fill("/dataset/request_size", d.request_size,
         in_sequence && r.sequential_request_size ? r.sequential_request_size : r.request_size, r);
}

// What a page fault brings where nothing is read ahead.
void page_request(ResolveContext& c) {
  DatasetSpec& d = c.out.scenario.dataset;
  if (!d.page_by_page || reads_in_file_order(c.out.scenario)) return;
  c.take("/dataset/request_size", d.request_size, bytes(4096),
         "a page of x86 and of most Arm systems (tests/validation/read_ahead)", 1.0, 1.0);
}

// Rows that are read in order come a row group at a time.
void row_group_request(ResolveContext& c) {
  const Scenario& s = c.out.scenario;
  DatasetSpec& d = c.out.scenario.dataset;
  if (d.layout != DatasetLayout::kColumnar || d.request_size.base() > 0.0 || !reads_in_file_order(s)) return;
  c.take("/dataset/request_size", d.request_size,
         bytes(static_cast<double>(d.samples_per_shard) * mean_of(d.sample_size)),
         "a reader of Parquet reads a row group at a time", 1.0, 1.0);
}

// The RAM of the tier's file servers, when the record states it.
void server_cache(ResolveContext& c, const TierRecord& r) {
  Scenario& s = c.out.scenario;
  const TierRates rates =
      rates_at(r, {s.storage.capacity, s.storage.servers, s.storage.provisioned_bandwidth, s.storage.provisioned_iops});
  if (!rates.server_cache || s.dataset.samples == 0) return;  // what it holds of the dataset depends on its size
  c.fill("/server_cache/policy", s.server_cache.policy, CachePolicy::kLru, r, rates.server_cache->evidence);
  if (s.server_cache.policy == CachePolicy::kNone) return;
  c.fill("/server_cache/capacity", s.server_cache.capacity, rates.server_cache->value, r, rates.server_cache->evidence);
  if (rates.server_cache_bandwidth) {
    c.fill("/server_cache/read_bandwidth", s.server_cache.read_bandwidth, rates.server_cache_bandwidth->value, r,
           rates.server_cache_bandwidth->evidence);
  }
  c.copy("/server_cache/latency", s.server_cache.latency, s.storage.latency, "/storage/latency");
}

bool moves_bytes(const Scenario& s) {
  return s.job == JobKind::kServing || mean_of(s.dataset.sample_size) > 0.0 ||
         s.checkpoint.mode != CheckpointMode::kNone;
}

bool says_anything_of_storage(const ResolveContext& c) {
  const auto of_storage = [](const std::string& pointer) { return pointer.starts_with("/storage/"); };
  return std::any_of(c.file.given.begin(), c.file.given.end(), of_storage) ||
         std::any_of(c.file.overridden.begin(), c.file.overridden.end(), of_storage);
}

// What the description of a storage without a tier leaves open is as usual, and never without limits or waits.
class UsualFields {
 public:
  explicit UsualFields(ResolveContext& c)
      : c_(c),
        storage_(c.out.scenario.storage),
        usual_(usual_storage(c.catalogue, c.out.scenario.cluster, c.instance)) {}

  // Nothing is said: a shared file system, whose client keeps what it reads in memory.
  void all() {
    take("/storage/read_bandwidth", storage_.read_bandwidth, usual_.read);
    take("/storage/write_bandwidth", storage_.write_bandwidth, usual_.write);
    take("/storage/client_read_bandwidth", storage_.client_read_bandwidth, usual_.client_read);
    take("/storage/client_write_bandwidth", storage_.client_write_bandwidth, usual_.client_write);
    latencies();
    c_.take("/storage/page_cache", storage_.page_cache, true, "nearly all shared file systems of the catalogue", 1.0,
            1.0);
    const auto rate = [](BytesPerSecond value) { return format_quantity(Dimension::kByteRate, rounded(value.base())); };
    c_.warning("assumed_storage", "/storage/tier", "nothing",
               "name a tier (stallcast catalogue list tier), or give /storage/read_bandwidth and /storage/latency",
               fmt::format("a usual shared file system is assumed: {} of reading in all, {} of writing",
                           rate(storage_.read_bandwidth), rate(storage_.write_bandwidth)));
  }

  // Something is said.
  void rest() {
    const bool writes = c_.out.scenario.checkpoint.mode != CheckpointMode::kNone;
    if (writes && storage_.duplex && storage_.read_bandwidth.base() > 0.0) {
      c_.take("/storage/write_bandwidth", storage_.write_bandwidth, storage_.read_bandwidth * kWriteOfRead,
              "half of what it reads, as NVIDIA advises for a DGX SuperPOD (RA-11333, table 6)", 0.5, 2.0);
    }
    // Whoever says how long a read waits has said what there is to say of waits.
    if (c_.given("/storage/latency") || c_.given("/storage/open_latency")) return;
    if (storage_.scope == TierScope::kShared) return latencies();
    const auto device = c_.catalogue.tiers.find(kNodeCacheRecord);
    if (device == c_.catalogue.tiers.end()) return;
    if (const auto latency = latency_of(device->second))
      c_.fill("/storage/latency", storage_.latency, latency->distribution, device->second, latency->evidence);
  }

 private:
  static constexpr double kWriteOfRead = 0.5;

  void take(const char* pointer, BytesPerSecond& member, const UsualValue<BytesPerSecond>& usual) {
    c_.take(pointer, member, usual.value, usual_.rates_source, usual.low, usual.high);
  }
  void latency(const char* pointer, Distribution& member, const UsualValue<Seconds>& usual) {
    if (usual.value.base() <= 0.0) return;
    c_.take(pointer, member, Distribution::constant(usual.value.base()), usual_.latency_source, usual.low, usual.high);
  }
  void latencies() {
    latency("/storage/latency", storage_.latency, usual_.latency);
    latency("/storage/open_latency", storage_.open_latency, usual_.open_latency);
  }

  ResolveContext& c_;
  StorageSpec& storage_;
  UsualStorage usual_;
};

void usual_fields(ResolveContext& c) {
  if (!c.out.scenario.storage.tier.empty() || !moves_bytes(c.out.scenario)) return;
  says_anything_of_storage(c) ? UsualFields(c).rest() : UsualFields(c).all();
}

// Memory that loaders leave, where the storage's client keeps there what it reads.
void page_cache(ResolveContext& c, const TierRecord* r) {
  Scenario& s = c.out.scenario;
  const Bytes free = host_memory(s).free;
  const bool known = s.dataset.samples > 0 && (free.base() > 0.0 || c.given("/page_cache/capacity"));
  const std::string why = "its client keeps what it reads in the page cache";
  if (s.storage.page_cache && known && !s.loader.gpudirect) {
    if (r != nullptr) {
      c.fill("/page_cache/policy", s.page_cache.policy, CachePolicy::kLinux, *r,
             {"vendor", fmt::format("record {}", r->name), why, ""});
    } else if (!c.given("/storage/page_cache")) {
      c.take("/page_cache/policy", s.page_cache.policy, CachePolicy::kLinux, why, 1.0, 1.0);
    }
  }
  if (s.page_cache.policy == CachePolicy::kNone) return;
  if (free.base() > 0.0) c.copy("/page_cache/capacity", s.page_cache.capacity, free, "/cluster/memory_per_node");
  const auto memory = c.catalogue.tiers.find(kPageCacheRecord);
  if (memory == c.catalogue.tiers.end()) return;  // a catalogue without it: memory answers at once
  if (const auto rate = rates_at(memory->second, {}).read_bandwidth) {
    c.fill("/page_cache/read_bandwidth", s.page_cache.read_bandwidth, rate->value, memory->second, rate->evidence);
  }
  if (const auto latency = latency_of(memory->second)) {
    c.fill("/page_cache/latency", s.page_cache.latency, latency->distribution, memory->second, latency->evidence);
  }
}

constexpr std::array kPolicyNames = {"none", "lru", "pinned", "linux"};  // in the order of CachePolicy

// What a machine's NVMe does where nobody says: as one device of the record. Unknown is neither unlimited nor, where no
// device is known of, there.
void assumed_nvme(ResolveContext& c) {
  Scenario& s = c.out.scenario;
  NodeCacheSpec& cache = s.node_cache;
  const auto unknown = [&](const char* pointer, BytesPerSecond rate) {
    return rate.base() <= 0.0 && !c.given(pointer);
  };
  const bool reads = unknown("/node_cache/read_bandwidth", cache.read_bandwidth);
  const bool writes = unknown("/node_cache/write_bandwidth", cache.write_bandwidth);
  if (!reads && !writes) return;
  const std::string machine = s.cluster.instance.empty() ? "the machine" : s.cluster.instance;
  if (reads && !s.cluster.instance.empty() && s.cluster.local_storage_per_node.base() <= 0.0) {
    c.error("no_local_storage", "/node_cache/policy",
            fmt::format("\"{}\"", kPolicyNames.at(static_cast<std::size_t>(cache.policy))),
            "\"none\", or an instance with local NVMe",
            "or give /cluster/local_storage_per_node and /cluster/local_read_bandwidth",
            fmt::format("{} has no NVMe that is known of", machine));
    return;
  }
  const auto found = c.catalogue.tiers.find(kNodeCacheRecord);
  const TierRecord* nvme = found != c.catalogue.tiers.end() ? &found->second : nullptr;
  if (nvme == nullptr || !nvme->device_read_bandwidth || !nvme->device_write_bandwidth) {
    c.error("missing_value", reads ? "/cluster/local_read_bandwidth" : "/cluster/local_write_bandwidth", "nothing",
            "more than 0 B/s", "give it", "a node cache is as fast as the machine's NVMe");
    return;
  }
  if (reads) c.fill("/node_cache/read_bandwidth", cache.read_bandwidth, nvme->device_read_bandwidth, *nvme);
  if (writes) c.fill("/node_cache/write_bandwidth", cache.write_bandwidth, nvme->device_write_bandwidth, *nvme);
  const std::string assumed = format_quantity(
      Dimension::kByteRate, (reads ? nvme->device_read_bandwidth : nvme->device_write_bandwidth)->value.base());
  c.warning("assumed_bandwidth", reads ? "/node_cache/read_bandwidth" : "/node_cache/write_bandwidth", "nothing",
            reads ? "give /cluster/local_read_bandwidth" : "give /cluster/local_write_bandwidth",
            fmt::format("what the NVMe of {} {} per second is not known: {} of one device assumed", machine,
                        reads ? "reads" : "writes", assumed));
}

// The NVMe of the machine.
void node_cache(ResolveContext& c) {
  Scenario& s = c.out.scenario;
  if (s.node_cache.policy == CachePolicy::kNone) return;
  const auto copy = [&](const char* to, auto& member, const auto& value, const char* from) {
    if (value.base() > 0.0) c.copy(to, member, value, from);
  };
  copy("/node_cache/capacity", s.node_cache.capacity, s.cluster.local_storage_per_node,
       "/cluster/local_storage_per_node");
  copy("/node_cache/read_bandwidth", s.node_cache.read_bandwidth, s.cluster.local_read_bandwidth,
       "/cluster/local_read_bandwidth");
  copy("/node_cache/write_bandwidth", s.node_cache.write_bandwidth, s.cluster.local_write_bandwidth,
       "/cluster/local_write_bandwidth");
  if (s.node_cache.capacity.base() > 0.0) assumed_nvme(c);  // without room it is a finding already
}

void staging(ResolveContext& c, const TierRecord& r) {
  StagingSpec& s = c.out.scenario.staging;
  if (s.method == StagingMethod::kNone) return;
  c.fill("/staging/bandwidth", s.bandwidth, r.staging_bandwidth, r);
  c.fill("/staging/files_per_s", s.files_per_s, r.staging_files, r);
  c.fill("/staging/small_file", s.small_file, r.staging_small_file, r);
}

}  // namespace

void resolve_storage(ResolveContext& context) {
  Scenario& s = context.out.scenario;
  const TierRecord* tier = TierResolver(context, "/storage", s.storage).run();
  const TierRecord* origin = TierResolver(context, "/origin", s.origin).run();
  if (tier != nullptr) context.out.records.storage = *tier;
  usual_fields(context);
  if (origin != nullptr) context.out.records.origin = *origin;
  // Requests are cut as the system that serves them wants it.
  if (tier != nullptr) request_size(context, *tier);
  if (tier == nullptr && origin != nullptr) request_size(context, *origin);
  page_request(context);
  row_group_request(context);
  page_cache(context, tier);
  node_cache(context);
  if (tier == nullptr) return;
  server_cache(context, *tier);
  staging(context, *tier);
}

}  // namespace stallcast
