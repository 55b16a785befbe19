#include "core/catalogue/capacity_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stallcast {
namespace {

constexpr double kTiB = 1024.0 * 1024.0 * 1024.0 * 1024.0;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool nearly_equal(double a, double b) { return std::abs(a - b) <= kRelativeSlack * std::max(std::abs(a), std::abs(b)); }

double minimum_of(const TierRecord& tier) { return tier.capacity_min ? tier.capacity_min->value.base() : 0.0; }

double maximum_of(const TierRecord& tier) { return tier.capacity_max ? tier.capacity_max->value.base() : kInfinity; }

// The band that holds `capacity`, or null below the first.
const SizeBand* band_at(const TierRecord& tier, Bytes capacity) {
  const SizeBand* found = nullptr;
  for (const SizeBand& band : tier.bands) {
    if (capacity.base() >= band.from.value.base() * (1.0 - kRelativeSlack)) found = &band;
  }
  return found;
}

// 0 when any size will do.
double step_at(const TierRecord& tier, Bytes capacity) {
  const SizeBand* band = band_at(tier, capacity);
  if (band != nullptr && band->capacity_step) return band->capacity_step->value.base();
  return tier.capacity_step ? tier.capacity_step->value.base() : 0.0;
}

double units_of(const TierRecord& tier, Bytes capacity) {
  return capacity.base() / (tier.capacity_unit ? tier.capacity_unit->value.base() : kTiB);
}

// What a law gives for a size, without its bound; nothing when it has only a bound.
template <class Rate>
std::optional<double> unbounded(const RateLaw<Rate>& law, double units, double servers, IntervalEnd end) {
  if (!law.per_server && !law.per_tib && !law.base) return std::nullopt;
  const auto term = [&](const MaybeFact<Rate>& fact, double times) {
    return fact ? fact->at(end).base() * times : 0.0;
  };
  return term(law.per_server, servers) + term(law.per_tib, units) + term(law.base, 1.0);
}

template <class Rate>
MaybeRate<Rate> rate_of(const RateLaw<Rate>& law, double units, double servers) {
  if (!law.stated()) return std::nullopt;
  const auto at = [&](IntervalEnd end) {
    const double most = law.max ? law.max->at(end).base() : kInfinity;
    return std::min(unbounded(law, units, servers, end).value_or(most), most);
  };
  const double rate = at(nullptr);
  const MaybeFact<Rate>& fact = unbounded(law, units, servers, nullptr) != rate ? law.max
                                : law.per_server                                ? law.per_server
                                : law.per_tib                                   ? law.per_tib
                                                                                : law.base;
  return LawValue<Rate>{Rate::from_base(rate),
                        fact->evidence.with_ends(rate, at(&Evidence::low_factor), at(&Evidence::high_factor))};
}

template <class Rate>
ProvisionedRange<Rate> range_of(const Provisioning<Rate>& p, double units, IntervalEnd end = nullptr) {
  const double included = (p.included ? p.included->at(end).base() : 0.0) +
                          (p.included_per_tib ? p.included_per_tib->at(end).base() * units : 0.0);
  double max = p.max ? p.max->at(end).base() : kInfinity;
  if (p.max_per_tib) max = std::min(max, p.max_per_tib->at(end).base() * units);
  const double min = p.min ? p.min->at(end).base() : 0.0;
  return {Rate::from_base(min), Rate::from_base(std::max(max, included)), Rate::from_base(included)};
}

// What was bought, or what comes with the capacity.
template <class Rate>
MaybeRate<Rate> provisioned_rate(const Provisioning<Rate>& p, Rate bought, double units) {
  if (!p.stated()) return std::nullopt;
  const auto at = [&](IntervalEnd end) {
    const ProvisionedRange<Rate> range = range_of(p, units, end);
    return std::min(std::max({bought.base(), range.included.base(), range.min.base()}), range.max.base());
  };
  const double rate = at(nullptr);
  const MaybeFact<Rate>& fact = p.max                ? p.max
                                : p.included         ? p.included
                                : p.included_per_tib ? p.included_per_tib
                                                     : p.min;
  return LawValue<Rate>{Rate::from_base(rate),
                        fact->evidence.with_ends(rate, at(&Evidence::low_factor), at(&Evidence::high_factor))};
}

// `evidence` for the product of its value and another's.
Evidence times(Evidence evidence, const Evidence& other) {
  evidence.low_factor *= other.low_factor;
  evidence.high_factor *= other.high_factor;
  return evidence;
}

MaybeRate<Seconds> mttdl_of(const TierRecord& tier, Bytes capacity) {
  const double size = capacity.base();
  if (size <= 0.0) return std::nullopt;
  if (tier.mttdl && tier.mttdl_capacity)
    return LawValue<Seconds>{tier.mttdl->value * (tier.mttdl_capacity->value.base() / size), tier.mttdl->evidence};
  if (tier.mttdl_per_server && tier.server_capacity) {
    const double servers = 1.0 + std::ceil(size / tier.server_capacity->value.base() * (1.0 - kRelativeSlack));
    return LawValue<Seconds>{tier.mttdl_per_server->value / servers, tier.mttdl_per_server->evidence};
  }
  return std::nullopt;
}

}  // namespace

bool is_provisioned(const TierRecord& tier) {
  return tier.capacity_min.has_value() || tier.laws.read_bandwidth.per_tib.has_value();
}

bool is_valid_capacity(const TierRecord& tier, Bytes capacity) {
  const double size = capacity.base();
  if (nearly_equal(size, minimum_of(tier))) return true;
  if (size < minimum_of(tier) || size > maximum_of(tier) * (1.0 + kRelativeSlack)) return false;
  const double step = step_at(tier, capacity);
  return step == 0.0 || nearly_equal(size, std::round(size / step) * step);
}

std::vector<Bytes> nearest_capacities(const TierRecord& tier, Bytes capacity) {
  if (is_valid_capacity(tier, capacity)) return {capacity};
  const double size = capacity.base();
  const double low = minimum_of(tier);
  const double high = maximum_of(tier);
  if (size <= low) return {bytes(low)};
  // Beyond the maximum, or between steps. The largest size is the last multiple of the step that is within the range.
  const double step = step_at(tier, bytes(std::min(size, high)));
  if (step == 0.0) return {bytes(std::min(size, high))};
  const double below = std::min(std::floor(size / step), std::floor(high / step * (1.0 + kRelativeSlack))) * step;
  const double above = (std::floor(size / step) + 1.0) * step;
  std::vector<Bytes> sizes = {bytes(std::max(below, low))};
  if (above <= high * (1.0 + kRelativeSlack)) sizes.push_back(bytes(above));
  return sizes;
}

ValidSizes valid_capacities(const TierRecord& tier, Bytes low, Bytes high, std::size_t most) {
  ValidSizes valid;
  const double end = std::min(high.base(), maximum_of(tier)) * (1.0 + kRelativeSlack);
  for (double size = std::max(low.base(), minimum_of(tier)); size <= end;) {
    const double step = step_at(tier, bytes(size));
    if (step == 0.0 || valid.sizes.size() == most) return {false, {}};
    if (is_valid_capacity(tier, bytes(size))) valid.sizes.push_back(bytes(size));
    size = (std::floor(size / step * (1.0 + kRelativeSlack)) + 1.0) * step;
  }
  return valid;
}

std::vector<Bytes> spaced_capacities(const TierRecord& tier, double factor) {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  std::vector<Bytes> sizes;
  if (!is_provisioned(tier)) return sizes;
  const double low = std::max(kGiB, minimum_of(tier)), high = maximum_of(tier);
  const double end = std::isfinite(high) ? high * (1.0 + kRelativeSlack) : kEndless * low;
  for (double wanted = low; wanted <= end; wanted = sizes.back().base() * factor) {
    const double step = step_at(tier, bytes(wanted)) > 0.0 ? step_at(tier, bytes(wanted)) : kGiB;
    const double whole = sizes.empty() ? low : std::ceil(wanted / step * (1.0 - kRelativeSlack)) * step;
    const Bytes size = nearest_capacities(tier, bytes(whole)).back();
    if (size.base() < whole || size.base() > end) break;
    sizes.push_back(size);
  }
  if (std::isfinite(high)) {
    const Bytes largest = nearest_capacities(tier, bytes(high)).front();
    if (sizes.empty() || largest.base() > sizes.back().base() * (1.0 + kRelativeSlack)) sizes.push_back(largest);
  }
  return sizes;
}

TierRates rates_at(const TierRecord& tier, const TierSize& size) {
  const double units = units_of(tier, size.capacity);
  const auto servers = static_cast<double>(size.servers);
  const SizeBand* band = band_at(tier, size.capacity);
  const auto law = [&](auto member) {
    const auto& banded = band != nullptr ? band->laws.*member : tier.laws.*member;
    return rate_of(banded.stated() ? banded : tier.laws.*member, units, servers);
  };
  TierRates out;
  out.read_bandwidth = law(&RateLaws::read_bandwidth);
  out.write_bandwidth = law(&RateLaws::write_bandwidth);
  out.read_iops = law(&RateLaws::read_iops);
  out.write_iops = law(&RateLaws::write_iops);
  out.metadata_rate = law(&RateLaws::metadata_rate);
  out.burst_bandwidth = rate_of(tier.burst_bandwidth, units, servers);
  out.server_cache_bandwidth = rate_of(tier.server_cache_bandwidth, units, servers);
  if (tier.burst_credit) out.burst_credit = LawValue<Bytes>{tier.burst_credit->value, tier.burst_credit->evidence};
  if (tier.burst_credit_per_tib) {
    out.burst_credit = LawValue<Bytes>{tier.burst_credit_per_tib->value * units, tier.burst_credit_per_tib->evidence};
  }
  if (tier.server_cache_per_tib) {
    out.server_cache = LawValue<Bytes>{tier.server_cache_per_tib->value * units, tier.server_cache_per_tib->evidence};
  }
  out.mttdl = mttdl_of(tier, size.capacity);

  if (const auto iops = provisioned_rate(tier.provisioned_iops, size.provisioned_iops, units)) {
    out.read_iops = out.write_iops = iops;
  }
  if (const auto bandwidth = provisioned_rate(tier.provisioned_bandwidth, size.provisioned_bandwidth, units)) {
    out.read_bandwidth = out.write_bandwidth = bandwidth;
    if (tier.bytes_per_provisioned_io) {
      out.read_iops = out.write_iops =
          LawValue<PerSecond>{per_second(bandwidth->value.base() / tier.bytes_per_provisioned_io->value.base()),
                              times(inverse(tier.bytes_per_provisioned_io->evidence), bandwidth->evidence)};
    }
  }
  if (tier.bytes_per_io && out.read_iops) {
    const Fact<Bytes>& io = *tier.bytes_per_io;
    const auto bound = [&io](MaybeRate<BytesPerSecond>& bandwidth, const LawValue<PerSecond>& iops) {
      const double most = iops.value.base() * io.value.base();
      if (!bandwidth || bandwidth->value.base() > most) {
        bandwidth = LawValue<BytesPerSecond>{bytes_per_second(most), times(io.evidence, iops.evidence)};
      }
    };
    bound(out.read_bandwidth, *out.read_iops);
    bound(out.write_bandwidth, out.write_iops ? *out.write_iops : *out.read_iops);
  }
  return out;
}

ProvisionedRange<BytesPerSecond> provisioned_bandwidth_range(const TierRecord& tier, Bytes capacity) {
  return range_of(tier.provisioned_bandwidth, units_of(tier, capacity));
}

ProvisionedRange<PerSecond> provisioned_iops_range(const TierRecord& tier, Bytes capacity) {
  return range_of(tier.provisioned_iops, units_of(tier, capacity));
}

}  // namespace stallcast
