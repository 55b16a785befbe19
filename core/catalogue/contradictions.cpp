#include "core/catalogue/contradictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/catalogue/records/record.h"
#include "core/catalogue/unit_price.h"

namespace stallcast {
namespace {

class Contradictions {
 public:
  Contradictions(const Record& record, Findings& findings) : record_(record), findings_(findings) {}

  // The row of a fact says how it is written and in which file.
  const FactRow* row(const std::string& name) const {
    const auto found =
        std::find_if(record_.rows.begin(), record_.rows.end(), [&](const FactRow& r) { return r.name == name; });
    return found == record_.rows.end() ? nullptr : &*found;
  }

  // `low` <= `high` where both are stated.
  void ordered(const std::string& low, const std::string& high) {
    const FactRow* a = row(low);
    const FactRow* b = row(high);
    if (a == nullptr || b == nullptr || !a->value || !b->value || *a->value <= *b->value) return;
    // Where one of the two is the change of an overlay, that one is to be looked at.
    const FactRow& told = a->file == record_.file && b->file != record_.file ? *a : *b;
    const bool is_high = &told == b;
    add(told, fmt::format("{} or {}", is_high ? a->text : b->text, is_high ? "more" : "less"),
        fmt::format("{} is {}", is_high ? low : high, is_high ? a->text : b->text));
  }

  void positive(const std::string& name) {
    const FactRow* found = row(name);
    if (found != nullptr && found->value && *found->value <= 0.0) add(*found, "more than 0", "");
  }

  void fraction(const std::string& name) {
    const FactRow* found = row(name);
    if (found != nullptr && found->value && (*found->value < 0.0 || *found->value > 1.0)) {
      add(*found, "0 to 1", "it is a probability");
    }
  }

  // Every price counts what its name says.
  void prices() {
    const std::vector<PriceKey>& keys = price_keys(record_.kind);
    for (const auto& [name, price] : record_.prices) {
      const auto key =
          std::find_if(keys.begin(), keys.end(), [&name = name](const PriceKey& k) { return k.name == name; });
      const auto unit = unit_price(price);
      const FactRow* found = row("price/" + name);
      if (key == keys.end() || !unit || unit->basis == key->basis || found == nullptr) continue;
      findings_.add({Severity::kError, "wrong_price_unit", found->file, found->pointer + "/per",
                     fmt::format("\"{}\"", price.per), fmt::format("{}", fmt::join(price_units_of(key->basis), ", ")),
                     "", fmt::format("it is the price of {}", name)});
    }
  }

 private:
  void add(const FactRow& found, std::string allowed, std::string why) {
    findings_.add({Severity::kError, "contradiction", found.file, found.pointer, found.text, std::move(allowed), "",
                   std::move(why)});
  }

  const Record& record_;
  Findings& findings_;
};

}  // namespace

void find_contradictions(const TierRecord& tier, Findings& findings) {
  Contradictions check(tier, findings);
  check.ordered("capacity_min", "capacity_max");
  check.ordered("servers_min", "servers_max");
  check.ordered("servers_min", "servers_default");
  check.ordered("servers_default", "servers_max");
  check.ordered("latency_p50", "latency_p99");
  check.ordered("retry_base", "retry_max");
  for (const char* group : {"provisioned_bandwidth", "provisioned_iops"}) {
    const auto path = [group](const char* name) { return fmt::format("{}/{}", group, name); };
    check.ordered(path("min"), path("max"));
    check.ordered(path("included"), path("max"));
    check.positive(path("step"));
  }
  for (const char* name : {"capacity_step", "capacity_unit", "bytes_per_io", "bytes_per_provisioned_io", "stripe_count",
                           "mttdl", "mttdl_capacity", "mttdl_per_server", "server_capacity", "billing_granularity"}) {
    check.positive(name);
  }
  for (const FactRow& row : tier.rows) {
    if (!row.name.starts_with("bands/")) continue;
    if (row.name.ends_with("/from")) check.ordered(row.name, "capacity_max");
    if (row.name.ends_with("/capacity_step")) check.positive(row.name);
  }
  check.fraction("durability");
  check.prices();
}

void find_contradictions(const InstanceRecord& instance, Findings& findings) {
  Contradictions check(instance, findings);
  check.ordered("physical_cores", "vcpus");
  check.positive("gpus");
  check.prices();
}

}  // namespace stallcast
