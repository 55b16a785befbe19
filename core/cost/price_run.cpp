#include "core/cost/price_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/catalogue/capacity_rule.h"
#include "core/cost/bill.h"
#include "core/cost/cost_interval.h"
#include "core/cost/machine_offer.h"
#include "core/cost/money/price_unit.h"
#include "core/cost/overheads.h"
#include "core/cost/requests_and_transfer.h"
#include "core/cost/storage_bill.h"
#include "core/cost/stored_checkpoints.h"
#include "core/diagnostics/invariant.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

constexpr double kSecondsPerHour = 3600.0;

ExactNumber exactly(double value) { return ExactNumber::exactly(value); }

PricedAs priced_as(HostPricing pricing) {
  if (pricing == HostPricing::kOnDemand) return PricedAs::kStandard;
  return pricing == HostPricing::kSpot ? PricedAs::kSpot : PricedAs::kCommitted;
}

std::string rounded_text(Bytes size) { return format_quantity(Dimension::kBytes, rounded(size.base())); }

// How long the parts of a run take, first to last; what comes in pieces is put behind training in one.
struct BilledTimes {
  Seconds staging, listing, training, rework, recovery, unpaid;

  explicit BilledTimes(const RunTotals& t)
      : staging(seconds(t.staging_s)),
        listing(seconds(t.listing_s)),
        training(seconds(t.training_s)),
        rework(seconds(t.rework_s)),
        recovery(seconds(t.recovery_s)),
        unpaid(seconds(t.unpaid_s)) {}
  Seconds training_start() const { return staging + listing; }
  Seconds trained() const { return training_start() + training; }
  Seconds end() const { return trained() + rework + recovery + unpaid; }
};

class Pricer {
 public:
  Pricer(const Scenario& s, const PriceRecords& records, const RunResult& result)
      : s_(s), records_(records), result_(result), t_(result.totals), times_(result.totals) {}

  CostBreakdown run() {
    check_totals();
    out_.run_ends = std::isfinite(result_.time_to_train_s);
    out_.run_is_sized = t_.training_s > 0.0 && out_.run_ends;
    hourly_rates();
    if (out_.run_is_sized) {
      machines();
      storage_for_the_run(bill_);
      charge_requests_and_transfer(s_, records_, t_, {seconds(0), times_.end()}, bill_, out_.notes);
      out_.lines = std::move(bill_.lines);
      out_.unknown = std::move(bill_.unknown);
    }
    lost_dollars();
    charge_overheads(out_, s_.cost, times_.end());
    effective_prices();
    return std::move(out_);
  }

 private:
  void check_totals() const {
    for (const double total : {t_.listing_s, t_.staging_s, t_.training_s, t_.useful_gpu_s, t_.samples, t_.read_bytes,
                               t_.written_bytes, t_.read_requests, t_.write_requests, t_.list_requests,
                               t_.origin_read_bytes, t_.origin_read_requests, t_.origin_list_requests,
                               t_.regional_read_bytes, t_.regional_ingest_bytes, t_.checkpoints, t_.checkpoint_bytes}) {
      invariant(std::isfinite(total) && total >= 0.0, "totals of a run are finite and not negative");
    }
  }

  // --- machines ---
  void machines() {
    const std::optional<Offer> offer = machine_offer(s_, records_.instance, bill_.unknown);
    if (!offer) return;
    const std::string name =
        fmt::format("{} x {}", s_.cluster.nodes, s_.cluster.instance.empty() ? "machine" : s_.cluster.instance);
    const auto line = [&](const char* when, Seconds start, Seconds length) {
      return bill_.add({name + when, CostCategory::kCompute, BilledKind::kMachines, priced_as(s_.cost.pricing), *offer,
                        0, start, start + length},
                       {Metered::kThings, s_.cluster.nodes, exactly(length.base())});
    };
    if (s_.staging.gpus_billed) staging_cost_ = line(", while the dataset is staged", seconds(0), times_.staging);
    listing_cost_ = line(", while names are listed", times_.staging, times_.listing);
    const bool serves = s_.job == JobKind::kServing;
    training_cost_ = line(serves ? ", loading the model" : ", training", times_.training_start(), times_.training);
    rework_cost_ = line(", recomputed steps", times_.trained(), times_.rework);
    recovery_cost_ = line(", recovery from interruptions", times_.trained() + times_.rework, times_.recovery);
    const Seconds idle = seconds(std::max(0.0, (s_.cost.reserved_time - times_.end()).base()));
    reserved_cost_ = line(", reserved beyond the run", times_.end(), idle);
    if (s_.failures.spares > 0) {
      const std::string what = fmt::format("{} x {}, spares", s_.failures.spares,
                                           s_.cluster.instance.empty() ? "machine" : s_.cluster.instance);
      spares_cost_ = bill_.add({what, CostCategory::kCompute, BilledKind::kMachines, priced_as(s_.cost.pricing), *offer,
                                0, seconds(0), times_.end()},
                               {Metered::kThings, 1, exactly(t_.spare_node_s)});
    }
  }

  // --- storage ---

  std::optional<Bytes> dataset_bytes() const {
    if (s_.job == JobKind::kServing) return s_.serving.weights;
    auto samples = static_cast<double>(s_.dataset.samples);
    if (samples <= 0.0) samples = t_.samples / static_cast<double>(std::max<std::int64_t>(1, s_.run.epochs));
    if (samples <= 0.0) return std::nullopt;
    return bytes(samples * mean_of(s_.dataset.sample_size));
  }

  // How long storage is paid for: as long as the job, or its share of a month.
  Seconds lifetime() const {
    if (s_.cost.storage_lifetime == StorageLifetime::kAlways) return seconds(kSecondsPerMonth / s_.cost.runs_per_month);
    return times_.end();
  }

  static Seconds billed(const TierRecord& tier, Seconds lasts) {
    double time = lasts.base();
    if (tier.billing_minimum) time = std::max(time, tier.billing_minimum->value.base());
    if (tier.billing_granularity && tier.billing_granularity->value.base() > 0.0) {
      const double turn = tier.billing_granularity->value.base();
      time = std::ceil(time / turn) * turn;
    }
    return seconds(time);
  }

  static Seconds at_least_minimum(const TierRecord& tier, Seconds lasts) {
    return tier.minimum_storage_time ? seconds(std::max(lasts.base(), tier.minimum_storage_time->value.base())) : lasts;
  }

  void dataset_in(StorageBill& storage, Seconds lasts, Bill& bill) {
    std::optional<Bytes> size = dataset_bytes();
    if (!size && !out_.run_is_sized) {
      out_.notes.push_back(fmt::format("what {} holds: the size of the dataset is not given", storage.name()));
      return;
    }
    if (!size) {
      if (s_.cost.storage_discount >= 1.0) return;
      bill.unknown.push_back(
          {CostCategory::kStorage, storage.name() + ", dataset", "its size is not given", "give /dataset/samples"});
      return;
    }
    const double cache = s_.regional_cache.capacity.base();
    if (storage.has_price("cache_ingest") && cache > 0.0) size = bytes(std::min(size->base(), cache));
    const Seconds paid = at_least_minimum(storage.tier(), lasts);
    const char* what = s_.job == JobKind::kServing ? "weights" : "dataset";
    storage.charge_stored(fmt::format("{} of {}", what, rounded_text(*size)),
                          exactly(size->base()) * storage.copies() * exactly(paid.base()), {seconds(0), paid});
  }

  void unknown_storage(Bill& bill) const {
    if (s_.cost.storage_discount >= 1.0) return;
    bill.unknown.push_back({CostCategory::kStorage, "storage", "no tier is named, and only tiers have prices",
                            "name a /storage/tier, or set /cost/storage_discount to 1 if it costs nothing"});
  }

  // The storage system and the bucket behind it for `lasts`; `charged` as the tier bills time.
  void existing_storage(Seconds lasts, Seconds kept_longer, bool as_billed, Bill& bill) {
    if (records_.storage == nullptr) {
      unknown_storage(bill);
    } else {
      StorageBill storage(s_, s_.storage, *records_.storage, "storage", bill);
      Seconds paid = lasts + kept_longer;
      if (as_billed) paid = billed(*records_.storage, paid);
      if (is_provisioned(*records_.storage)) {
        storage.charge_provisioned({seconds(0), paid});
      } else {
        dataset_in(storage, lasts, bill);
      }
      storage.charge_servers({seconds(0), paid});
    }
    if (records_.origin != nullptr) {
      StorageBill origin(s_, s_.origin, *records_.origin, "origin", bill);
      dataset_in(origin, lasts, bill);
    }
  }

  void storage_for_the_run(Bill& bill) {
    const bool kept = s_.cost.storage_lifetime == StorageLifetime::kAlways;
    const bool has_checkpoints = t_.checkpoints > 0.0 && t_.checkpoint_bytes > 0.0;
    const Seconds retention = s_.cost.checkpoint_retention;
    const bool in_capacity = records_.storage != nullptr && is_provisioned(*records_.storage);
    const bool on_storage = has_checkpoints && s_.checkpoint.to_storage;
    // A system made for the job stays for its checkpoints when there is no bucket to move them to.
    const bool stays = on_storage && in_capacity && !kept && records_.origin == nullptr;
    existing_storage(lifetime(), stays ? retention : seconds(0), !kept, bill);
    if (kept && times_.end().base() > lifetime().base()) {
      out_.notes.push_back(
          fmt::format("more than one run's share of the kept storage: at {1} runs a month {0:.1f} overlap",
                      times_.end() / lifetime(), format_number(s_.cost.runs_per_month)));
    }
    if (!has_checkpoints) return;
    if (on_storage && records_.storage != nullptr && !in_capacity) {
      StorageBill storage(s_, s_.storage, *records_.storage, "storage", bill);
      checkpoints_in(storage, times_.training, "checkpoints");
    } else if (records_.origin != nullptr && retention.base() > 0.0 && !(on_storage && kept)) {
      StorageBill origin(s_, s_.origin, *records_.origin, "origin", bill);
      checkpoints_in(origin, seconds(0), "kept checkpoints");
    }
  }

  // `written_over` is 0 when only those that are kept come here, at the end of the job.
  void checkpoints_in(StorageBill& storage, Seconds written_over, const std::string& what) {
    const double kept = std::clamp(static_cast<double>(s_.cost.kept_checkpoints), 1.0, std::max(1.0, t_.checkpoints));
    StoredCheckpoints stored;
    stored.written = written_over.base() > 0.0 ? t_.checkpoints : kept;
    stored.kept = kept;
    stored.written_over = written_over;
    stored.retention = s_.cost.checkpoint_retention;
    if (storage.tier().minimum_storage_time) stored.minimum = storage.tier().minimum_storage_time->value;
    const Seconds start = written_over.base() > 0.0 ? times_.training_start() : times_.end();
    const Seconds end = times_.end() + seconds(std::max(stored.retention.base(), stored.minimum.base()));
    storage.charge_stored(what, exactly(t_.checkpoint_bytes) * exactly(stored_time(stored).base()), {start, end});
  }

  // --- sums ---

  void hourly_rates() {
    Bill hourly;
    const std::optional<Offer> machine = machine_offer(s_, records_.instance, hourly.unknown);
    if (machine) out_.per_hour.compute = machine->list_price * (1 - machine->discount) * s_.cluster.nodes;
    const std::size_t without_storage = hourly.unknown.size();
    existing_storage(seconds(kSecondsPerHour), seconds(0), false, hourly);
    if (hourly.unknown.size() == without_storage) {
      Money sum;
      for (const BillLine& line : hourly.lines) sum += line.cost();
      out_.per_hour.storage = sum;
    }
    if (!out_.run_is_sized) out_.unknown = std::move(hourly.unknown);
  }

  void lost_dollars() {
    const double useful = t_.useful_gpu_s, lost_s = std::max(0.0, t_.lost_gpu_s);
    Money lost;
    if (useful + lost_s > 0.0) lost = training_cost_ * (exactly(lost_s) / (exactly(useful) + exactly(lost_s)));
    out_.useful_compute = training_cost_ - lost;
    // Preparation, rework and recovery have lines of the bill of their own.
    const auto in_training = [](LostTime cause) {
      return cause != LostTime::kStaging && cause != LostTime::kRework && cause != LostTime::kRecovery;
    };
    ExactNumber all = 0;
    for (std::size_t c = 0; c < result_.lost_fraction.size(); ++c)
      if (in_training(static_cast<LostTime>(c))) all += exactly(std::max(0.0, result_.lost_fraction[c]));
    for (std::size_t c = 0; c < result_.lost_fraction.size(); ++c) {
      const auto cause = static_cast<LostTime>(c);
      if (!in_training(cause)) continue;
      Money share;
      // A run whose steady part loses nothing lost what it lost while it started.
      if (all == 0 && cause == LostTime::kStartup) share = lost;
      if (all > 0) share = lost * (exactly(std::max(0.0, result_.lost_fraction[c])) / all);
      out_.lost.push_back({std::string(lost_time_name(cause)), std::string(lost_time_phrase(cause)), share});
    }
    out_.lost.push_back({"staging", "waiting for the dataset to be staged", staging_cost_});
    out_.lost.push_back({"listing", "listing the names of the dataset", listing_cost_});
    out_.lost.push_back({"rework", "steps lost to interruptions and done again", rework_cost_});
    out_.lost.push_back({"recovery", "detection, replacement, restart and restore", recovery_cost_});
    out_.lost.push_back({"spares", "spare machines", spares_cost_});
    out_.lost.push_back({"reserved", "machines reserved beyond the run", reserved_cost_});
  }

  void effective_prices() {
    const std::optional<Money> total = out_.total();
    if (total) {
      if (t_.useful_gpu_s > 0.0) out_.per_useful_gpu_hour = *total / (exactly(t_.useful_gpu_s) / 3600);
      if (s_.run.epochs > 0 && s_.job == JobKind::kTraining) out_.per_epoch = *total / s_.run.epochs;
      if (t_.samples > 0.0) out_.per_million_samples = *total / exactly(t_.samples) * 1'000'000;
    }
    if (out_.run_is_sized || !out_.run_ends) return;
    const std::optional<Money> rate = out_.per_hour.total();
    const double utilization = result_.gpu_utilization.mean;
    if (rate && utilization > 0.0) out_.per_useful_gpu_hour = *rate / (exactly(utilization) * s_.ranks());
    const auto charges_by_use = [](const TierRecord* tier) {
      return tier != nullptr && (tier->prices.contains("read_requests") || tier->prices.contains("retrieval"));
    };
    if (charges_by_use(records_.storage) || charges_by_use(records_.origin))
      out_.notes.emplace_back("requests and transfer: they need the length of the run");
  }

  const Scenario& s_;
  const PriceRecords& records_;
  const RunResult& result_;
  const RunTotals& t_;
  const BilledTimes times_;
  Bill bill_;
  Money staging_cost_, listing_cost_, training_cost_, rework_cost_, recovery_cost_, spares_cost_,
      reserved_cost_;  // of the machines
  CostBreakdown out_;
};

}  // namespace

CostBreakdown price_run(const Scenario& scenario, const PriceRecords& records, const RunResult& result) {
  CostBreakdown cost = Pricer(scenario, records, result).run();
  add_intervals(cost, scenario, records, result);
  return cost;
}

PriceRecords price_records(const ResolvedScenario& resolved) {
  const auto pointer = [](const auto& record) { return record ? &*record : nullptr; };
  return {pointer(resolved.records.instance), pointer(resolved.records.storage), pointer(resolved.records.origin)};
}

CostBreakdown price_run(const ResolvedScenario& resolved, const RunResult& result) {
  return price_run(resolved.scenario, price_records(resolved), result);
}

}  // namespace stallcast
