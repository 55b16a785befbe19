#include "core/scenario/resolve/assumed_value.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"

namespace stallcast {
namespace {

enum class Quantity { kLatency, kTime, kRate, kLineRate };

struct Worth {
  std::string_view kind;
  Quantity quantity;
  double low, high;
  std::string_view basis;
};
constexpr std::string_view kElsewhere = "measured elsewhere, on other machines and versions";
constexpr std::array kWorth{
    Worth{"measured", Quantity::kLatency, kElsewhereLow, kElsewhereHigh, kElsewhere},
    Worth{"measured", Quantity::kTime, kElsewhereLow, kElsewhereHigh, kElsewhere},
    Worth{"measured", Quantity::kRate, kElsewhereLow, kElsewhereHigh, kElsewhere},
    Worth{"vendor", Quantity::kLatency, 0.2, 1.5, "a data sheet's latency; other sources say a fifth of it"},
    Worth{"vendor", Quantity::kTime, 0.7, 1.4, "a benchmark's or a vendor's time, of its own software"},
    Worth{"vendor", Quantity::kRate, 0.6, 1.1, "a data sheet's \"up to\"; clients seldom reach it"},
    Worth{"vendor", Quantity::kLineRate, 0.6, 1.0,
          "a line rate: TCP carries 0.85 to 0.97 of it, clients of object stores and FUSE 0.5 to 0.93"},
    Worth{"measured", Quantity::kLineRate, kElsewhereLow, kElsewhereHigh, kElsewhere},
    Worth{"assumed", Quantity::kLineRate, 0.5, 2.0, "no source states it"},
    Worth{"assumed", Quantity::kLatency, 0.4, 4.0,
          "no source states it; where others do they are up to 13 times as long"},
    Worth{"assumed", Quantity::kTime, 0.5, 2.0, "no source states it"},
    Worth{"assumed", Quantity::kRate, 0.5, 2.0, "no source states it"},
};

struct Remedy {
  std::string_view prefix, narrow_by;
};
constexpr std::array kRemedies{
    Remedy{"/storage/", "stallcast probe DIR on the storage, then stallcast calibrate"},
    Remedy{"/origin/", "stallcast probe DIR on the origin, then stallcast calibrate"},
    Remedy{"/page_cache/capacity", "free -h on the machine; give cluster.memory_per_node"},
    Remedy{"/cluster/all_core_clock", "stress-ng --cpu 1, then one for each core: operations per second of each"},
    Remedy{"/node_cache/", "stallcast probe DIR on the machine's disk"},
    Remedy{"/cluster/local_", "stallcast probe DIR on the machine's disk"},
    Remedy{"/dataset/", "scripts/stallcast_recorder.py in the training script, then stallcast calibrate"},
    Remedy{"/loader/", "scripts/stallcast_recorder.py in the training script, then stallcast calibrate"},
    Remedy{"/workload/", "scripts/stallcast_recorder.py in the training script, then stallcast calibrate"},
    Remedy{"/serving/", "time one load, or look at the settings of what loads the weights"},
    Remedy{"/failures/", "the scheduler's log of the last failures"},
    Remedy{"/checkpoint/", "time one checkpoint of the job"},
};

std::string narrow_by(const std::string& pointer) {
  const auto found = std::find_if(kRemedies.begin(), kRemedies.end(),
                                  [&pointer](const Remedy& r) { return pointer.starts_with(r.prefix); });
  return found != kRemedies.end() ? std::string(found->narrow_by) : "the provider's data sheet or support";
}

Quantity quantity_of(const Field& field) {
  if (field.pointer == "/cluster/gpu_link_bandwidth") return Quantity::kLineRate;
  if (field.dimension != Dimension::kTime) return Quantity::kRate;
  return field.pointer.ends_with("latency") ? Quantity::kLatency : Quantity::kTime;
}

// Settings, shares and sizes that have an interval only where what they come from states one.
// The network card of a known machine is among them: its rate is certain, and nic_efficiency says what that is worth.
constexpr std::array<std::string_view, 9> kStated = {
    "/cluster/cores_per_node",   "/cluster/all_core_clock", "/cluster/nic_bandwidth",
    "/checkpoint/writer_spread", "/cluster/nic_efficiency", "/loader/num_workers",
    "/page_cache/capacity",      "/serving/streams",        "/model/optimizer_bytes_per_parameter"};
bool needs_statement(const std::string& pointer) {
  return std::find(kStated.begin(), kStated.end(), pointer) != kStated.end();
}

bool has_interval(const Field& field) {
  if (needs_statement(field.pointer)) return can_be_uncertain(field.pointer);
  const bool any = field.dimension == Dimension::kTime || field.dimension == Dimension::kByteRate ||
                   field.dimension == Dimension::kRate;
  return any && can_be_uncertain(field.pointer);
}

}  // namespace

std::vector<AssumedValue> assumed_values(const ResolvedScenario& resolved) {
  std::vector<AssumedValue> out;
  const Scenario nothing;
  for (const Field& field : field_table()) {
    if (!has_interval(field)) continue;
    const auto found = resolved.provenance.find(field.pointer);
    if (found == resolved.provenance.end() || found->second.kind.empty()) continue;
    if (found->second.origin != Origin::kCatalogue && found->second.origin != Origin::kDefault) continue;
    const Provenance& from = found->second;
    const bool stated = from.low_factor != 1.0 || from.high_factor != 1.0;
    if (!stated && needs_statement(field.pointer)) continue;
    if (!stated && value_text(field, field.get(resolved.scenario)) == value_text(field, field.get(nothing)))
      continue;  // off
    AssumedValue one{{field.pointer, from.low_factor, from.high_factor}, from, "stated by its source", ""};
    if (!stated) {
      const auto worth = std::find_if(kWorth.begin(), kWorth.end(), [&](const Worth& w) {
        return w.kind == from.kind && w.quantity == quantity_of(field);
      });
      if (worth == kWorth.end()) continue;
      one.range.low_factor = worth->low;
      one.range.high_factor = worth->high;
      one.basis = worth->basis;
    }
    one.narrow_by = narrow_by(field.pointer);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace stallcast
