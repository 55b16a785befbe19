// Tables of comma-separated values with a header, as RFC 4180 writes them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/diagnostics/finding.h"

namespace stallcast {

struct CsvTable {
  std::string file;
  std::vector<std::string> header;
  std::map<std::string, std::size_t> columns;
  struct Row {
    std::size_t line = 0;
    std::vector<std::string> cells;
  };
  std::vector<Row> rows;

  // "" where the row is too short or there is no such column.
  const std::string& cell(const Row& row, const std::string& column) const;
};

// **Errors** WorldError; findings "empty_file", "not_utf8", "too_large", "wrong_row" (a row of another length than the
// header, a quote that does not end).
Loaded<CsvTable> read_csv(const std::filesystem::path& path);

}  // namespace stallcast
