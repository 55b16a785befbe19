// ONE table of the figures that a configuration is judged by: columns of a sweep, rows of a comparison, targets of
// size, conditions of --fail-if.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/evaluate/evaluation.h"
#include "core/result/estimate.h"
#include "core/units/quantity_text.h"

namespace stallcast {

enum class Better { kHigher, kLower, kNeither };

// What a figure of a run is in proportion to, where nothing changes but how busy the GPUs are.
enum class GoesWith {
  kNothing,
  kUtilization,  // a rate of the whole run
  kSlowness,     // 1 / utilization: a time or a bill of the whole run
};

struct Kpi {
  std::string name;   // path in the JSON of a result: "gpu_utilization", "cost.total_usd"
  std::string label;  // "GPU utilization"
  Dimension dimension = Dimension::kNone;
  Better better = Better::kNeither;
  std::string help;  // its definition, one sentence
  // Low = mean = high where no interval is known; nothing where the value is not: a price is missing, or the length of
  // the run is not given.
  std::optional<Estimate> (*of)(const Evaluation&) = nullptr;
  GoesWith goes_with = GoesWith::kNothing;
};

// In the order that tables show them.
const std::vector<Kpi>& kpi_table();

// The row of a name, or null.
const Kpi* find_kpi(std::string_view name);

// What a configuration has of every figure, in the order of kpi_table().
using KpiValues = std::vector<std::optional<Estimate>>;
KpiValues kpi_values(const Evaluation& evaluation);

// `kpi` is a row of kpi_table().
const std::optional<Estimate>& value_of(const Kpi& kpi, const KpiValues& values);
double mean_of(const Kpi& kpi, const KpiValues& values);  // not a number where it is not known

}  // namespace stallcast
