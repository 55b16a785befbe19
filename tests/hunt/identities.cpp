#include "tests/hunt/identities.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "core/cost/price_run.h"
#include "core/model/resource_graph.h"
#include "core/plan/search/best_case.h"

namespace stallcast::hunt {
namespace {

using Said = std::optional<Broken>;

// Nothing when `a` and `b` are as good as equal.
Said equal(const char* what_a, double a, const char* what_b, double b) {
  constexpr double kRelative = 1e-6, kAbsolute = 1e-9;
  const double larger = std::max(std::abs(a), std::abs(b)), off = std::abs(a - b);
  if (off <= kAbsolute + kRelative * larger) return std::nullopt;
  return Broken{fmt::format("{} = {:.9g}, {} = {:.9g}", what_a, a, what_b, b), std::isfinite(off) ? off / larger : 1.0};
}

double ranks_of(const Checked& c) { return static_cast<double>(c.scenario.scenario.ranks()); }
bool has_length(const Checked& c) { return c.result.time_to_train_s > 0.0; }
bool ends(const Checked& c) { return has_length(c) && std::isfinite(c.result.time_to_train_s); }

Said lost_fractions_sum(const Checked& c) {
  const double lost = std::accumulate(c.result.lost_fraction.begin(), c.result.lost_fraction.end(), 0.0);
  return equal("sum of lost_time_fraction + gpu_utilization", lost + c.result.gpu_utilization.mean, "all", 1.0);
}

Said fractions_in_range(const Checked& c) {
  for (std::size_t i = 0; i < c.result.lost_fraction.size(); ++i) {
    const double share = c.result.lost_fraction[i];
    if (!(share >= -1e-12 && share <= 1.0 + 1e-12))
      return Broken{fmt::format("lost_time_fraction.{} = {:.9g}", lost_time_name(static_cast<LostTime>(i)), share),
                    1.0};
  }
  for (const auto& [name, share] :
       {std::pair{"gpu_utilization", c.result.gpu_utilization.mean},
        std::pair{"goodput_fraction", c.result.goodput_fraction}, std::pair{"au", c.result.au},
        std::pair{"au_steady", c.result.au_steady}, std::pair{"au_mlperf", c.result.au_mlperf},
        std::pair{"cpu_busy_fraction", c.result.cpu_busy_fraction}}) {
    if (!(share >= -1e-12 && share <= 1.0 + 1e-9)) return Broken{fmt::format("{} = {:.9g}", name, share), 1.0};
  }
  return std::nullopt;
}

Said interval_holds_mean(const Checked& c) {
  const Estimate& u = c.result.gpu_utilization;
  if (u.ci95_low <= u.mean + 1e-9 && u.mean <= u.ci95_high + 1e-9) return std::nullopt;
  return Broken{fmt::format("gpu_utilization {:.9g} is not within {:.9g} to {:.9g}", u.mean, u.ci95_low, u.ci95_high),
                std::max(u.ci95_low - u.mean, u.mean - u.ci95_high)};
}

Said samples_per_s_is_of_the_run(const Checked& c) {
  if (!ends(c)) return std::nullopt;
  return equal("totals.samples / time_to_train_s", c.result.totals.samples / c.result.time_to_train_s, "samples_per_s",
               c.result.samples_per_s);
}

Said goodput(const Checked& c) {
  if (!ends(c)) return std::nullopt;
  return equal("useful_gpu_s / (ranks * time_to_train_s)",
               c.result.totals.useful_gpu_s / (ranks_of(c) * c.result.time_to_train_s), "goodput_fraction",
               c.result.goodput_fraction);
}

// Apart, for over simulated runs a mean of ratios is not the ratio of means.
bool extrapolated(const Checked& c) { return c.result.timeline.replications > 0; }
Said goodput_is_useful_time(const Checked& c) { return extrapolated(c) ? std::nullopt : goodput(c); }
Said goodput_is_useful_time_of_timelines(const Checked& c) { return extrapolated(c) ? goodput(c) : std::nullopt; }

Said training_is_useful_or_lost(const Checked& c) {
  if (!ends(c)) return std::nullopt;
  const RunTotals& t = c.result.totals;
  return equal("training_s", t.training_s, "(useful_gpu_s + lost_gpu_s) / ranks",
               (t.useful_gpu_s + t.lost_gpu_s) / ranks_of(c));
}

Said times_sum(const Checked& c) {
  if (!ends(c)) return std::nullopt;
  const RunTotals& t = c.result.totals;
  return equal("listing + staging + training + rework + recovery + unpaid",
               t.listing_s + t.staging_s + t.training_s + t.rework_s + t.recovery_s + t.unpaid_s, "time_to_train_s",
               c.result.time_to_train_s);
}

Said bill_is_its_lines(const Checked& c) {
  const auto total = c.cost.total();
  if (!total) return std::nullopt;
  Money sum;
  for (const BillLine& line : c.cost.lines) sum += line.cost();
  if (sum == *total) return std::nullopt;
  return Broken{fmt::format("total {:.9g}, lines {:.9g}", total->to_double(), sum.to_double()), 1.0};
}

Scenario whole_of(Scenario s) {
  s.run.whole_run = true;
  return s;
}

Said within_bound(const Checked& c) {
  const Estimate& u = c.result.gpu_utilization;
  // The bound is of mean rates: a run of few samples may have better ones. `utilization` would also allow for batches
  // that were loaded before the clock ran; no figure leaves its start out.
  const double luck = 1.0 + luck_allowance(whole_of(c.scenario.scenario)).time;
  if (u.mean <= c.bound.gpu_utilization * luck + u.half_width()) return std::nullopt;
  return Broken{fmt::format("gpu_utilization {:.6g} +- {:.2g} is above its bound {:.6g} ({})", u.mean, u.half_width(),
                            c.bound.gpu_utilization, c.bound.binding_resource),
                u.mean - c.bound.gpu_utilization};
}

Said nothing_negative(const Checked& c) {
  const RunTotals& t = c.result.totals;
  const std::vector<std::pair<const char*, double>> all = {{"listing_s", t.listing_s},
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
                                                           {"origin_read_bytes", t.origin_read_bytes},
                                                           {"regional_read_bytes", t.regional_read_bytes},
                                                           {"regional_ingest_bytes", t.regional_ingest_bytes},
                                                           {"checkpoints", t.checkpoints}};
  for (const auto& [name, value] : all)
    if (!(value >= 0.0)) return Broken{fmt::format("totals.{} = {:.9g}", name, value), 1.0};
  return std::nullopt;
}

Said timeline_times_sum(const Checked& c) {
  const TimelineResult& timeline = c.result.timeline;
  if (timeline.replications == 0 || !ends(c)) return std::nullopt;
  const double sum = std::accumulate(timeline.mean.time_s.begin(), timeline.mean.time_s.end(), 0.0);
  return equal("sum of the timeline's times", sum, "its wall time", timeline.mean.wall_s);
}

}  // namespace

const std::vector<Identity>& identities() {
  static const std::vector<Identity> all = {
      {"lost_fractions_sum", lost_fractions_sum},
      {"fractions_in_range", fractions_in_range},
      {"interval_holds_mean", interval_holds_mean},
      {"samples_per_s_is_of_the_run", samples_per_s_is_of_the_run},
      {"goodput_is_useful_time", goodput_is_useful_time},
      {"goodput_is_useful_time_of_timelines", goodput_is_useful_time_of_timelines},
      {"training_is_useful_or_lost", training_is_useful_or_lost},
      {"times_sum", times_sum},
      {"bill_is_its_lines", bill_is_its_lines},
      {"within_bound", within_bound},
      {"nothing_negative", nothing_negative},
      {"timeline_times_sum", timeline_times_sum}};
  return all;
}

std::vector<BrokenIdentity> broken_identities(const ResolvedScenario& scenario, const RunResult& result) {
  const CostBreakdown cost = price_run(scenario, result);
  const Bound bound = utilization_bound(scenario.scenario);
  const Checked checked{scenario, result, cost, bound};
  std::vector<BrokenIdentity> out;
  for (const Identity& identity : identities())
    if (auto said = identity.check(checked)) out.push_back({identity.name, std::move(*said)});
  return out;
}

}  // namespace stallcast::hunt
