#include "core/report/charts/chart_parts.h"

#include <array>
#include <cctype>
#include <utility>

#include "core/report/words/text_layout.h"

namespace stallcast {
namespace {

struct Step {
  double from;  // base units
  const char* unit;
  double factor;
};

// The last step that `largest` reaches.
template <std::size_t N>
ChartScale last_reached(const std::array<Step, N>& steps, double largest) {
  const Step* found = &steps.front();
  for (const Step& step : steps)
    if (largest >= step.from) found = &step;
  return {found->unit, found->factor};
}

constexpr double kMinute = 60.0, kHour = 3600.0, kDay = 86400.0;
constexpr std::array<Step, 6> kTimes = {{{0.0, "us", 1e6},
                                         {2e-3, "ms", 1e3},
                                         {2.0, "s", 1.0},
                                         {3 * kMinute, "min", 1.0 / kMinute},
                                         {3 * kHour, "h", 1.0 / kHour},
                                         {5 * kDay, "d", 1.0 / kDay}}};
constexpr double kKiB = 1024.0, kMiB = 1024.0 * kKiB, kGiB = 1024.0 * kMiB, kTiB = 1024.0 * kGiB, kPiB = 1024.0 * kTiB;
constexpr std::array<Step, 6> kSizes = {{{0.0, "B", 1.0},
                                         {2 * kKiB, "KiB", 1.0 / kKiB},
                                         {2 * kMiB, "MiB", 1.0 / kMiB},
                                         {2 * kGiB, "GiB", 1.0 / kGiB},
                                         {2 * kTiB, "TiB", 1.0 / kTiB},
                                         {10 * kPiB, "PiB", 1.0 / kPiB}}};
constexpr std::array<Step, 5> kByteRates = {
    {{0.0, "B/s", 1.0}, {2e3, "kB/s", 1e-3}, {2e6, "MB/s", 1e-6}, {2e9, "GB/s", 1e-9}, {2e12, "TB/s", 1e-12}}};

}  // namespace

ChartScale chart_scale(Dimension dimension, double largest) {
  switch (dimension) {
    case Dimension::kFraction:
      return {"%", 100.0};
    case Dimension::kTime:
      return last_reached(kTimes, largest);
    case Dimension::kBytes:
      return last_reached(kSizes, largest);
    case Dimension::kByteRate:
      return last_reached(kByteRates, largest);
    case Dimension::kRate:
      return {"/s", 1.0};
    case Dimension::kUsd:
      return {"$", 1.0};
    case Dimension::kUsdPerHour:
      return {"$/h", 1.0};
    default:
      return {};
  }
}

ChartScale chart_scale_of_text(Dimension dimension, const std::string& text, double largest) {
  const std::size_t space = text.find(' ');
  if (space == std::string::npos || dimension == Dimension::kFraction) return chart_scale(dimension, largest);
  const std::string unit = text.substr(space + 1);
  const std::optional<double> one = parse_quantity(dimension, "1 " + unit).base;
  return one && *one > 0.0 ? ChartScale{unit, 1.0 / *one} : chart_scale(dimension, largest);
}

ChartAxis number_axis(std::string title, const ChartScale& scale) {
  ChartAxis axis;
  axis.title = std::move(title);
  axis.unit = scale.unit;
  return axis;
}

ChartAxis category_axis(std::string title, std::vector<std::string> categories) {
  ChartAxis axis;
  axis.title = std::move(title);
  axis.categories = std::move(categories);
  return axis;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return out;
}

std::string id_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80;
    if (plain) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

std::string short_name(const std::string& name, std::size_t most) {
  if (columns_of(name) <= most) return name;
  std::size_t end = 0, columns = 0;
  while (end < name.size()) {
    const bool begins = (static_cast<unsigned char>(name[end]) & 0xC0U) != 0x80U;
    if (begins && ++columns == most) break;
    ++end;
  }
  return name.substr(0, end) + "\u2026";
}

}  // namespace stallcast
