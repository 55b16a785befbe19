#include "core/plan/evaluate/figures.h"

#include "core/diagnostics/invariant.h"
#include "core/plan/evaluate/kpi.h"
#include "core/scenario/host_memory.h"
#include "core/units/distribution.h"

namespace stallcast {
namespace {

struct SimulatedFigure {
  Figure figure;
  const char* kpi;
};
constexpr SimulatedFigure kSimulated[] = {{Figure::kTotal, "cost.total_usd"},
                                          {Figure::kGpuHour, "effective_usd_per_useful_gpu_hour"},
                                          {Figure::kTime, "time_to_train_s"},
                                          {Figure::kUtilization, "gpu_utilization"}};

double z_value(double p) { return normal_quantile(p); }

}  // namespace

std::string_view figure_name(Figure figure) {
  constexpr std::string_view kNames[] = {"total_usd",
                                         "usd_per_useful_gpu_hour",
                                         "time_to_train_s",
                                         "gpu_utilization",
                                         "loader_memory_bytes",
                                         "loader_memory_fraction",
                                         "gpus",
                                         "nodes",
                                         "capacity_bytes"};
  static_assert(std::size(kNames) == kFigures);
  return kNames[static_cast<std::size_t>(figure)];
}

bool higher_is_better(Figure figure) { return figure == Figure::kUtilization; }

double badness(Figure figure, double value) { return higher_is_better(figure) ? -value : value; }

bool worse(Figure figure, double a, double b) { return badness(figure, a) > badness(figure, b); }

double bettered(Figure figure, double value, double fraction) {
  return higher_is_better(figure) ? value * (1.0 + fraction) : value * (1.0 - fraction);
}

bool is_simulated(Figure figure) { return figure <= Figure::kUtilization; }

double Figures::at(Figure figure) const {
  const std::optional<Estimate>& value = of(figure);
  invariant(value.has_value(), "the figure is known");
  return value->mean;
}

Figures simulated_figures(const Evaluation& evaluation) {
  Figures figures;
  for (const SimulatedFigure& row : kSimulated) {
    const Kpi* kpi = find_kpi(row.kpi);
    invariant(kpi != nullptr, "the table of figures has what configurations are chosen by");
    figures.of(row.figure) = kpi->of(evaluation);
  }
  return figures;
}

void set_known_figures(Figures& figures, const Scenario& s) {
  const HostMemory memory = host_memory(s);
  const double loader = memory.loader.total().base();
  const double room = s.cluster.memory_per_node.base() - memory.reserve.base();
  const double copies = s.storage.scope == TierScope::kPerNode ? static_cast<double>(s.cluster.nodes) : 1.0;
  figures.of(Figure::kMemory) = exact_estimate(loader);
  figures.of(Figure::kMemoryShare) = exact_estimate(room > 0.0 ? loader / room : 0.0);
  figures.of(Figure::kGpus) = exact_estimate(static_cast<double>(s.ranks()));
  figures.of(Figure::kNodes) = exact_estimate(static_cast<double>(s.cluster.nodes + s.failures.spares));
  figures.of(Figure::kCapacity) = exact_estimate(copies * s.storage.capacity.base());
}

double confident_limit(const Estimate& e, Figure figure, double confidence) {
  const double share = z_value(confidence) / z_value(0.975);
  return higher_is_better(figure) ? e.mean - share * (e.mean - e.ci95_low) : e.mean + share * (e.ci95_high - e.mean);
}

bool keeps(const Target& target, double value) {
  return higher_is_better(target.figure) ? value >= target.limit : value <= target.limit;
}

const Target* first_missed(const std::vector<Target>& targets, const Figures& figures, double confidence) {
  for (const Target& target : targets) {
    const std::optional<Estimate>& value = figures.of(target.figure);
    if (!value || !keeps(target, confident_limit(*value, target.figure, confidence))) return &target;
  }
  return nullptr;
}

}  // namespace stallcast
