// The results of a whole sweep as files: JSON Lines and CSV, the same bytes however the sweep was computed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/sweep/merge.h"

namespace stallcast {

inline constexpr const char* kResultsJsonLines = "results.jsonl";
inline constexpr const char* kResultsCsv = "results.csv";

// Writes both into `directory`, which is made where it is missing: a line for each point, in the order of their
// numbers. The columns are point_columns() without the intervals that no point has.
// **Errors** WorldError with the system's reason.
void write_sweep_results(const SweptPoints& points, const std::filesystem::path& directory);

// The row of one line, in the order of `columns`, with a line feed. What the line does not have is an empty cell.
std::string sweep_csv_row(std::string_view line, const std::vector<std::string>& columns);

}  // namespace stallcast
