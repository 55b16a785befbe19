#include "core/plan/rules/rule_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "core/catalogue/capacity_rule.h"
#include "core/plan/evaluate/kpi.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr double kShardBytes = 100e6;
constexpr double kJustBelow = 1.0 - 1e-6;  // of a size, to find the one before

double lost_to(const RunResult& result, std::initializer_list<LostTime> causes) {
  double sum = 0.0;
  for (const LostTime cause : causes) sum += result.lost_fraction[static_cast<std::size_t>(cause)];
  return sum;
}

void add_losses(const RunResult& result, RuleFacts& facts) {
  for (std::size_t c = 0; c < static_cast<std::size_t>(LostTime::kCount); ++c) {
    const auto cause = static_cast<LostTime>(c);
    facts.numbers[fmt::format("lost_time_fraction.{}", lost_time_name(cause))] = lost_to(result, {cause});
  }
  using enum LostTime;
  facts.numbers["lost_time_fraction.waiting_for_samples"] =
      lost_to(result, {kStorageLatency, kStreamCap, kCpuDecode, kLoaderOrder});
  facts.numbers["lost_time_fraction.from_storage"] = lost_to_storage(result);
  facts.numbers["lost_time_fraction.checkpoint_and_rework"] = lost_to(result, {kCheckpoint, kRework});
  facts.numbers["lost_time_fraction.per_file"] = lost_to(result, {kStorageLatency, kRequestRate});
}

void add_machine(const Scenario& s, RuleFacts& facts) {
  const auto gpus = static_cast<double>(s.cluster.gpus_per_node);
  facts.numbers["facts.workers"] = static_cast<double>(s.loader.num_workers);
  facts.numbers["facts.workers_per_core"] = static_cast<double>(s.loader.num_workers) * gpus / s.cluster.cores_per_node;
  facts.texts["cores_per_gpu"] = fmt::format("{}", std::max(1.0, std::floor(s.cluster.cores_per_node / gpus)));
  facts.texts["double_prefetch"] = fmt::format("{}", 2 * s.loader.prefetch_factor);
  facts.numbers["facts.epochs"] = static_cast<double>(s.run.epochs);
}

void add_dataset(const Scenario& s, RuleFacts& facts) {
  const double sample = mean_of(s.dataset.sample_size);
  if (sample <= 0.0) return;
  facts.numbers["facts.mean_sample_bytes"] = sample;
  facts.texts["samples_per_shard"] = fmt::format("{}", std::max(1.0, std::round(kShardBytes / sample)));
  const double local = s.cluster.local_storage_per_node.base() * static_cast<double>(s.cluster.nodes);
  if (s.dataset.samples > 0 && local > 0.0)
    facts.numbers["facts.dataset_over_local_storage"] = sample * static_cast<double>(s.dataset.samples) / local;
}

void add_course(const RunResult& result, RuleFacts& facts) {
  facts.numbers["facts.interruptions"] = facts.numbers["facts.expected_data_losses"] = 0.0;
  if (result.timeline.replications == 0) return;
  double all = 0.0;
  for (const Estimate& kind : result.timeline.interruptions) all += kind.mean;
  facts.numbers["facts.interruptions"] = all;
  facts.numbers["facts.expected_data_losses"] =
      result.timeline.interruptions[static_cast<std::size_t>(Interruption::kDataLoss)].mean;
}

void add_checkpoints(const Scenario& s, const RunResult& result, const Catalogue& catalogue, RuleFacts& facts) {
  facts.numbers["facts.nodes"] = static_cast<double>(s.cluster.nodes);
  facts.numbers["facts.checkpoint_streams"] = static_cast<double>(s.checkpoint.streams);
  // Else an asynchronous checkpoint would be taken to stop nothing.
  const auto software = catalogue.checkpointers.find(s.checkpoint.software);
  if (s.cluster.host_to_device_bandwidth.base() > 0.0 ||
      (software != catalogue.checkpointers.end() &&
       (software->second.staging_bandwidth || software->second.staging_time)))
    facts.numbers["facts.async_stop_known"] = 1.0;
  const auto tier = catalogue.tiers.find(s.storage.tier);
  if (tier != catalogue.tiers.end()) facts.numbers["facts.object_store"] = tier->second.read_request_rate ? 1.0 : 0.0;
  const double interval_s = result.timeline.checkpoint.interval_s;
  if (interval_s > 0.0)
    facts.numbers["facts.checkpoint_interval_s"] = interval_s;
  else if (result.totals.checkpoints > 0.0)
    facts.numbers["facts.checkpoint_interval_s"] = result.totals.training_s / result.totals.checkpoints;
}

void add_capacity(const Scenario& s, const Catalogue& catalogue, RuleFacts& facts) {
  const auto tier = catalogue.tiers.find(s.storage.tier);
  if (tier == catalogue.tiers.end() || !is_provisioned(tier->second)) return;
  const double below = s.storage.capacity.base() * kJustBelow;
  for (const Bytes size : nearest_capacities(tier->second, bytes(below))) {
    if (size.base() > below) continue;
    facts.numbers["facts.can_shrink"] = 1.0;
    facts.texts["smaller_capacity"] = format_quantity(Dimension::kBytes, size.base());
  }
}

}  // namespace

double lost_to_storage(const RunResult& result) {
  using enum LostTime;
  return lost_to(result, {kStorageLatency, kStreamCap, kClientCap, kTierBandwidth, kRequestRate});
}

RuleFacts rule_facts(const ResolvedScenario& resolved, const Evaluation& evaluation, const Catalogue& catalogue) {
  RuleFacts facts;
  for (const Kpi& kpi : kpi_table())
    if (const auto value = kpi.of(evaluation)) facts.numbers[kpi.name] = value->mean;
  add_losses(evaluation.result, facts);
  add_machine(resolved.scenario, facts);
  add_dataset(resolved.scenario, facts);
  add_course(evaluation.result, facts);
  add_checkpoints(resolved.scenario, evaluation.result, catalogue, facts);
  add_capacity(resolved.scenario, catalogue, facts);
  return facts;
}

}  // namespace stallcast
