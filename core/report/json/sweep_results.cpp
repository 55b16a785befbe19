#include "core/report/json/sweep_results.h"

#include <nlohmann/json.hpp>
#include <set>

#include "core/diagnostics/atomic_file.h"
#include "core/plan/sweep/sweep_point.h"
#include "core/report/words/csv_cell.h"

namespace stallcast {
namespace {

std::string cell_of(const nlohmann::ordered_json& line, const std::string& column) {
  const auto found = line.find(column);
  if (found == line.end() || found->is_null()) return "";
  return csv_cell(found->is_string() ? found->get<std::string>() : found->dump());
}

// Those of all columns that some line has: of most figures no interval is known.
std::vector<std::string> used_columns(const SweptPoints& points) {
  std::set<std::string> used;
  for (const std::string_view line : points.lines) {
    const auto json = nlohmann::ordered_json::parse(line);
    for (const auto& [key, value] : json.items()) used.insert(key);
  }
  std::vector<std::string> columns = point_columns(points.fields);
  std::erase_if(columns,
                [&](const std::string& column) { return is_interval_column(column) && !used.contains(column); });
  return columns;
}

std::string header_row(const std::vector<std::string>& columns) {
  std::string row;
  for (const std::string& column : columns) row += (row.empty() ? "" : ",") + csv_cell(column);
  return row + "\n";
}

}  // namespace

std::string sweep_csv_row(std::string_view line, const std::vector<std::string>& columns) {
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(line);
  std::string row;
  for (const std::string& column : columns) {
    if (&column != &columns.front()) row += ',';
    row += cell_of(json, column);
  }
  return row + "\n";
}

void write_sweep_results(const SweptPoints& points, const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  AtomicFiles files;
  AtomicFile& json_lines = files.add(directory / kResultsJsonLines);
  AtomicFile& csv = files.add(directory / kResultsCsv);
  const std::vector<std::string> columns = used_columns(points);
  csv.append(header_row(columns));
  for (const std::string_view line : points.lines) {
    json_lines.append(line);
    json_lines.append("\n");
    csv.append(sweep_csv_row(line, columns));
  }
  files.finish();
}

}  // namespace stallcast
