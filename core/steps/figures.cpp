#include "core/steps/figures.h"

#include <algorithm>
#include <cmath>

#include "core/scenario/checkpoint_shape.h"

namespace stallcast {
namespace {

Estimate around(double mean, double half) {
  if (!std::isfinite(half)) return {mean, 0.0, 1.0};
  return {mean, std::max(0.0, mean - half), std::min(1.0, mean + half)};
}

// A count that is a sum of weights: whole where only the last digits are not.
double without_rounding(double count) {
  const double nearest = std::round(count);
  return std::abs(count - nearest) <= 1e-9 * nearest ? nearest : count;
}

RunTotals totals_of(const std::vector<LedgerPhase>& ledger, const Scenario& s) {
  const auto of_kind = [&ledger](PhaseKind kind) { return sum_of(ledger, [kind](PhaseKind k) { return k == kind; }); };
  const LedgerPhase trained = sum_of(ledger, is_training), all = sum_of(ledger, [](PhaseKind) { return true; });
  RunTotals t;
  t.listing_s = of_kind(PhaseKind::kListing).wall_s;
  t.staging_s = of_kind(PhaseKind::kStaging).wall_s;
  t.training_s = trained.wall_s;
  t.rework_s = of_kind(PhaseKind::kRework).wall_s;
  t.unpaid_s = all.unpaid_s;
  t.recovery_s = of_kind(PhaseKind::kRecovery).wall_s - t.unpaid_s;
  t.spare_node_s = static_cast<double>(s.failures.spares) * std::max(0.0, all.wall_s - t.unpaid_s);
  t.useful_gpu_s = trained.compute_gpu_s;
  t.lost_gpu_s = std::max(0.0, trained.wall_s * static_cast<double>(s.ranks()) - trained.compute_gpu_s);
  t.samples = trained.samples;
  const auto at = [](ReadLevel level) { return index_of(level); };
  t.read_bytes = all.read_bytes[at(ReadLevel::kStorage)];
  t.read_requests = all.read_requests[at(ReadLevel::kStorage)];
  t.refused_requests = all.refused_requests;
  t.origin_read_bytes = all.read_bytes[at(ReadLevel::kOrigin)];
  t.origin_read_requests = all.read_requests[at(ReadLevel::kOrigin)];
  t.regional_read_bytes = all.read_bytes[at(ReadLevel::kRegionalCache)];
  t.regional_read_requests = all.read_requests[at(ReadLevel::kRegionalCache)];
  t.regional_ingest_bytes = all.regional_fill_bytes;
  t.written_bytes = all.written_bytes;
  t.write_requests = all.write_requests;
  if (s.staging.method == StagingMethod::kLazy) {  // what comes from the origin stays
    t.written_bytes += t.origin_read_bytes;
    t.write_requests += t.origin_read_requests;
  }
  t.list_requests = all.list_requests;
  t.origin_list_requests = all.origin_list_requests;
  t.checkpoints = without_rounding(all.stored_checkpoints);
  if (s.checkpoint.mode != CheckpointMode::kNone) t.checkpoint_bytes = checkpoint_shape(s).total;
  return t;
}

}  // namespace

void add(LedgerPhase& sum, const LedgerPhase& more, double times) {
  for (const auto member : kPhaseSums) sum.*member += times * (more.*member);
  for (std::size_t c = 0; c < sum.lost_gpu_s.size(); ++c) sum.lost_gpu_s[c] += times * more.lost_gpu_s[c];
  for (std::size_t l = 0; l < kReadLevels; ++l) {
    sum.read_bytes[l] += times * more.read_bytes[l];
    sum.read_requests[l] += times * more.read_requests[l];
  }
}

void set_figures(RunResult& out, const Scenario& s, double half_width, bool endless) {
  const auto gpus = static_cast<double>(s.ranks());
  const auto steady = [](PhaseKind kind) { return is_training(kind) && kind != PhaseKind::kStart; };
  const LedgerPhase trained = sum_of(out.ledger, is_training);
  LedgerPhase settled = sum_of(out.ledger, steady);
  if (settled.wall_s <= 0.0) settled = trained;
  const LedgerPhase all = sum_of(out.ledger, [endless, &steady](PhaseKind kind) { return !endless || steady(kind); });
  const LedgerPhase& whole = all.wall_s > 0.0 ? all : trained;
  const auto fraction = [gpus](const LedgerPhase& part, const LedgerPhase& of) {
    return of.wall_s > 0.0 ? part.compute_gpu_s / (of.wall_s * gpus) : 0.0;
  };
  const LedgerPhase kept = endless ? settled : trained;
  const double share = whole.wall_s > 0.0 ? kept.wall_s / whole.wall_s : 1.0;
  out.gpu_utilization = around(fraction(kept, whole), half_width * share);
  out.gpu_utilization_steady = around(fraction(settled, settled), half_width);
  for (std::size_t c = 0; c < out.lost_fraction.size(); ++c)
    out.lost_fraction[c] = whole.wall_s > 0.0 ? whole.lost_gpu_s[c] / (whole.wall_s * gpus) : 0.0;
  out.goodput_fraction = out.gpu_utilization.mean;
  const double to_last_step_s = trained.wall_s - out.after_last_step_s;
  out.au = to_last_step_s > 0.0 ? trained.compute_gpu_s / (to_last_step_s * gpus) : 0.0;
  out.samples_per_s = whole.wall_s > 0.0 ? kept.samples / whole.wall_s : 0.0;
  out.samples_per_s_steady = settled.wall_s > 0.0 ? settled.samples / settled.wall_s : 0.0;
  out.cpu_busy_fraction = kept.wall_s > 0.0 ? kept.busy_core_s / (kept.wall_s * s.cluster.all_cores()) : 0.0;
  out.step_time_s.mean = kept.steps > 0.0 ? kept.wall_s / kept.steps : 0.0;
  if (endless) return;
  out.time_to_train_s = whole.wall_s;
  out.totals = totals_of(out.ledger, s);
  const double paid_s = whole.wall_s - out.totals.unpaid_s - (s.staging.gpus_billed ? 0.0 : out.totals.staging_s);
  const double reserved_s = std::max(0.0, s.cost.reserved_time.base() - whole.wall_s);
  const double paid_gpu_s =
      (paid_s + reserved_s) * gpus + out.totals.spare_node_s * static_cast<double>(s.cluster.gpus_per_node);
  out.useful_gpu_fraction = paid_s > 0.0 ? trained.compute_gpu_s / paid_gpu_s : 0.0;
  if (s.storage.read_bandwidth.base() > 0.0 && trained.wall_s > 0.0) {
    const double devices = s.storage.scope == TierScope::kPerNode ? static_cast<double>(s.cluster.nodes) : 1.0;
    out.storage_busy_fraction = std::min(1.0, trained.read_bytes[index_of(ReadLevel::kStorage)] /
                                                  (s.storage.read_bandwidth.base() * devices * trained.wall_s));
  }
}

}  // namespace stallcast
