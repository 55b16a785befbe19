#include "core/import/csv_table.h"

#include <fmt/format.h>

#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

constexpr std::size_t kMostCsvBytes = std::size_t{256} << 20;

// Splits `text` into rows of cells; `complete` is false when a quote does not end.
std::vector<CsvTable::Row> split_rows(const std::string& text, bool& complete) {
  std::vector<CsvTable::Row> rows;
  CsvTable::Row row{1, {""}};
  std::size_t line = 1;
  bool quoted = false;
  const auto finish = [&] {
    if (row.cells.size() > 1 || !row.cells.front().empty()) rows.push_back(std::move(row));
    row = {line, {""}};
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (quoted) {
      if (c != '"') {
        row.cells.back() += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        row.cells.back() += '"';
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == '"' && row.cells.back().empty()) {
      quoted = true;
    } else if (c == ',') {
      row.cells.emplace_back();
    } else if (c == '\n') {
      finish();
    } else if (c != '\r') {
      row.cells.back() += c;
    }
  }
  finish();
  complete = !quoted;
  return rows;
}

}  // namespace

const std::string& CsvTable::cell(const Row& row, const std::string& column) const {
  static const std::string kEmpty;
  const auto found = columns.find(column);
  return found == columns.end() || found->second >= row.cells.size() ? kEmpty : row.cells[found->second];
}

Loaded<CsvTable> read_csv(const std::filesystem::path& path) {
  Loaded<CsvTable> loaded;
  Loaded<std::string> text = read_text_file(path, kMostCsvBytes);
  loaded.findings = text.findings;
  if (!text.value) return loaded;
  const std::string file = path.string();
  if (auto problem = utf8_problem(*text.value, file)) {
    loaded.findings.add(std::move(*problem));
    return loaded;
  }
  if (text.value->starts_with("\xEF\xBB\xBF")) text.value->erase(0, 3);  // a byte order mark
  bool complete = true;
  CsvTable table;
  table.file = file;
  table.rows = split_rows(*text.value, complete);
  const auto fail = [&](const char* code, std::string got, std::string allowed) {
    loaded.findings.add({Severity::kError, code, file, "", std::move(got), std::move(allowed), "", ""});
  };
  if (table.rows.empty()) {
    fail("empty_file", "nothing", "a header and rows");
    return loaded;
  }
  table.header = table.rows.front().cells;
  table.rows.erase(table.rows.begin());
  for (std::size_t i = 0; i < table.header.size(); ++i) table.columns.emplace(table.header[i], i);
  if (!complete) {
    fail("wrong_row", "a quote that does not end", "rows of comma-separated values");
    return loaded;
  }
  for (const CsvTable::Row& row : table.rows) {
    if (row.cells.size() == table.header.size()) continue;
    fail("wrong_row", fmt::format("{} cells in line {}", row.cells.size(), row.line),
         fmt::format("{}, as the header has", table.header.size()));
    return loaded;
  }
  loaded.value = std::move(table);
  return loaded;
}

}  // namespace stallcast
