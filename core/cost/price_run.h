// From what a run took to what it costs.
#pragma once

#include "core/catalogue/records/records.h"
#include "core/cost/cost_breakdown.h"
#include "core/result/run_result.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/scenario.h"

namespace stallcast {

// The records whose prices apply; null where the scenario names none.
struct PriceRecords {
  const InstanceRecord* instance = nullptr;
  const TierRecord* storage = nullptr;
  const TierRecord* origin = nullptr;
};

// The bill of the whole run. Lines that cannot be otherwise than 0 are left out; a charge without a price in the
// catalogue is in `unknown`, never 0.
//
// **Model**
// - machines: nodes * (training_s + rework_s + recovery_s + listing_s + staging_s when gpus_billed) + spare_node_s, by
//   the second. The price is cost.node_price, or the record's for cost.pricing. Nothing for unpaid_s.
// - lifetime of storage: staging, listing, training, rework, recovery and unpaid waiting; at least the tier's
//   billing_minimum and in whole billing_granularity, which hold for capacity that is provisioned. Kept storage
//   (cost.storage_lifetime always): a month / runs_per_month.
// - provisioned tiers: capacity, bandwidth and IOPS beyond what is included, servers, and the system itself, for that
//   lifetime; per node where the tier is. Other tiers hold bytes: the dataset for that lifetime, and checkpoints.
// - checkpoints, N written evenly over training of which the last K are kept: those not kept live K * T / N, the i-th
//   from last i * T / N + checkpoint_retention, each at least minimum_storage_time. Provisioned capacity holds them
//   without charge; retention is then paid at the origin, or else by keeping a system made for the job that much
//   longer.
// - requests as counted: reads, writes, lists; lists cost what writes do where the record has no price of their own.
//   Refused requests (HTTP 429, 503) are not charged. A file system without prices of requests charges none.
// - transfer: retrieval and upload per byte where the tier has a price for it, cache ingest and reads, egress, and
//   cross_zone_fraction of the bytes read.
// - discounts: host_discount on machines, storage_discount on what is charged by capacity and time.
// - lost dollars: the machines' dollars in training times the share of GPU time lost, by cause in proportion to
//   lost_fraction; those before training are "staging" and "listing", then "rework", "recovery", "spares" and
//   "reserved".
// - per useful GPU-hour: total / GPU-hours that computed. When the length of the run is not given: dollars per hour of
//   machines and storage / (ranks * gpu_utilization).
// - with uncertain inputs: intervals of the total and of the effective price (cost_interval.h).
// **Units** quantities of the run enter as the exact value of their double; prices and discounts as the decimals that
// were written.
// **Errors** InvariantError for totals that are negative or not finite.
// **Checked by** tests/core/cost/price_run_test.cpp, by hand
CostBreakdown price_run(const Scenario& scenario, const PriceRecords& records, const RunResult& result);

// The records that the scenario was resolved from. They live as long as `resolved`.
PriceRecords price_records(const ResolvedScenario& resolved);

// The same with those records.
CostBreakdown price_run(const ResolvedScenario& resolved, const RunResult& result);

}  // namespace stallcast
