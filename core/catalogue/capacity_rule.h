// How a tier's size decides what it delivers: which sizes can be bought, and the rates at a size.
#pragma once

#include <optional>
#include <vector>

#include "core/catalogue/records.h"
#include "core/units/quantity.h"

namespace stallcast {

// Whether the tier has a size to choose at all.
bool is_provisioned(const TierRecord& tier);

// Whether `capacity` can be bought: the minimum, or a multiple of the step between minimum and maximum.
// **Source** the tier record. Parallelstore: multiples of 4 TiB from 12 to 100; FSx Scratch 2: 1200 GiB, then
// multiples of 2400 GiB. A tier without a step takes any size in its range.
bool is_valid_capacity(const TierRecord& tier, Bytes capacity);

// The valid sizes nearest to `capacity`: below and above, ascending; one only beyond the range or when it is valid.
std::vector<Bytes> nearest_capacities(const TierRecord& tier, Bytes capacity);

// `per_tib` of a tier that has `capacity`, or `fixed` when that is given instead; nothing when neither is.
// **Model** rate = per_tib * capacity / capacity_unit.
template <class Rate>
std::optional<Rate> rate_at_capacity(const TierRecord& tier, const MaybeFact<Rate>& fixed,
                                     const MaybeFact<Rate>& per_tib, Bytes capacity) {
  if (fixed) return fixed->value;
  if (!per_tib) return std::nullopt;
  constexpr double kTiB = 1024.0 * 1024.0 * 1024.0 * 1024.0;
  const Bytes unit = tier.capacity_unit ? tier.capacity_unit->value : bytes(kTiB);
  return per_tib->value * (capacity / unit);
}

}  // namespace stallcast
