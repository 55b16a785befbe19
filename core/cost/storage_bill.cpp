#include "core/cost/storage_bill.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

std::string text_of(Bytes size) { return format_quantity(Dimension::kBytes, size.base()); }

ExactNumber time_of(ChargedSpan span) { return ExactNumber::exactly(span.length().base()); }

}  // namespace

StorageBill::StorageBill(const Scenario& s, const StorageSpec& spec, const TierRecord& tier, std::string resource,
                         Bill& bill)
    : s_(s), spec_(spec), tier_(tier), resource_(std::move(resource)), bill_(bill) {}

bool StorageBill::bills_requests() const {
  return has_price("read_requests") || has_price("write_requests") || has_price("list_requests") ||
         tier_.read_request_rate.has_value();
}

template <class Rate>
void StorageBill::beyond_included(const std::string& key, Metered metered, Dimension dimension, double bought,
                                  const ProvisionedRange<Rate>& range, ChargedSpan span) {
  const double charged = std::max(bought, range.min.base()) - range.included.base();
  if (charged <= 0.0) return;
  const std::string counted = metered == Metered::kRate ? "IOPS" : "";
  std::string what = fmt::format("{}, {} bought", name(), format_quantity(dimension, charged, counted));
  if (range.included.base() > 0.0) what += " beyond what is included";
  charge(key, what, CostCategory::kStorage, {metered, ExactNumber::exactly(charged) * copies(), time_of(span)}, span);
}

void StorageBill::charge_provisioned(ChargedSpan span) {
  charge("capacity", fmt::format("{}, {}", name(), text_of(spec_.capacity)), CostCategory::kStorage,
         {Metered::kCapacity, ExactNumber::exactly(spec_.capacity.base()) * copies(), time_of(span)}, span);
  beyond_included("provisioned_bandwidth", Metered::kBandwidth, Dimension::kByteRate,
                  spec_.provisioned_bandwidth.base(), provisioned_bandwidth_range(tier_, spec_.capacity), span);
  beyond_included("provisioned_iops", Metered::kRate, Dimension::kRate, spec_.provisioned_iops.base(),
                  provisioned_iops_range(tier_, spec_.capacity), span);
}

void StorageBill::charge_servers(ChargedSpan span) {
  if (has_price("servers")) {
    charge("servers", fmt::format("{}, {} servers", name(), spec_.servers), CostCategory::kStorage,
           {Metered::kThings, spec_.servers * copies(), time_of(span)}, span);
  }
  if (has_price("instance")) {
    charge("instance", fmt::format("{}, the system", name()), CostCategory::kStorage,
           {Metered::kThings, copies(), time_of(span)}, span);
  }
}

void StorageBill::charge_stored(const std::string& what, ExactNumber byte_s, ChargedSpan span) {
  charge("capacity", fmt::format("{}, {}", name(), what), CostCategory::kStorage,
         {Metered::kCapacity, std::move(byte_s), 1}, span);
}

void StorageBill::charge_requests(const std::string& key, std::string_view words, double count, double moved_bytes,
                                  ChargedSpan span) {
  if (!bills_requests()) return;
  const std::string what = fmt::format("{}, {}", name(), words);
  if (count <= 0.0 && moved_bytes > 0.0) {
    bill_.unknown.push_back({CostCategory::kRequests, what, "the run did not count them", ""});
    return;
  }
  if (count <= 0.0) return;
  const bool as_writes = key == "list_requests" && !has_price(key) && has_price("write_requests");
  charge(as_writes ? "write_requests" : key, what, CostCategory::kRequests,
         {Metered::kRequests, ExactNumber::exactly(count), 0}, span);
}

void StorageBill::charge_traffic(const std::string& key, std::string_view words, double bytes_moved, ChargedSpan span) {
  if (!has_price(key)) return;
  charge_transfer(key, words, bytes_moved, span);
}

void StorageBill::charge_transfer(const std::string& key, std::string_view words, double bytes_moved,
                                  ChargedSpan span) {
  if (bytes_moved <= 0.0) return;
  charge(key, fmt::format("{}, {}", name(), words), CostCategory::kTransfer,
         {Metered::kTraffic, ExactNumber::exactly(bytes_moved), 0}, span);
}

ExactNumber StorageBill::copies() const {
  return spec_.scope == TierScope::kPerNode ? ExactNumber(s_.cluster.nodes) : ExactNumber(1);
}

BilledKind StorageBill::billed_kind(CostCategory category) const {
  if (category == CostCategory::kRequests) return BilledKind::kRequests;
  if (category == CostCategory::kTransfer) return BilledKind::kTransfer;
  if (bills_requests()) return BilledKind::kObjects;
  return tier_.client == "block" || tier_.client == "local" ? BilledKind::kDisk : BilledKind::kFiles;
}

void StorageBill::charge(const std::string& key, const std::string& what, CostCategory category, const Usage& usage,
                         ChargedSpan span) {
  if (usage.amount == 0) return;
  const ExactNumber discount =
      category == CostCategory::kStorage ? ExactNumber::as_written(s_.cost.storage_discount) : ExactNumber(0);
  const auto price = tier_.prices.find(key);
  const std::optional<ExactNumber> amount =
      price == tier_.prices.end() ? std::nullopt : ExactNumber::parse(price->second.amount);
  if (!amount) {
    if (discount == 1) return;  // costs nothing, whatever the price
    std::string fix = fmt::format("add prices/{} to models/tiers/{}.json", key, tier_.name);
    if (category == CostCategory::kStorage) fix += ", or set /cost/storage_discount to 1 if it costs nothing";
    bill_.unknown.push_back({category, what, fmt::format("{} has no price of {}", tier_.name, key), std::move(fix)});
    return;
  }
  Offer offer = {tier_.provider,
                 tier_.title,
                 tier_.region,
                 resource_,
                 price->second.per,
                 Money::usd(*amount),
                 discount,
                 price->second.evidence.source,
                 price->second.evidence.kind};
  bill_.add({what, category, billed_kind(category), PricedAs::kStandard, std::move(offer), 0, span.start, span.end},
            usage);
}

}  // namespace stallcast
