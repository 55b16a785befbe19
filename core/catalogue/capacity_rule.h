// How a tier's size decides what it delivers: which sizes can be bought, and the rates at a size.
#pragma once

#include <optional>
#include <vector>

#include "core/catalogue/records/records.h"
#include "core/units/quantity.h"

namespace stallcast {

// "1.2 TiB" times a factor need not be exact.
inline constexpr double kRelativeSlack = 1e-9;

// A rate with the evidence of the number that decided it; nothing = unlimited or not stated.
template <class Rate>
struct LawValue {
  Rate value;
  Evidence evidence;
};
template <class Rate>
using MaybeRate = std::optional<LawValue<Rate>>;

struct TierRates {
  MaybeRate<BytesPerSecond> read_bandwidth, write_bandwidth, burst_bandwidth, server_cache_bandwidth;
  MaybeRate<PerSecond> read_iops, write_iops, metadata_rate;
  MaybeRate<Bytes> burst_credit, server_cache;
  MaybeRate<Seconds> mttdl;  // mean time to data loss; nothing = none to be expected, or not stated
};

// Whether the tier has a size to choose at all.
bool is_provisioned(const TierRecord& tier);

// Whether `capacity` can be bought: the minimum, or a multiple of the step between minimum and maximum.
// **Source** the tier record. Parallelstore: multiples of 4 TiB from 12 to 100; FSx Scratch 2: 1200 GiB, then
// multiples of 2400 GiB. A tier without a step takes any size in its range.
bool is_valid_capacity(const TierRecord& tier, Bytes capacity);

// The valid sizes nearest to `capacity`: below and above, ascending; one only beyond the range or when it is valid.
std::vector<Bytes> nearest_capacities(const TierRecord& tier, Bytes capacity);

// The sizes from `low` to `high` that can be bought, ascending. Not `countable`, and none, where any size can be bought
// or where there are more than `most`.
struct ValidSizes {
  bool countable = true;
  std::vector<Bytes> sizes;
};
ValidSizes valid_capacities(const TierRecord& tier, Bytes low, Bytes high, std::size_t most);

// Sizes that can be bought, ascending, each the smallest that is at least `factor` times the one before: from the
// smallest to the largest, or to kEndless times the smallest where there is no largest. None of a tier that is not sold
// by its size.
inline constexpr double kEndless = 1000.0;
std::vector<Bytes> spaced_capacities(const TierRecord& tier, double factor);

// What the tier delivers at a size that can be bought.
// **Model** by the laws of the band that holds the capacity: rate = min(max, base + per_tib * capacity / capacity_unit
//   + per_server * servers). Bought bandwidth or IOPS take the place of the law: max(bought, included), at most max and
//   max_per_tib. Bandwidth is at most IOPS * bytes_per_io.
//   Mean time to data loss: mttdl * mttdl_capacity / capacity, or mttdl_per_server / (1 + ceil(capacity /
//   server_capacity)): a metadata server, and one for each server_capacity begun; losses strike at a constant rate.
//   An interval of a rate: from all of its facts at their low ends to all at their high ends. Errors of one measurement
//   go the same way, and independent ones leave it narrower than that. What is bought is known.
// **Checked by** tests/core/catalogue/vendor_examples_test.cpp
TierRates rates_at(const TierRecord& tier, const TierSize& size);

// The bounds of bandwidth or IOPS that can be bought beside a capacity; `max` infinite when there is none.
template <class Rate>
struct ProvisionedRange {
  Rate min, max, included;
};
ProvisionedRange<BytesPerSecond> provisioned_bandwidth_range(const TierRecord& tier, Bytes capacity);
ProvisionedRange<PerSecond> provisioned_iops_range(const TierRecord& tier, Bytes capacity);

}  // namespace stallcast
