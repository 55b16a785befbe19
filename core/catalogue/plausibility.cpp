#include "core/catalogue/plausibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/catalogue/unit_price.h"
#include "core/units/binary_multiples.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

// Base units. 0 is always plausible: none, included, or too small to matter.
struct Range {
  double low, high;
};

// Facts whose name, without its group, begins so; the first row that fits counts.
struct FactRange {
  std::string_view kind;  // of record, "" for any
  std::string_view name;
  Range range;
};

constexpr std::array<FactRange, 17> kFactRanges = {{
    {"gpu", "memory", {8e9, 1000 * kGiB}},
    {"gpu", "dense_bf16_peak", {1e12, 1e17}},
    {"", "core_speed", {0.1, 5}},
    {"", "all_core_clock", {0.5, 1}},
    {"instance", "nic_bandwidth", {1e9 / 8, 6400e9 / 8}},
    {"instance", "memory", {1 * kGiB, 100000 * kGiB}},
    {"instance", "gpus", {1, 1000}},
    {"instance", "vcpus", {1, 10000}},
    {"instance", "physical_cores", {1, 10000}},
    {"tier", "read_iops", {1, 1e9}},
    {"tier", "write_iops", {1, 1e9}},
    {"tier", "provisioned_iops", {0.1, 1e9}},
    {"tier", "metadata_rate", {1, 1e9}},
    {"tier", "servers", {1, 100000}},
    {"tier", "capacity", {1 * kMiB, 1e21}},
    {"tier", "latency_held_fraction", {0, 1}},
    {"tier", "request_time", {1e-9, 1}},
}};

constexpr Range kLatency = {1e-6, 60.0};
constexpr Range kBandwidth = {1e6, 100e12};

// Waiting times, as against times of another kind: a month of data safety, a day of billing.
bool is_latency(std::string_view name) { return name.find("latency") != std::string_view::npos; }

const Range* fact_range(const Record& record, const FactRow& row) {
  for (const FactRange& candidate : kFactRanges) {
    if (candidate.kind == record.kind && row.name.starts_with(candidate.name)) return &candidate.range;
  }
  if (row.dimension == Dimension::kByteRate) return &kBandwidth;
  if (row.dimension == Dimension::kTime && is_latency(row.name)) return &kLatency;
  return nullptr;
}

// Dollars per unit as people compare them, and how that unit is called.
struct PriceRange {
  PriceBasis basis;
  double units;  // base units (with their hours) in one of `per`
  std::string_view per;
  Range range;
};
constexpr std::array<PriceRange, 7> kPriceRanges = {{
    {PriceBasis::kTime, 1.0, "hour", {0.01, 1000.0}},
    {PriceBasis::kBytesStored, kGiB* kPriceMonthHours, "GiB-month", {0.001, 5.0}},
    {PriceBasis::kByteRate, kMiB* kPriceMonthHours, "MiB/s-month", {0.001, 100.0}},
    {PriceBasis::kIops, kPriceMonthHours, "IOPS-month", {0.00001, 1.0}},
    {PriceBasis::kServer, 1.0, "server-hour", {0.01, 1000.0}},
    {PriceBasis::kBytesMoved, kGiB, "GiB", {0.0001, 1.0}},
    {PriceBasis::kRequest, 1000.0, "1k requests", {0.00001, 1.0}},
}};

bool within(double value, const Range& range) {
  constexpr double kSlack = 1e-9;
  return value == 0.0 || (value >= range.low * (1.0 - kSlack) && value <= range.high * (1.0 + kSlack));
}

std::string text_of(const FactRow& row, double base) {
  return row.dimension == Dimension::kRate ? format_quantity(row.dimension, base, "")
                                           : format_quantity(row.dimension, base);
}

// The factor by which people slip, when `ratio` is one: "8" and what it means.
struct Slip {
  double factor;
  std::string_view meaning;
};
constexpr std::array<Slip, 5> kSlips = {{{8.0, "bits and bytes differ by 8"},
                                         {kPriceMonthHours, "a month is 730 hours"},
                                         {1000.0, "neighbouring prefixes differ by 1000"},
                                         {1024.0, "neighbouring prefixes differ by 1024"},
                                         {1e6, "prefixes differ by 1000 twice"}}};
const Slip* slip_between(double a, double b) {
  if (a <= 0.0 || b <= 0.0) return nullptr;
  const double ratio = std::max(a / b, b / a);
  // Printed figures are rounded, and decimal and binary prefixes are taken for each other: 7.4 % for GB and GiB.
  constexpr double kTolerance = 0.005;
  const auto* found = std::find_if(kSlips.begin(), kSlips.end(), [ratio](const Slip& slip) {
    return std::abs(ratio / slip.factor - 1.0) <= kTolerance;
  });
  return found == kSlips.end() ? nullptr : found;
}

void judge_range(const Record& record, const FactRow& row, Findings& findings) {
  const Range* range = fact_range(record, row);
  if (range == nullptr || within(*row.value, *range)) return;
  std::string fix;
  if (row.dimension == Dimension::kByteRate) {
    if (within(*row.value / 8.0, *range)) fix = "bits where bytes are written?";
    if (within(*row.value * 8.0, *range)) fix = "bytes where bits are written?";
  }
  findings.add({Severity::kError, "implausible_number", row.file, row.pointer, row.text,
                fmt::format("{} to {}", text_of(row, range->low), text_of(row, range->high)), fix,
                "no such number is known; most likely a slip of the unit"});
}

void judge_price(const Record& record, const FactRow& row, Findings& findings) {
  const auto price = record.prices.find(row.name.substr(std::string_view("price/").size()));
  if (price == record.prices.end()) return;
  const auto unit = unit_price(price->second);
  if (!unit) return;
  const auto* limits = std::find_if(kPriceRanges.begin(), kPriceRanges.end(),
                                    [&](const PriceRange& r) { return r.basis == unit->basis; });
  if (limits == kPriceRanges.end()) return;
  const double value = unit->usd * limits->units;
  if (within(value, limits->range)) return;
  std::string fix;
  const bool per_hour = price->second.per.ends_with("-hour");
  const bool per_month = price->second.per.ends_with("-month");
  const std::string counted = price->second.per.substr(0, price->second.per.rfind('-'));
  if (per_hour && within(value / kPriceMonthHours, limits->range)) fix = fmt::format("per {}-month?", counted);
  if (per_month && within(value * kPriceMonthHours, limits->range)) fix = fmt::format("per {}-hour?", counted);
  findings.add({Severity::kError, "implausible_number", row.file, row.pointer,
                fmt::format("{}, which is ${:.4g} per {}", row.text, value, limits->per),
                fmt::format("${:.15g} to ${:.15g} per {}", limits->range.low, limits->range.high, limits->per), fix,
                "no such price is known; most likely a slip of the unit"});
}

// Figures that NICs have, in Gb/s.
bool is_nic_figure(double number) {
  constexpr std::array<double, 11> kFigures = {10, 25, 32, 40, 50, 100, 200, 400, 800, 1600, 3200};
  return std::find(kFigures.begin(), kFigures.end(), number) != kFigures.end();
}

void judge_nic(const FactRow& row, Findings& findings) {
  if (row.name != "nic_bandwidth" && row.name != "gpu_link_bandwidth") return;
  if (!row.text.ends_with("GB/s") || !is_nic_figure(*row.value / 1e9)) return;
  findings.add({Severity::kWarning, "unit_slip", row.file, row.pointer, row.text, "",
                fmt::format("did you mean \"{} Gb/s\"?", format_number(*row.value / 1e9)),
                "networks are printed in bits, and this is one of their figures"});
}

void judge_others(const FactRow& row, Findings& findings) {
  for (const OtherValue& other : row.others) {
    const auto value = parse_quantity(row.dimension, other.text).base;
    const Slip* slip = value ? slip_between(*row.value, *value) : nullptr;
    if (slip == nullptr || !other.note.empty()) continue;
    findings.add({Severity::kWarning, "unit_slip", row.file, row.pointer,
                  fmt::format("{}, where another source has {}", row.text, other.text), "",
                  "correct the unit, or say in the other's note what it is", std::string(slip->meaning)});
  }
}

}  // namespace

void find_implausible(const Record& record, Findings& findings) {
  for (const FactRow& row : record.rows) {
    if (!row.value) continue;
    if (row.is_price) {
      judge_price(record, row, findings);
    } else {
      judge_range(record, row, findings);
      judge_nic(row, findings);
    }
    judge_others(row, findings);
  }
}

}  // namespace stallcast
