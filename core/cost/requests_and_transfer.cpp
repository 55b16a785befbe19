#include "core/cost/requests_and_transfer.h"

#include <string_view>

#include "core/cost/storage_bill.h"

namespace stallcast {
namespace {

class UseCharges {
 public:
  UseCharges(const Scenario& s, const PriceRecords& records, const RunTotals& totals, ChargedSpan job, Bill& bill,
             std::vector<std::string>& notes)
      : s_(s), records_(records), totals_(totals), job_(job), bill_(bill), notes_(notes) {}

  void charge() {
    if (records_.storage != nullptr) {
      StorageBill storage(s_, s_.storage, *records_.storage, "storage", bill_);
      storage.charge_requests("read_requests", "read requests", totals_.read_requests, totals_.read_bytes, job_);
      storage.charge_requests("write_requests", "write requests", totals_.write_requests, totals_.written_bytes, job_);
      storage.charge_requests("list_requests", "list requests", totals_.list_requests, 0.0, job_);
      storage.charge_traffic("retrieval", "retrieval", totals_.read_bytes, job_);
      storage.charge_traffic("upload", "upload", totals_.written_bytes, job_);
    }
    if (records_.origin != nullptr) {
      StorageBill origin(s_, s_.origin, *records_.origin, "origin", bill_);
      origin.charge_requests("read_requests", "read requests", totals_.origin_read_requests, totals_.origin_read_bytes,
                             job_);
      origin.charge_requests("list_requests", "list requests", totals_.origin_list_requests, 0.0, job_);
      origin.charge_traffic("retrieval", "retrieval", totals_.origin_read_bytes, job_);
    }
    regional_cache();
    leaving("egress_internet", "egress to the internet", s_.cost.egress_internet.base());
    leaving("egress_cross_region", "egress to another region", s_.cost.egress_cross_region.base());
    if (records_.storage != nullptr && s_.cost.cross_zone_fraction > 0.0) {
      StorageBill(s_, s_.storage, *records_.storage, "storage", bill_)
          .charge_transfer("egress_cross_zone", "reads across zones", s_.cost.cross_zone_fraction * totals_.read_bytes,
                           job_);
    }
  }

 private:
  // The tier that sells the cache: the one that is read, or the bucket behind it.
  void regional_cache() {
    if (totals_.regional_read_bytes + totals_.regional_ingest_bytes <= 0.0) return;
    const bool behind = records_.origin != nullptr && records_.origin->prices.contains("cache_read");
    const TierRecord* tier = behind ? records_.origin : records_.storage;
    if (tier == nullptr) return;
    StorageBill cache(s_, behind ? s_.origin : s_.storage, *tier, behind ? "origin" : "storage", bill_);
    cache.charge_transfer("cache_ingest", "put into the regional cache", totals_.regional_ingest_bytes, job_);
    cache.charge_transfer("cache_read", "read from the regional cache", totals_.regional_read_bytes, job_);
    cache.charge_requests("read_requests", "read requests of the regional cache", totals_.regional_read_requests, 0.0,
                          job_);
    if (records_.origin == nullptr && tier->prices.contains("cache_ingest"))
      notes_.emplace_back("the bucket behind the regional cache: name it in /origin/tier");
  }

  // Bytes that leave do so from the bucket where there is one.
  void leaving(const std::string& key, std::string_view words, double amount) {
    if (amount <= 0.0) return;
    const bool from_origin =
        records_.origin != nullptr && (records_.origin->prices.contains(key) || records_.storage == nullptr ||
                                       !records_.storage->prices.contains(key));
    const TierRecord* tier = from_origin ? records_.origin : records_.storage;
    if (tier == nullptr) {
      bill_.unknown.push_back({CostCategory::kTransfer, std::string(words),
                               "no tier is named, and only tiers have prices", "name a /storage/tier"});
      return;
    }
    StorageBill(s_, from_origin ? s_.origin : s_.storage, *tier, from_origin ? "origin" : "storage", bill_)
        .charge_transfer(key, words, amount, job_);
  }

  const Scenario& s_;
  const PriceRecords& records_;
  const RunTotals& totals_;
  const ChargedSpan job_;
  Bill& bill_;
  std::vector<std::string>& notes_;
};

}  // namespace

void charge_requests_and_transfer(const Scenario& s, const PriceRecords& records, const RunTotals& totals,
                                  ChargedSpan job, Bill& bill, std::vector<std::string>& notes) {
  UseCharges(s, records, totals, job, bill, notes).charge();
}

}  // namespace stallcast
