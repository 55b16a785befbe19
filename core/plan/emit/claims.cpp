#include "core/plan/emit/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units/distribution.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

double at_most(double rate, double limit) { return limit <= 0.0 ? rate : rate <= 0.0 ? limit : std::min(rate, limit); }

Estimate in_proportion(double mean, const Estimate& utilization) {
  if (utilization.mean <= 0.0) return {mean, mean, mean};
  return {mean, mean * utilization.ci95_low / utilization.mean, mean * utilization.ci95_high / utilization.mean};
}

}  // namespace

NodeReads node_reads(const Scenario& s, const RunResult& result) {
  NodeReads reads;
  const auto nodes = static_cast<double>(s.cluster.nodes);
  if (result.simulated_s > 0.0) reads.needed = result.read_bytes / result.simulated_s / nodes;
  reads.disproved_below = in_proportion(reads.needed, claimed_utilization(s, result)).ci95_low;
  reads.readers = std::max<std::int64_t>(1, s.loader.num_workers) * s.cluster.gpus_per_node;
  const double sample = mean_of(s.dataset.sample_size);
  const double request = s.dataset.request_size.base();
  reads.request_bytes = std::max(1.0, std::round(request > 0.0 ? std::min(request, sample) : sample));
  const double share = s.storage.scope == TierScope::kPerNode ? 1.0 : 1.0 / nodes;
  double rate = s.storage.read_bandwidth.base() * (1.0 - s.storage.noise) * share;
  rate = at_most(rate, s.storage.client_read_bandwidth.base());
  if (s.storage.scope == TierScope::kShared) rate = at_most(rate, s.cluster.usable_nic().base());
  rate = at_most(rate, s.storage.read_iops.base() * share * reads.request_bytes);
  const double stream = s.storage.stream_bandwidth.base();
  const double request_s = mean_of(s.storage.latency) + (stream > 0.0 ? reads.request_bytes / stream : 0.0);
  if (request_s > 0.0) rate = at_most(rate, static_cast<double>(reads.readers) * reads.request_bytes / request_s);
  reads.assumed = rate;
  return reads;
}

Estimate claimed_utilization(const Scenario& scenario, const RunResult& result) {
  const Estimate& simulated = result.gpu_utilization;
  const double precision = scenario.run.precision;
  return {simulated.mean, std::max(0.0, std::min(simulated.ci95_low, simulated.mean - precision)),
          std::min(1.0, std::max(simulated.ci95_high, simulated.mean + precision))};
}

std::vector<Claim> claims(const ResolvedScenario& resolved, const RunResult& result) {
  const Estimate utilization = claimed_utilization(resolved.scenario, result);
  std::vector<Claim> all;
  all.push_back({"GPU utilization", Dimension::kFraction, utilization, false,
                 "steps after the start-up: compute time / wall time, mean over ranks"});
  const bool drawn = result.inputs.samples_per_s.mean > 0.0;
  all.push_back({"samples/s, all ranks", Dimension::kRate,
                 drawn ? result.inputs.samples_per_s : in_proportion(result.samples_per_s, utilization), false,
                 "samples / wall time of the whole run, start-up included"});
  all.push_back({"MLPerf Storage accelerator utilization", Dimension::kFraction,
                 in_proportion(result.au_mlperf, utilization), false, "DLIO with dlio.yaml: train_au_mean_percentage"});
  const NodeReads reads = node_reads(resolved.scenario, result);
  if (reads.needed > 0.0)
    all.push_back({"storage reads per node, all nodes at once", Dimension::kByteRate,
                   in_proportion(reads.needed, utilization), true, "fio with read.fio on every node at the same time"});
  if (result.checkpoint_stop_s > 0.0)
    all.push_back({"training stops for one checkpoint",
                   Dimension::kTime,
                   {result.checkpoint_stop_s, result.checkpoint_stop_s, result.checkpoint_stop_s},
                   false,
                   "mean over the checkpoints of a run"});
  return all;
}

std::string claim_text(const Claim& claim, double value) {
  const std::string number = value >= 1000.0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  switch (claim.dimension) {
    case Dimension::kFraction:
      return fmt::format("{:.1f} %", value * 100.0);
    case Dimension::kByteRate:
      return byte_rate_text(value);
    case Dimension::kTime:
      return number + " s";
    default:
      return number + " /s";
  }
}

}  // namespace stallcast
