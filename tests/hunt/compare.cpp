#include "tests/hunt/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cost/price_run.h"
#include "core/diagnostics/invariant.h"

namespace stallcast::hunt {
namespace {

constexpr double kLeastPart = 0.1;

}  // namespace

std::vector<Figure> figures_of(const ResolvedScenario& scenario, const RunResult& r) {
  std::vector<Figure> out;
  const auto relative = [&out](std::string name, double value, double least_base = 0.0) {
    out.push_back({std::move(name), FigureKind::kRelative, value, least_base});
  };
  const auto points = [&out](std::string name, double value) {
    out.push_back({std::move(name), FigureKind::kPoints, value, 0.0});
  };
  relative("time_to_train_s", r.time_to_train_s);
  const CostBreakdown cost = price_run(scenario, r);
  const auto total = cost.total();
  relative("cost.total_usd", total ? total->to_double() : std::numeric_limits<double>::quiet_NaN());
  points("gpu_utilization", r.gpu_utilization.mean);
  for (std::size_t c = 0; c < r.lost_fraction.size(); ++c)
    points(fmt::format("lost_time_fraction.{}", lost_time_name(static_cast<LostTime>(c))), r.lost_fraction[c]);
  points("goodput_fraction", r.goodput_fraction);
  relative("samples_per_s", r.samples_per_s);
  points("au", r.au);
  points("au_mlperf", r.au_mlperf);
  relative("samples_per_s_mlperf", r.samples_per_s_mlperf);
  points("cpu_busy_fraction", r.cpu_busy_fraction);
  points("storage_busy_fraction", r.storage_busy_fraction);
  relative("step_time_s.mean", r.step_time_s.mean);
  const RunTotals& t = r.totals;
  const double some_time = kLeastPart * r.time_to_train_s;
  relative("totals.listing_s", t.listing_s, some_time);
  relative("totals.staging_s", t.staging_s, some_time);
  relative("totals.training_s", t.training_s, some_time);
  relative("totals.rework_s", t.rework_s, some_time);
  relative("totals.recovery_s", t.recovery_s, some_time);
  relative("totals.unpaid_s", t.unpaid_s, some_time);
  relative("totals.useful_gpu_s", t.useful_gpu_s);
  relative("totals.samples", t.samples);
  relative("totals.checkpoints", t.checkpoints, 1.0);
  relative("totals.checkpoint_bytes", t.checkpoint_bytes);
  const double some_bytes = kLeastPart * (t.read_bytes + t.written_bytes + t.origin_read_bytes + t.regional_read_bytes +
                                          t.regional_ingest_bytes);
  relative("totals.read_bytes", t.read_bytes, some_bytes);
  relative("totals.written_bytes", t.written_bytes, some_bytes);
  relative("totals.origin_read_bytes", t.origin_read_bytes, some_bytes);
  relative("totals.regional_read_bytes", t.regional_read_bytes, some_bytes);
  relative("totals.regional_ingest_bytes", t.regional_ingest_bytes, some_bytes);
  const double some_requests =
      kLeastPart * (t.read_requests + t.write_requests + t.origin_read_requests + t.regional_read_requests);
  relative("totals.read_requests", t.read_requests, some_requests);
  relative("totals.write_requests", t.write_requests, some_requests);
  relative("totals.origin_read_requests", t.origin_read_requests, some_requests);
  relative("totals.regional_read_requests", t.regional_read_requests, some_requests);
  return out;
}

double Difference::severity() const {
  return std::abs(size) / (kind == FigureKind::kPoints ? kFindingPoints : kFindingPercent);
}

bool is_finding(const Difference& d) { return d.severity() > 1.0; }
bool is_difference(const Difference& d) {
  return std::abs(d.size) > (d.kind == FigureKind::kPoints ? kDifferencePoints : kDifferencePercent);
}

std::vector<Difference> compare(const std::vector<Figure>& expected, const std::vector<Figure>& got) {
  invariant(expected.size() == got.size(), "figures of different scenarios");
  std::vector<Difference> out;
  for (std::size_t f = 0; f < expected.size(); ++f) {
    const Figure &a = expected[f], &b = got[f];
    invariant(a.name == b.name, "figures in different order");
    Difference& d = out.emplace_back(Difference{a.name, a.kind, a.value, b.value, b.value - a.value});
    if (a.kind == FigureKind::kRelative) {
      const double base = std::max({std::abs(a.value), std::abs(b.value), a.least_base, b.least_base});
      if (base > 0.0) d.size /= base;
    }
    if (std::isfinite(a.value) != std::isfinite(b.value)) d.size = std::numeric_limits<double>::infinity();
    if (!std::isfinite(a.value) && !std::isfinite(b.value)) d.size = 0.0;
  }
  return out;
}

const Difference& worst(const std::vector<Difference>& differences) {
  return *std::max_element(differences.begin(), differences.end(),
                           [](const Difference& a, const Difference& b) { return a.severity() < b.severity(); });
}

std::string text_of(const Difference& d) {
  const bool in_points = d.kind == FigureKind::kPoints;
  return fmt::format("{}: {:.6g} instead of {:.6g} ({:+.2f} {})", d.figure, d.got, d.expected, 100.0 * d.size,
                     in_points ? "points" : "%");
}

}  // namespace stallcast::hunt
