#include "core/result/json/run_result_json.h"

#include "core/result/json/timeline_json.h"

namespace stallcast {

using nlohmann::ordered_json;

ordered_json estimate_to_json(const Estimate& estimate) {
  return {{"mean", estimate.mean}, {"ci95_low", estimate.ci95_low}, {"ci95_high", estimate.ci95_high}};
}

ordered_json bound_to_json(const Bound& bound) {
  return {{"gpu_utilization", bound.gpu_utilization},
          {"binding_resource", bound.binding_resource},
          {"samples_per_s", bound.samples_per_s},
          {"tied_resources", bound.tied}};
}

ordered_json lost_time_to_json(const RunResult& result) {
  ordered_json causes = ordered_json::object();
  for (std::size_t i = 0; i < result.lost_fraction.size(); ++i) {
    causes[std::string(lost_time_name(static_cast<LostTime>(i)))] = result.lost_fraction[i];
  }
  return causes;
}

ordered_json regimes_to_json(const RunResult& result) {
  ordered_json all = ordered_json::array();
  for (const RegimeResult& regime : result.regimes) {
    ordered_json served = ordered_json::object();
    for (std::size_t l = 0; l < kReadLevels; ++l)
      if (regime.served[l] > 0.0) served[std::string(read_level_name(static_cast<ReadLevel>(l)))] = regime.served[l];
    all.push_back({{"name", regime.name},
                   {"epochs", regime.epochs},
                   {"gpu_utilization", estimate_to_json(regime.gpu_utilization)},
                   {"samples_per_s", regime.samples_per_s},
                   {"served_fraction", std::move(served)},
                   {"time_s", regime.time_s}});
  }
  return all;
}

ordered_json phases_to_json(const RunResult& result) {
  ordered_json all = ordered_json::array();
  for (const LedgerPhase& phase : result.ledger) {
    ordered_json lost = ordered_json::object();
    for (std::size_t c = 0; c < phase.lost_gpu_s.size(); ++c)
      if (phase.lost_gpu_s[c] != 0.0) lost[std::string(lost_time_name(static_cast<LostTime>(c)))] = phase.lost_gpu_s[c];
    all.push_back({{"phase", std::string(phase_name(phase.kind))},
                   {"regime", phase.epochs},
                   {"times", phase.times},
                   {"steps", phase.steps},
                   {"simulated_steps", phase.simulated_steps},
                   {"wall_s", phase.wall_s},
                   {"compute_gpu_s", phase.compute_gpu_s},
                   {"busy_core_s", phase.busy_core_s},
                   {"lost_gpu_s", std::move(lost)}});
  }
  return all;
}

ordered_json staging_to_json(const StagingResult& staging) {
  if (staging.method.empty()) return nullptr;
  return {{"method", staging.method}, {"listing_s", staging.listing_s}, {"copy_s", staging.copy_s},
          {"limit", staging.limit},   {"bytes", staging.bytes},         {"files", staging.files}};
}

ordered_json totals_to_json(const RunTotals& t) {
  return {{"listing_s", t.listing_s},
          {"staging_s", t.staging_s},
          {"training_s", t.training_s},
          {"rework_s", t.rework_s},
          {"recovery_s", t.recovery_s},
          {"unpaid_s", t.unpaid_s},
          {"spare_node_s", t.spare_node_s},
          {"useful_gpu_s", t.useful_gpu_s},
          {"lost_gpu_s", t.lost_gpu_s},
          {"samples", t.samples},
          {"read_bytes", t.read_bytes},
          {"written_bytes", t.written_bytes},
          {"read_requests", t.read_requests},
          {"write_requests", t.write_requests},
          {"list_requests", t.list_requests},
          {"refused_requests", t.refused_requests},
          {"origin_read_bytes", t.origin_read_bytes},
          {"origin_read_requests", t.origin_read_requests},
          {"origin_list_requests", t.origin_list_requests},
          {"regional_read_bytes", t.regional_read_bytes},
          {"regional_ingest_bytes", t.regional_ingest_bytes},
          {"regional_read_requests", t.regional_read_requests},
          {"checkpoints", t.checkpoints},
          {"checkpoint_bytes", t.checkpoint_bytes}};
}

ordered_json input_spread_to_json(const InputSpread& spread) {
  if (spread.draws_wanted == 0) return nullptr;
  ordered_json inputs = ordered_json::array();
  for (const InputShare& input : spread.inputs) {
    inputs.push_back({{"input", input.pointer},
                      {"low_factor", input.low_factor},
                      {"high_factor", input.high_factor},
                      {"utilization_share", input.utilization_share},
                      {"throughput_share", input.throughput_share}});
  }
  const auto known = [](const Estimate& estimate) {
    return estimate.mean > 0.0 ? estimate_to_json(estimate) : ordered_json();
  };
  return {{"draws", spread.drawn.size()},
          {"draws_wanted", spread.draws_wanted},
          {"simulation_alone", {{"gpu_utilization", estimate_to_json(spread.simulation.gpu_utilization)}}},
          {"samples_per_s", known(spread.samples_per_s)},
          {"time_to_train_s", known(spread.time_to_train_s)},
          {"goodput_fraction", known(spread.goodput_fraction)},
          {"inputs", std::move(inputs)}};
}

ordered_json run_result_to_json(const RunResult& result) {
  return {
      {"gpu_utilization", estimate_to_json(result.gpu_utilization)},
      {"gpu_utilization_steady", estimate_to_json(result.gpu_utilization_steady)},
      {"useful_gpu_fraction", result.time_to_train_s > 0 ? ordered_json(result.useful_gpu_fraction) : ordered_json()},
      {"au", result.au},
      {"au_steady", result.au_steady},
      {"au_mlperf", result.au_mlperf},
      {"samples_per_s", result.samples_per_s},
      {"samples_per_s_steady", result.samples_per_s_steady},
      {"samples_per_s_mlperf", result.samples_per_s_mlperf},
      {"step_time_s",
       {{"mean", result.step_time_s.mean}, {"p50", result.step_time_s.p50}, {"p99", result.step_time_s.p99}}},
      {"time_to_first_batch_s", result.time_to_first_batch_s},
      {"time_to_train_s", result.time_to_train_s > 0 ? ordered_json(result.time_to_train_s) : ordered_json()},
      {"goodput_fraction", result.goodput_fraction},
      {"run_timeline", timeline_to_json(result.timeline)},
      {"calendar", timeline_to_json(result.timeline)},  // its name in format_version 1; goes with version 3
      {"lost_time_fraction", lost_time_to_json(result)},
      {"bottleneck", std::string(bottleneck_name(result))},
      {"regimes", regimes_to_json(result)},
      {"staging", staging_to_json(result.staging)},
      {"host_memory",
       {{"loader_bytes", result.host_memory.loader}, {"page_cache_bytes", result.host_memory.page_cache}}},
      {"phases", phases_to_json(result)},
      {"totals", result.totals.training_s > 0 ? totals_to_json(result.totals) : ordered_json()},
      {"simulated_s", result.simulated_s},
      {"steps", result.steps},
      {"samples", result.samples},
      {"read_bytes", result.read_bytes},
      {"wanted_bytes", result.wanted_bytes},
      {"written_bytes", result.written_bytes},
      {"cpu_busy_fraction", result.cpu_busy_fraction},
      {"storage_busy_fraction", result.storage_busy_fraction},
      {"checkpoints", result.checkpoints},
      {"checkpoint_stop_s", result.checkpoint_stop_s},
      {"events", result.events},
      {"wall_s", result.wall_s},
      {"converged", result.converged},
      {"stopped", result.stopped},
      {"simulated_whole", result.whole},
      {"input_uncertainty", input_spread_to_json(result.inputs)}};
}

}  // namespace stallcast
