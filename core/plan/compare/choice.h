// Which of the scenarios compared to take, said in a sentence.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/compare/comparison.h"

namespace stallcast {

// The paired difference of scenario `other` less `base`; nothing where it is not known.
using PairedDifference = std::function<std::optional<Estimate>(std::size_t base, std::size_t other)>;

// The figure that decides between evaluations: the first of total cost, effective price, time to train and utilization
// that is known of all.
const Kpi& deciding_kpi(const std::vector<const Evaluation*>& evaluations);

// What it is called in a sentence: "total cost", "GPU utilization".
std::string figure_noun(const Kpi& kpi);

// True when `value` is better than `other`, which must differ from it for that.
bool is_better(const Kpi& kpi, double value, double other);

// "A", "B", ..., "Z", "AA", ...
std::string scenario_label(std::size_t index);

// `difference` is of the deciding figure `by`.
Choice choose(const Kpi& by, const std::vector<Compared>& scenarios, const PairedDifference& difference);

}  // namespace stallcast
