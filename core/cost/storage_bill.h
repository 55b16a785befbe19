// One storage system and what it charges, as lines of a bill.
#pragma once

#include <string>
#include <string_view>

#include "core/catalogue/capacity_rule.h"
#include "core/catalogue/records/records.h"
#include "core/cost/bill.h"
#include "core/cost/money/exact_number.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// A charge that the tier's record has no price for is unknown, unless storage_discount takes it all.
class StorageBill {
 public:
  // `spec` is the storage or the origin of `s`, and `resource` says which. Keeps references to all but the text.
  StorageBill(const Scenario& s, const StorageSpec& spec, const TierRecord& tier, std::string resource, Bill& bill);

  bool has_price(const std::string& key) const { return tier_.prices.contains(key); }
  bool bills_requests() const;

  // What is charged for existing during `span`: capacity, and bandwidth and IOPS beyond what is included.
  void charge_provisioned(ChargedSpan span);
  // Charged beside the capacity, or instead of it.
  void charge_servers(ChargedSpan span);
  // Bytes that are held, for `byte_s` byte-seconds in all.
  void charge_stored(const std::string& what, ExactNumber byte_s, ChargedSpan span);

  // `count` requests. `moved_bytes` shows that there were requests, should nobody have counted them.
  void charge_requests(const std::string& key, std::string_view words, double count, double moved_bytes,
                       ChargedSpan span);
  // Bytes that moved.
  void charge_transfer(const std::string& key, std::string_view words, double bytes_moved, ChargedSpan span);
  // The same where the tier has a price for it, else nothing.
  void charge_traffic(const std::string& key, std::string_view words, double bytes_moved, ChargedSpan span);

  const TierRecord& tier() const { return tier_; }
  std::string name() const { return tier_.name; }
  ExactNumber copies() const;  // one for each node where the tier is local to them

 private:
  template <class Rate>
  void beyond_included(const std::string& key, Metered metered, Dimension dimension, double bought,
                       const ProvisionedRange<Rate>& range, ChargedSpan span);
  BilledKind billed_kind(CostCategory category) const;
  void charge(const std::string& key, const std::string& what, CostCategory category, const Usage& usage,
              ChargedSpan span);

  const Scenario& s_;
  const StorageSpec& spec_;
  const TierRecord& tier_;
  std::string resource_;
  Bill& bill_;
};

}  // namespace stallcast
