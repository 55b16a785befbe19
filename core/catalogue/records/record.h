// What every catalogue record is made of: facts, each a value with the evidence for it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/units/quantity.h"
#include "core/units/quantity_text.h"

namespace stallcast {

// A text that a number was read from.
struct Source {
  std::string title;
  std::string locator;  // address, section or file
  std::string read;     // date somebody last read it, "2026-11" or "2026-11-20"
  std::string as_of;    // date of the text itself, or ""

  // "TITLE, LOCATOR, read READ", with the text's own date when known.
  std::string text() const;
};

// Why a number is believed.
struct Evidence {
  std::string kind;                            // "measured", "vendor" or "assumed"; "" when the record does not say
  std::string source;                          // Source::text(), "" when the record names none
  std::string note;                            // conditions, or what other sources say
  std::string reason;                          // why this value was chosen, where sources disagree
  double low_factor = 1.0, high_factor = 1.0;  // 90 % interval of the value, as factors of it; both 1 = not stated
  double core_speed = 0.0;  // of a CPU time: that of the core it holds for (CpuRecord); 0 = not stated

  bool states_interval() const { return low_factor < 1.0 || high_factor > 1.0; }

  // The same evidence for a value that is `low` and `high` at the ends of its interval. **Range** value >= 0; at 0
  // there is no interval.
  Evidence with_ends(double value, double low, double high) const;
};

// `note` of a CPU time that holds for a core of speed `there` and was made that of one of speed `here` (CpuRecord).
std::string other_core_note(const std::string& note, double here, double there);

// Evidence for what a value with this evidence divides.
Evidence inverse(Evidence evidence);

// An end of the interval of a fact: &Evidence::low_factor or &Evidence::high_factor; null for the value itself.
using IntervalEnd = double Evidence::*;

// What another source says about a number that the record states differently.
struct OtherValue {
  std::string text;
  std::string source;  // Source::text()
  std::string note;
};

template <class T>
struct Fact {
  T value{};
  Evidence evidence;

  T at(IntervalEnd end) const { return end == nullptr ? value : value * (evidence.*end); }
};

// One number of a record as it is written there: what `catalogue show` prints and `catalogue check` looks at.
struct FactRow {
  std::string pointer;  // in the record's file, "/facts/capacity_min"
  std::string name;     // "capacity_min"; members of groups as "step_time/h100-80gb-sxm"
  std::string text;     // "12 TiB"
  Evidence evidence;
  std::string source_key;  // of Record::sources, or ""
  bool is_price = false;
  std::vector<OtherValue> others;
  Dimension dimension = Dimension::kNone;
  std::optional<double> value;  // in base units, of facts that are one number and could be read
  std::string file;             // where it is written: the record's file, or that of the record it extends
};

// Money per something. Kept as written; `cost` gives `per` its meaning.
struct Price {
  std::string amount;  // US dollars, the decimal number as written: "0.0001917808"
  std::string per;     // one of price_units()
  Evidence evidence;
};

// What a price can be for: "hour", "GiB-month", "1k requests", ... (unit_price.h has their meaning)
const std::vector<std::string>& price_units();

// A cost that grows with the number of workers: base + per_worker * n.
struct WorkerCost {
  Seconds base;
  Seconds per_worker;
};

// After `gap` without activity an operation takes `time`.
struct GapTime {
  Seconds gap;
  Seconds time;
};

// What all kinds of record share.
struct Record {
  std::string kind;  // "tier", "instance", "gpu", "workload", "loader", "collective"
  std::string name;
  std::string title;
  std::vector<std::string> aliases;    // other names that can mean nothing else: "S3", "GCS"
  std::vector<std::string> usual_for;  // names of several records, of which people mostly mean this one: "FSx", "H100"
  std::string status;                  // "current" or "legacy"
  std::string status_note;
  std::string file;
  std::string overlay;  // directory of the overlay that it is from; "" for the catalogue itself
  std::string extends;  // name of the record that it changes; "" when it stands alone
  std::string region;   // that the prices are for; "" when they have none
  std::map<std::string, Source> sources;
  std::map<std::string, Price> prices;
  std::vector<FactRow> rows;  // in the order of the file

  // "tier/parallelstore", with the overlay that it is from: "tier/parallelstore (overlay DIR)".
  std::string label() const;
};

}  // namespace stallcast
