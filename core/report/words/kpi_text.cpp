#include "core/report/words/kpi_text.h"

#include <fmt/format.h>

#include <cmath>

#include "core/cost/money/money.h"
#include "core/report/words/text_layout.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

// The KPI that a figure is; "" for those that only configurations have.
std::string_view kpi_name(Figure figure) {
  switch (figure) {
    case Figure::kTotal:
      return "cost.total_usd";
    case Figure::kGpuHour:
      return "effective_usd_per_useful_gpu_hour";
    case Figure::kTime:
      return "time_to_train_s";
    case Figure::kUtilization:
      return "gpu_utilization";
    default:
      return "";
  }
}

}  // namespace

std::string kpi_text(const Kpi& kpi, double value) {
  switch (kpi.dimension) {
    case Dimension::kFraction:
      return percent(value);
    case Dimension::kUsd:
      return usd_text(value);
    case Dimension::kUsdPerHour:
      return usd_text(value) + "/h";
    case Dimension::kTime:
      return duration_text(value);
    default:
      return short_text(kpi.dimension, value, kpi.dimension == Dimension::kRate ? "samples" : "");
  }
}

std::string kpi_difference_text(const Kpi& kpi, double difference) {
  if (difference == 0.0) return "same";
  return (difference < 0.0 ? "-" : "+") + kpi_size_text(kpi, std::abs(difference)) +
         (kpi.dimension == Dimension::kFraction ? " points" : "");
}

std::string kpi_size_text(const Kpi& kpi, double size) {
  if (kpi.dimension == Dimension::kFraction) return fmt::format("{:.1f}", 100.0 * size);
  if (kpi.dimension == Dimension::kRate) return format_number(rounded(size));
  return kpi_text(kpi, size);
}

std::string above_bound_text(const Estimate& utilization, double bound) {
  if (utilization.mean <= bound) return "";
  if (utilization.ci95_low <= bound) return "the simulated value is above it by no more than its own noise";
  return "the simulated value is above it by more than its noise: the bound takes mean rates, and one part of an epoch "
         "after the other";
}

std::string figure_title(Figure figure) {
  if (const Kpi* kpi = find_kpi(kpi_name(figure))) return kpi->label;
  switch (figure) {
    case Figure::kMemory:
      return "Loader memory per node";
    case Figure::kMemoryShare:
      return "Share of the node's memory";
    case Figure::kGpus:
      return "GPUs";
    case Figure::kNodes:
      return "Nodes";
    default:
      return "Storage capacity";
  }
}

Dimension figure_dimension(Figure figure) {
  if (const Kpi* kpi = find_kpi(kpi_name(figure))) return kpi->dimension;
  if (figure == Figure::kMemory || figure == Figure::kCapacity) return Dimension::kBytes;
  return figure == Figure::kMemoryShare ? Dimension::kFraction : Dimension::kCount;
}

std::string figure_text(Figure figure, double value) {
  if (const Kpi* kpi = find_kpi(kpi_name(figure))) return kpi_text(*kpi, value);
  return figure == Figure::kMemoryShare ? percent(value) : short_text(figure_dimension(figure), value);
}

}  // namespace stallcast
