#include "core/report/words/comparison_words.h"

#include <algorithm>
#include <cmath>

#include "core/report/words/kpi_text.h"
#include "core/report/words/text_layout.h"

namespace stallcast {

bool is_given(const InputDifference& input) {
  return std::any_of(input.provenance.begin(), input.provenance.end(), [](const Provenance& from) {
    return from.origin == Origin::kFile || from.origin == Origin::kOverride;
  });
}

std::string mean_text(const Kpi& kpi, const std::optional<Estimate>& value) {
  if (!value) return "unknown";
  return kpi.dimension == Dimension::kRate ? short_text(kpi.dimension, value->mean) : kpi_text(kpi, value->mean);
}

std::string difference_text(const Kpi& kpi, const std::optional<Estimate>& difference) {
  if (!difference) return "";
  const double half = std::max(difference->mean - difference->ci95_low, difference->ci95_high - difference->mean);
  if (difference->mean == 0.0 && half == 0.0) return "same";
  std::string out = (difference->mean < 0.0 ? "-" : "+") + kpi_size_text(kpi, std::abs(difference->mean));
  const bool is_shown = std::isfinite(half) && half > 1e-5 * std::abs(difference->mean);
  if (is_shown) out += " +- " + kpi_size_text(kpi, half);
  return out + (kpi.dimension == Dimension::kFraction ? " points" : "");
}

bool is_within_noise(const Estimate& difference) { return difference.ci95_low <= 0.0 && difference.ci95_high >= 0.0; }

std::vector<const InputDifference*> differing_inputs(const Comparison& comparison, std::size_t other) {
  std::vector<const InputDifference*> out;
  for (const InputDifference& input : comparison.inputs)
    if (input.values[other] != input.values[0]) out.push_back(&input);
  std::stable_partition(out.begin(), out.end(), [](const InputDifference* input) { return is_given(*input); });
  return out;
}

}  // namespace stallcast
