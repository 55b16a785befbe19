#include "core/plan/explain/next_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/catalogue/capacity_rule.h"
#include "core/plan/evaluate/changed_job.h"
#include "core/steps/parallel.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr double kFaster = 1.1;
constexpr double kJustAbove = 1.0 + 1e-6;  // of a size, to find the next one

std::string bytes_text(Bytes size) { return format_quantity(Dimension::kBytes, size.base()); }

// The smallest size above `now` that the tier is sold in; nothing when it is the largest.
std::optional<Bytes> next_size(const TierRecord& tier, Bytes now) {
  if (!is_provisioned(tier)) return std::nullopt;
  for (const Bytes size : nearest_capacities(tier, bytes(now.base() * kJustAbove)))
    if (size.base() > now.base() * kJustAbove) return size;
  return std::nullopt;
}

class UnitList {
 public:
  explicit UnitList(const ResolvedScenario& resolved) : s_(resolved.scenario) {}

  void add(std::string name, std::string phrase, Point point) {
    NextUnit unit;
    unit.name = std::move(name);
    unit.phrase = std::move(phrase);
    unit.point = std::move(point);
    units_.push_back(std::move(unit));
  }

  void add_count(std::string name, const std::string& pointer, const std::string& field, std::int64_t now) {
    add(std::move(name), fmt::format("{} {} to {}", field, now, now + 1), {{pointer, fmt::format("{}", now + 1)}});
  }

  void add_network() {
    Point point;
    std::string phrase;
    const auto faster = [&](const char* pointer, const char* what, BytesPerSecond now) {
      if (now.base() <= 0.0) return;
      point.push_back({pointer, format_quantity(Dimension::kByteRate, std::round(now.base() * kFaster))});
      phrase += phrase.empty() ? what : fmt::format(" and {}", what);
    };
    faster("/cluster/nic_bandwidth", "NIC", s_.cluster.nic_bandwidth);
    faster("/storage/client_read_bandwidth", "storage client", s_.storage.client_read_bandwidth);
    if (!point.empty()) add("nic", phrase + " a tenth faster", std::move(point));
  }

  void add_checkpoint_minute(const RunResult& result) {
    const CheckpointSpec& c = s_.checkpoint;
    if (c.mode == CheckpointMode::kNone) return;
    if (c.cadence == CheckpointCadence::kTime) {
      const double longer = c.interval.base() + 60.0;
      add("checkpoint_minute",
          fmt::format("checkpoint.interval {} to {}", format_quantity(Dimension::kTime, c.interval.base()),
                      format_quantity(Dimension::kTime, longer)),
          {{"/checkpoint/interval", format_quantity(Dimension::kTime, longer)}});
    } else if (c.cadence == CheckpointCadence::kSteps && c.interval_steps > 0 && result.step_time_s.mean > 0.0) {
      const auto steps = std::max<std::int64_t>(1, std::llround(60.0 / result.step_time_s.mean));
      add("checkpoint_minute",
          fmt::format("checkpoint.interval_steps {} to {}, a minute more", c.interval_steps, c.interval_steps + steps),
          {{"/checkpoint/interval_steps", fmt::format("{}", c.interval_steps + steps)}});
    }
  }

  std::vector<NextUnit> take() { return std::move(units_); }

 private:
  const Scenario& s_;
  std::vector<NextUnit> units_;
};

std::optional<double> difference(const char* name, const KpiValues& after, const KpiValues& before) {
  const double change = mean_of(*find_kpi(name), after) - mean_of(*find_kpi(name), before);
  return std::isfinite(change) ? std::optional(change) : std::nullopt;
}

void fill_in(NextUnit& unit, const KpiValues& after, const KpiValues& now) {
  unit.complete = true;
  unit.gpu_utilization = *value_of(*find_kpi("gpu_utilization"), after);
  unit.gain = *difference("gpu_utilization", after, now);
  const bool priced = unit.name != "nic" && unit.name != "core";
  if (!priced) return;
  unit.total_usd = difference("cost.total_usd", after, now);
  unit.price_usd = difference("effective_usd_per_useful_gpu_hour", after, now);
}

}  // namespace

std::vector<NextUnit> next_units(const ResolvedScenario& resolved, const RunResult& result,
                                 const Catalogue& catalogue) {
  const Scenario& s = resolved.scenario;
  UnitList list(resolved);
  list.add_count("worker", "/loader/num_workers", "loader.num_workers", s.loader.num_workers);
  if (s.loader.num_workers > 0)
    list.add_count("prefetch", "/loader/prefetch_factor", "loader.prefetch_factor", s.loader.prefetch_factor);
  if (const auto tier = catalogue.tiers.find(s.storage.tier); tier != catalogue.tiers.end()) {
    if (const auto size = next_size(tier->second, s.storage.capacity)) {
      list.add("capacity", fmt::format("storage.capacity {} to {}", bytes_text(s.storage.capacity), bytes_text(*size)),
               {{"/storage/capacity", bytes_text(*size)}});
    }
  }
  list.add_network();
  list.add("core",
           fmt::format("cluster.cores_per_node {} to {}", s.cluster.cores_per_node, s.cluster.cores_per_node + 1),
           {{"/cluster/cores_per_node", format_number(s.cluster.cores_per_node + 1)}});
  list.add_checkpoint_minute(result);
  return list.take();
}

std::vector<NextUnit> value_next_units(const ScenarioFile& file, const ResolvedScenario& resolved,
                                       const RunResult& result, PairedEvaluations& pairs, const Catalogue& catalogue,
                                       const RunOptions& options) {
  std::vector<NextUnit> units = next_units(resolved, result, catalogue);
  parallel_for(static_cast<std::int64_t>(units.size()), options.threads, [&](std::int64_t i) {
    if (options.stop.stop_requested()) return;
    NextUnit& unit = units[static_cast<std::size_t>(i)];
    const Loaded<ResolvedScenario> turned = changed_job(file, unit.point, result, catalogue);
    if (!turned.ok()) return;
    const KpiValues after = pairs.of(*turned.value);
    if (!options.stop.stop_requested()) fill_in(unit, after, pairs.now());
  });
  return units;
}

}  // namespace stallcast
