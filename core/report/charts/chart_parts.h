// What all builders of charts share: units of axes, names of fields, numbers in sentences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report/charts/chart.h"
#include "core/units/quantity_text.h"

namespace stallcast {

// A value in base units times `factor` is one in `unit`, "" for a plain number.
struct ChartScale {
  std::string unit;
  double factor = 1.0;
};

// The scale that suits numbers up to `largest`: "%" of fractions, "h" of a time of hours, "TiB" of sizes.
ChartScale chart_scale(Dimension dimension, double largest);

// The scale whose unit `text` is written in: "TiB" of "100 TiB"; that of its size where it has none.
ChartScale chart_scale_of_text(Dimension dimension, const std::string& text, double largest);

ChartAxis number_axis(std::string title, const ChartScale& scale);
ChartAxis category_axis(std::string title, std::vector<std::string> categories = {});

// "a", "a and b", "a, b and c"
std::string joined(const std::vector<std::string>& parts);

// Letters, digits and "-" of `text`, for ids.
std::string id_text(std::string_view text);

// How a title ends that would be too long with a name from a file in it.
std::string short_name(const std::string& name, std::size_t most = 40);

}  // namespace stallcast
