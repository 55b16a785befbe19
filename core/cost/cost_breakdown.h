// What a run costs: the lines of its bill, their sums, and where the money of the machines went.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/money/exact_number.h"
#include "core/cost/money/money.h"
#include "core/result/estimate.h"
#include "core/units/quantity.h"

namespace stallcast {

enum class CostCategory { kCompute, kStorage, kRequests, kTransfer, kOverheads, kCount };

// "compute", "storage", "requests", "transfer", "overheads".
std::string_view cost_category_name(CostCategory category);

// What a charge is for; FOCUS has names for them.
enum class BilledKind { kMachines, kDisk, kFiles, kObjects, kRequests, kTransfer, kSupport, kTax, kPeople };
enum class PricedAs { kStandard, kSpot, kCommitted };

// Who sells it, where, and for how much per unit.
struct Offer {
  std::string provider;  // "gcp", "aws", "azure", "self", "any"; "" when not known
  std::string service;   // title of the record
  std::string region;    // that the price holds in, "" when the record names none
  std::string resource;  // "cluster", "storage" or "origin"
  std::string per;       // one of price_units(); "dollar" of a share of other charges
  Money list_price;
  ExactNumber discount;  // off the list price, 0 to 1
  std::string source;    // of the price
  std::string kind;      // "measured", "vendor", "assumed", or "" for a price of the scenario's own
};

struct BillLine {
  std::string what;  // "4 x a3-highgpu-8g, training"
  CostCategory category = CostCategory::kCompute;
  BilledKind kind = BilledKind::kMachines;
  PricedAs priced_as = PricedAs::kStandard;
  Offer offer;
  ExactNumber quantity;  // in offer.per
  Seconds start;         // of what is charged, from the start of the job
  Seconds end;

  Money list_cost() const { return offer.list_price * quantity; }
  Money effective_price() const { return offer.list_price * (1 - offer.discount); }
  Money cost() const { return effective_price() * quantity; }
};

// A charge that has to be there and cannot be computed.
struct UnknownCost {
  CostCategory category = CostCategory::kCompute;
  std::string what;  // "read requests of s3_standard"
  std::string why;
  std::string fix;
};

// "UNKNOWN read requests of s3_standard: WHY; FIX"
std::string unknown_text(const UnknownCost& unknown);

// Dollars of machines that did not compute, by why.
struct LostDollars {
  std::string cause;   // lost_time_name(), or "staging", "listing", "rework", "recovery", "spares", "reserved"
  std::string phrase;  // "storage latency: waiting for the first byte"
  Money dollars;
};

// What runs by the hour while the job trains, known even when the length of the run is not: machines and storage,
// without requests and transfer.
struct HourlyRates {
  std::optional<Money> compute, storage;  // nothing when a price is missing
  std::optional<Money> total() const;
};

// **Identities** (exact; tests/core/cost/price_run_test.cpp): total() is the sum of the lines; the categories sum to
// it; wasted() is the machines' dollars less useful_compute.
struct CostBreakdown {
  bool run_is_sized = false;  // false: the length of the run is not given, there are no lines, only hourly rates
  bool run_ends = true;       // false: interruptions undo what the run does; then it is not sized either
  std::vector<BillLine> lines;
  std::vector<UnknownCost> unknown;
  std::vector<std::string> notes;  // what the numbers do not include, and why
  std::vector<LostDollars> lost;   // every cause, in the order of LostTime, then the six above
  Money useful_compute;
  HourlyRates per_hour;
  std::optional<Money> per_useful_gpu_hour;  // all dollars over the GPU-hours that computed
  std::optional<Money> per_epoch;
  std::optional<Money> per_million_samples;
  std::optional<Estimate> total_interval;  // dollars, with uncertain inputs; nothing without, or without a total
  std::optional<Estimate> price_interval;  // likewise, of per_useful_gpu_hour

  // Nothing when a charge of that category is unknown, or the length of the run.
  std::optional<Money> category_total(CostCategory category) const;
  std::optional<Money> total() const;
  std::optional<Money> wasted() const;
};

}  // namespace stallcast
