#include "core/report/words/kpi_text.h"

#include <fmt/format.h>

#include <cmath>

#include "core/cost/money/money.h"
#include "core/report/words/text_layout.h"
#include "core/units/quantity_text.h"

namespace stallcast {

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

std::string kpi_text(const Kpi& kpi, const std::optional<Estimate>& value) {
  if (!value) return "unknown";
  if (value->half_width() <= 0.0) return kpi_text(kpi, value->mean);
  return fmt::format("{} ({} to {})", kpi_text(kpi, value->mean), kpi_text(kpi, value->ci95_low),
                     kpi_text(kpi, value->ci95_high));
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

}  // namespace stallcast
