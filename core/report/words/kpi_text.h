// A KPI as people read it.
#pragma once

#include <string>

#include "core/plan/evaluate/figures.h"
#include "core/plan/evaluate/kpi.h"

namespace stallcast {

// "78.6 %", "$373.60", "7.5 h", "543 samples/s".
std::string kpi_text(const Kpi& kpi, double value);

// Of a difference: "+1.7 points", "-$12.30"; "same" of 0. Without the unit where the values beside it say it.
std::string kpi_difference_text(const Kpi& kpi, double difference);

// "1.7", "$12.30", "380": the size of a difference.
std::string kpi_size_text(const Kpi& kpi, double size);

// What to say of a utilization above its bound; "" of one that is not.
std::string above_bound_text(const Estimate& utilization, double bound);

// "Total cost", "GPU utilization".
std::string figure_title(Figure figure);
Dimension figure_dimension(Figure figure);

// "78.6 %", "$373.60", "7.5 h", "64 GiB".
std::string figure_text(Figure figure, double value);

}  // namespace stallcast
