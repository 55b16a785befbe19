// The figures that configurations are chosen by: what a run was simulated to give, and what a configuration takes.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/plan/evaluate/evaluation.h"
#include "core/result/estimate.h"
#include "core/scenario/scenario.h"

namespace stallcast {

enum class Figure {
  kTotal,        // USD of the whole run; nothing when its length or a price is not known
  kGpuHour,      // USD per GPU-hour that computed
  kTime,         // s of the whole run; nothing when its length is not known
  kUtilization,  // of the GPUs, 0 to 1
  kMemory,       // bytes of a node that loaders fill
  kMemoryShare,  // the same over what cluster.memory_per_node leaves them; 0 when that is not stated
  kGpus,
  kNodes,     // spares are nodes too
  kCapacity,  // bytes provisioned, of all nodes where each has its own
  kCount
};
inline constexpr std::size_t kFigures = static_cast<std::size_t>(Figure::kCount);

// Stable snake_case name with its unit: "total_usd", "time_to_train_s".
std::string_view figure_name(Figure figure);

// True of utilization alone.
bool higher_is_better(Figure figure);

// The value as a number of which less is better; whether `a` is worse than `b`; `value` bettered by a fraction of
// itself.
double badness(Figure figure, double value);
bool worse(Figure figure, double a, double b);
double bettered(Figure figure, double value, double fraction);

// Whether a figure needs a simulation; the others are known of a configuration as it is.
bool is_simulated(Figure figure);

struct Figures {
  std::array<std::optional<Estimate>, kFigures> values;

  std::optional<Estimate>& of(Figure figure) { return values[static_cast<std::size_t>(figure)]; }
  const std::optional<Estimate>& of(Figure figure) const { return values[static_cast<std::size_t>(figure)]; }

  // The mean; InvariantError when there is none.
  double at(Figure figure) const;
};

// An estimate that is one number.
constexpr Estimate exact_estimate(double value) { return {value, value, value}; }

// Those that are simulated.
Figures simulated_figures(const Evaluation& evaluation);

// Writes those that a configuration has without being simulated.
void set_known_figures(Figures& figures, const Scenario& scenario);

// A limit that a figure must keep: at least it where higher is better, else at most.
struct Target {
  Figure figure = Figure::kUtilization;
  double limit = 0.0;
};

// What the figure is at the least (or, where lower is better, at the most) with probability `confidence`.
// **Model** the 95 % interval is taken as that of a normal variable on either side of the mean:
//   mean -+ (mean's distance to the interval's end) * z(confidence) / z(0.975); at 0.975 it is the interval's end.
// **Range** confidence 0.5 (the mean) to 1, excluded.
double confident_limit(const Estimate& estimate, Figure figure, double confidence);

// Whether `value` keeps the target.
bool keeps(const Target& target, double value);

// The first target that `figures` do not keep at `confidence`, or null. A figure that is not known is not kept.
const Target* first_missed(const std::vector<Target>& targets, const Figures& figures, double confidence);

}  // namespace stallcast
