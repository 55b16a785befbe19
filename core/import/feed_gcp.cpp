// Google Cloud: SKUs of the Cloud Billing Catalog, where a machine is the sum of its cores, memory, GPUs and local
// SSDs; and the table of machine prices that the Karpenter provider ships.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/catalogue/catalogue.h"
#include "core/catalogue/unit_price.h"
#include "core/import/feed_readers.h"
#include "core/units/binary_multiples.h"
#include "core/units/plain_text.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

struct Sku {
  std::string id, description, usage, unit, currency;
  std::vector<std::string> regions;
  Dollars usd;
};

std::vector<std::string> alternatives(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('|', start), text.size());
    all.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return all;
}

// How people buy machines, and how the SKUs of their parts are then called.
struct Purchase {
  const char* key;    // of Record::prices
  const char* usage;  // "OnDemand", ...
};
constexpr std::array<Purchase, 4> kPurchases = {
    {{"on_demand", "OnDemand"}, {"spot", "Preemptible"}, {"reserved_1y", "Commit1Yr"}, {"reserved_3y", "Commit3Yr"}}};

// The words that a storage tier's SKU begins with.
struct StorageSku {
  std::string begins;
  std::vector<std::string> tiers;
  std::vector<std::string> keys;
  std::string counted;  // "GiB", "IOPS", "MiB/s", "requests"
};
const std::vector<StorageSku>& storage_skus() {
  static const std::vector<std::string> gcs = {"gcs_standard", "gcs_fuse", "gcs_fuse_file_cache"};
  static const std::vector<StorageSku> rows = {
      {"Managed Lustre Capacity 125-Perf", {"managed_lustre_125"}, {"capacity"}, "GiB"},
      {"Managed Lustre Capacity 250-Perf", {"managed_lustre_250"}, {"capacity"}, "GiB"},
      {"Managed Lustre Capacity 500-Perf", {"managed_lustre_500"}, {"capacity"}, "GiB"},
      {"Managed Lustre Capacity 1000-Perf", {"managed_lustre_1000"}, {"capacity"}, "GiB"},
      {"Managed Lustre Capacity", {}, {"capacity"}, "GiB"},
      {"Filestore Capacity Basic HDD", {"filestore_basic_hdd"}, {"capacity"}, "GiB"},
      {"Filestore Capacity Standard", {"filestore_basic_hdd"}, {"capacity"}, "GiB"},
      {"Filestore Capacity Basic SSD", {"filestore_basic_ssd"}, {"capacity"}, "GiB"},
      {"Filestore Capacity Premium", {"filestore_basic_ssd"}, {"capacity"}, "GiB"},
      {"Filestore Capacity Zonal", {"filestore_zonal"}, {"capacity"}, "GiB"},
      {"Filestore Capacity Regional", {"filestore_regional", "filestore_enterprise"}, {"capacity"}, "GiB"},
      {"Filestore Capacity Enterprise", {"filestore_enterprise"}, {"capacity"}, "GiB"},
      {"Hyperdisk ML Capacity", {"hyperdisk_ml"}, {"capacity"}, "GiB"},
      {"Hyperdisk ML Throughput", {"hyperdisk_ml"}, {"provisioned_bandwidth"}, "MiB/s"},
      {"Hyperdisk Extreme Capacity", {"hyperdisk_extreme"}, {"capacity"}, "GiB"},
      {"Hyperdisk Extreme IOPS", {"hyperdisk_extreme"}, {"provisioned_iops"}, "IOPS"},
      {"Hyperdisk Balanced Capacity", {"hyperdisk_balanced"}, {"capacity"}, "GiB"},
      {"Hyperdisk Balanced IOPS", {"hyperdisk_balanced"}, {"provisioned_iops"}, "IOPS"},
      {"Hyperdisk Balanced Throughput", {"hyperdisk_balanced"}, {"provisioned_bandwidth"}, "MiB/s"},
      {"SSD backed PD Capacity", {"pd_ssd"}, {"capacity"}, "GiB"},
      {"Parallelstore Capacity", {"parallelstore"}, {"capacity"}, "GiB"},
      {"Standard Storage Class A", gcs, {"write_requests", "list_requests"}, "requests"},
      {"Standard Storage Class B", gcs, {"read_requests"}, "requests"},
      {"Regional Standard Class A", gcs, {"write_requests", "list_requests"}, "requests"},
      {"Regional Standard Class B", gcs, {"read_requests"}, "requests"},
      {"Standard Storage", gcs, {"capacity"}, "GiB"},
  };
  return rows;
}

// "GiB-month" of GiB and "GiBy.mo"; "" for a unit that does not count `counted`.
std::string price_per(const std::string& counted, const std::string& unit) {
  if (counted == "requests") return unit == "count" ? "1k requests" : "";
  const bool month = unit == "mo" || unit.ends_with(".mo");
  const bool hour = unit == "h" || unit.ends_with(".h");
  if (!month && !hour) return "";
  if (counted == "GiB" && !unit.starts_with("GiBy")) return "";
  return counted + (month ? "-month" : "-hour");
}

class GcpCollector : public FeedCollector {
 public:
  GcpCollector(std::string file, const Catalogue& catalogue, const FeedOptions& options)
      : catalogue_(catalogue), options_(options) {
    feed_.file = std::move(file);
    feed_.provider = "gcp";
  }

  // A page, or pages in an array.
  std::vector<JsonPath> patterns() const override { return {{"skus", "*"}, {"*", "skus", "*"}}; }

  void visit(const JsonPath& path, const Json& value, Findings&) override {
    const bool page = path.size() == 2 && path[0] == "skus";
    const bool of_array = path.size() == 3 && path[1] == "skus";
    if (!page && !of_array) return;
    seen_ = true;
    add(value);
  }

  std::string what() const override { return seen_ ? "SKUs of Google Cloud" : ""; }

  PriceFeed take(Findings& findings) override {
    feed_.title = "Google Cloud Billing Catalog, SKUs";
    for (const auto& [name, instance] : catalogue_.instances) {
      if (instance.provider == "gcp") quote_machine(instance);
    }
    for (const Sku& sku : skus_) quote_storage(sku);
    if (auto finding = currency_finding({currencies_.begin(), currencies_.end()}, feed_.file)) {
      findings.add(std::move(*finding));
    } else if (!wrong_.empty()) {
      findings.add(
          {Severity::kError, "wrong_number", feed_.file, "", wrong_, "units as text and nanos as a number", "", ""});
    }
    feed_.unmatched.assign(unmatched_.begin(), unmatched_.end());
    return std::move(feed_);
  }

 private:
  static bool is_wanted(const std::string& description) {
    // Variants that the catalogue has no records for.
    for (const char* other : {"Storage Pool", "Confidential", "High Availability", "Snapshot", "Asynchronous",
                              "Reserved", "DWS", "Multi-Region", "Dual-Region", "Sole Tenancy"}) {
      if (contains(description, other)) return false;
    }
    return true;
  }

  void add(const Json& json) {
    Sku sku;
    sku.id = text_at(json, "skuId");
    sku.description = text_at(json, "description");
    if (sku.description.empty() || !is_wanted(sku.description) || !json.contains("pricingInfo")) return;
    if (json.contains("category")) sku.usage = text_at(json["category"], "usageType");
    if (json.contains("serviceRegions") && json["serviceRegions"].is_array()) {
      for (const Json& region : json["serviceRegions"]) {
        if (region.is_string()) sku.regions.push_back(region.get<std::string>());
      }
    }
    const Json& infos = json["pricingInfo"];
    if (!infos.is_array() || infos.empty()) return;
    const Json& info = infos.back();  // oldest first
    if (!info.is_object() || !info.contains("pricingExpression")) return;
    feed_.as_of = std::max(feed_.as_of, day_of(text_at(info, "effectiveTime")));
    const Json& expression = info["pricingExpression"];
    sku.unit = text_at(expression, "usageUnit");
    if (!expression.is_object() || !expression.contains("tieredRates") || !expression["tieredRates"].is_array()) return;
    for (const Json& rate : expression["tieredRates"]) {
      if (!rate.is_object() || !rate.contains("unitPrice")) continue;
      const Json& price = rate["unitPrice"];
      const std::string units = text_at(price, "units");
      const std::string nanos = text_at(price, "nanos");
      const auto whole = dollars_of(units.empty() ? "0" : units);
      const auto part = dollars_of(nanos.empty() ? "0" : nanos);
      if (!whole || !part) {
        wrong_ = fmt::format("\"{}\" and {} in SKU {}", units, nanos, sku.id);
        continue;
      }
      if (const std::string currency = text_at(price, "currencyCode"); !currency.empty()) currencies_.insert(currency);
      sku.usd = *whole + *part / 1'000'000'000;
      if (sku.usd != 0) break;  // what comes free is little
    }
    if (sku.usd != 0) skus_.push_back(std::move(sku));
  }

  static bool is_in(const Sku& sku, const std::string& region) {
    return std::any_of(sku.regions.begin(), sku.regions.end(),
                       [&](const std::string& r) { return r == region || r == "global"; });
  }

  // The SKU of a machine's part in a region; its spelling depends on how it is bought.
  const Sku* part(const std::string& words, const Purchase& purchase, const std::string& region) const {
    for (const std::string& word : alternatives(words)) {
      const bool core = contains(word, "Instance ");
      std::vector<std::string> begins = {word + " running", word + " in "};
      const std::string usage = purchase.usage;
      if (usage == "Preemptible") {
        begins = {"Spot Preemptible " + word + " running", "Preemptible " + word + " running",
                  word + " attached to Spot"};
      } else if (usage.starts_with("Commit")) {
        std::string name = word;
        if (core) {  // "A3 Instance Core" is committed to as "A3 Cpu"
          name = word.substr(0, word.find(' ')) + (contains(word, "Ram") ? " Ram" : " Cpu");
        }
        begins = {"Commitment v1: " + name};
      } else if (word.starts_with("SSD backed Local Storage")) {
        begins = {word};
      }
      for (const Sku& sku : skus_) {
        if (sku.usage != usage || !is_in(sku, region)) continue;
        if (usage == "OnDemand" && contains(sku.description, "attached to")) continue;
        for (const std::string& begin : begins) {
          if (sku.description.starts_with(begin)) return &sku;
        }
      }
    }
    return nullptr;
  }

  void quote_machine(const InstanceRecord& instance) {
    const GcpMachine* machine = gcp_machine(instance.name);
    if (machine == nullptr || !instance.vcpus || !instance.memory) return;
    const std::string region = wanted_region(instance, "gcp", options_);
    for (const Purchase& purchase : kPurchases) {
      const Sku* core = part(machine->core, purchase, region);
      const Sku* ram = part(machine->ram, purchase, region);
      const Sku* gpu = part(machine->gpu, purchase, region);
      if (core == nullptr || ram == nullptr || gpu == nullptr) continue;
      const auto gib = [](double bytes) { return Dollars(bytes / kGiB); };
      Dollars usd = core->usd * instance.vcpus->value + ram->usd * gib(instance.memory->value.base()) +
                    gpu->usd * instance.gpus.value;
      std::string ids = fmt::format("{}, {}, {}", core->id, ram->id, gpu->id);
      std::string note = fmt::format("{} vCPUs, {} GiB, {} GPUs", instance.vcpus->value,
                                     instance.memory->value.base() / kGiB, instance.gpus.value);
      if (machine->has_local_ssd && instance.local_storage) {
        const Sku* ssd = part("SSD backed Local Storage", purchase, region);
        if (ssd == nullptr) continue;
        const double size = instance.local_storage->value.base();
        usd += ssd->usd * gib(size) / (ssd->unit.ends_with(".h") ? 1 : static_cast<int>(kPriceMonthHours));
        ids += ", " + ssd->id;
        note += fmt::format(", {} GiB of local SSD", size / kGiB);
      }
      feed_.quotes.push_back({"instance", instance.name, purchase.key, "hour", usd, region, ids, note});
    }
  }

  void quote_storage(const Sku& sku) {
    if (sku.usage != "OnDemand") return;
    for (const StorageSku& row : storage_skus()) {
      if (!sku.description.starts_with(row.begins)) continue;
      const std::vector<const TierRecord*> tiers = tiers_named(catalogue_, row.tiers);
      const std::string per = price_per(row.counted, sku.unit);
      if (tiers.empty() || per.empty()) {
        unmatched_.insert(fmt::format("{} (SKU {}, per {})", sku.description, sku.id, sku.unit));
      }
      if (per.empty()) return;
      for (const TierRecord* tier : tiers) {
        const std::string region = wanted_region(*tier, "gcp", options_);
        if (!is_in(sku, region)) continue;
        const Dollars usd = row.counted == "requests" ? Dollars(sku.usd * 1000) : sku.usd;
        for (const std::string& key : row.keys) {
          feed_.quotes.push_back({"tier", tier->name, key, per, usd, region, sku.id, sku.description});
        }
      }
      return;
    }
  }

  const Catalogue& catalogue_;
  const FeedOptions& options_;
  PriceFeed feed_;
  bool seen_ = false;
  std::vector<Sku> skus_;
  std::set<std::string> unmatched_, currencies_;
  std::string wrong_;
};

class KarpenterCollector : public FeedCollector {
 public:
  KarpenterCollector(std::string file, const Catalogue& catalogue, const FeedOptions& options)
      : catalogue_(catalogue), options_(options) {
    feed_.file = std::move(file);
    feed_.provider = "gcp";
    feed_.title = "Karpenter provider for Google Cloud, prices";
  }

  std::vector<JsonPath> patterns() const override { return {{"prices", "*"}}; }

  void visit(const JsonPath& path, const Json& value, Findings& findings) override {
    if (path.size() != 2 || path[0] != "prices" || !value.is_object()) return;
    if (!value.contains("on_demand") && !value.contains("spot")) return;
    seen_ = true;
    const std::string& region = path[1];
    for (const char* key : {"on_demand", "spot"}) {
      if (!value.contains(key) || !value[key].is_object()) continue;
      for (const auto& [name, amount] : value[key].items()) add(region, key, name, amount, findings);
    }
  }

  std::string what() const override { return seen_ ? "Karpenter's prices of Google Cloud" : ""; }

  PriceFeed take(Findings&) override {
    feed_.unmatched.assign(unmatched_.begin(), unmatched_.end());
    return std::move(feed_);
  }

 private:
  void add(const std::string& region, const char* key, const std::string& name, const Json& amount,
           Findings& findings) {
    const auto found = catalogue_.instances.find(name);
    if (found == catalogue_.instances.end() || found->second.provider != "gcp") {
      if (gcp_machine(name) != nullptr) unmatched_.insert(name);  // one with GPUs
      return;
    }
    if (wanted_region(found->second, "gcp", options_) != region) return;
    const auto usd = dollars_of(amount.is_string() ? amount.get<std::string>() : amount.dump());
    if (!usd) {
      findings.add({Severity::kError, "wrong_number", feed_.file, fmt::format("/prices/{}/{}/{}", region, key, name),
                    amount.dump(), "a price in dollars", "", ""});
      return;
    }
    feed_.quotes.push_back({"instance", name, key, "hour", *usd, region, "", region});
  }

  const Catalogue& catalogue_;
  const FeedOptions& options_;
  PriceFeed feed_;
  bool seen_ = false;
  std::set<std::string> unmatched_;
};

}  // namespace

const GcpMachine* gcp_machine(const std::string& instance) {
  static const std::vector<GcpMachine> machines = {
      {"a2-highgpu-", "A2 Instance Core", "A2 Instance Ram", "Nvidia Tesla A100 GPU", "A100", false},
      {"a2-megagpu-", "A2 Instance Core", "A2 Instance Ram", "Nvidia Tesla A100 GPU", "A100", false},
      {"a2-ultragpu-", "A2 Instance Core", "A2 Instance Ram", "Nvidia Tesla A100 80GB GPU", "A100-80GB", true},
      {"a3-highgpu-", "A3 Instance Core", "A3 Instance Ram", "Nvidia H100 80GB GPU", "H100", true},
      {"a3-megagpu-", "A3Plus Instance Core|A3 Instance Core", "A3Plus Instance Ram|A3 Instance Ram",
       "Nvidia H100 80GB Plus GPU|Nvidia H100 80GB Mega GPU", "H100-MEGA", true},
      {"a3-ultragpu-", "A3Ultra Instance Core|A3 Ultra Instance Core", "A3Ultra Instance Ram|A3 Ultra Instance Ram",
       "Nvidia H200 141GB GPU", "H200", true},
      {"a4-highgpu-", "A4 Instance Core", "A4 Instance Ram", "A4 Nvidia B200|Nvidia B200 GPU", "B200", true},
      {"g2-standard-", "G2 Instance Core", "G2 Instance Ram", "Nvidia L4 GPU", "L4", false},
  };
  const auto found = std::find_if(machines.begin(), machines.end(),
                                  [&](const GcpMachine& machine) { return instance.starts_with(machine.prefix); });
  return found == machines.end() ? nullptr : &*found;
}

std::unique_ptr<FeedCollector> gcp_collector(const std::string& file, const Catalogue& catalogue,
                                             const FeedOptions& options) {
  return std::make_unique<GcpCollector>(file, catalogue, options);
}

std::unique_ptr<FeedCollector> karpenter_collector(const std::string& file, const Catalogue& catalogue,
                                                   const FeedOptions& options) {
  return std::make_unique<KarpenterCollector>(file, catalogue, options);
}

}  // namespace stallcast
