#include "core/calibrate/read/read_elbencho.h"

#include <fmt/format.h>

#include <cmath>

#include "core/calibrate/read/reader_tools.h"
#include "core/import/csv_table.h"
#include "core/units/binary_multiples.h"

namespace stallcast {
namespace {

// The cells of one row.
class Cells {
 public:
  Cells(const CsvTable& table, const CsvTable::Row& row, ReaderFindings& problems)
      : table_(table), row_(row), problems_(problems) {}

  const std::string& text(const std::string& column) const { return table_.cell(row_, column); }
  std::string place(const std::string& column) const { return fmt::format("line {}, {}", row_.line, column); }
  // 0 for an empty cell, which is how elbencho leaves out what does not apply.
  double number(const std::string& column) const {
    return text(column).empty() ? 0.0 : problems_.number(text(column), place(column)).value_or(0.0);
  }
  double count(const std::string& column) const { return std::max(1.0, number(column)); }

 private:
  const CsvTable& table_;
  const CsvTable::Row& row_;
  ReaderFindings& problems_;
};

// What was done when the first or the last thread ended.
struct Finish {
  double seconds = 0.0, requests = 0.0, bytes = 0.0;
  double rate() const { return seconds > 0 ? bytes / seconds : 0.0; }
};

// Rates and MiB are whole numbers in the file. Requests times their size is the finer figure, unless the last request
// of each file was short.
Finish finish_of(const Cells& cells, const std::string& which, double block) {
  Finish finish;
  finish.seconds = cells.number("time ms " + which) * 1e-3;
  finish.requests = cells.number("IOPS " + which) * finish.seconds;
  const double counted = cells.number("MiB " + which) * kMiB;
  const double blocks = finish.requests * block;
  const bool agree = counted <= 0 || std::abs(blocks - counted) <= kMiB + 0.01 * counted;
  finish.bytes = agree ? blocks : counted;
  return finish;
}

AccessPattern pattern_of(const Cells& cells, double block) {
  if (cells.number("random") > 0) return AccessPattern::kRandom;
  const double file = cells.number("file size");
  const bool whole = cells.text("path type") == "dir" && file > 0 && file <= block;
  return whole ? AccessPattern::kWholeFile : AccessPattern::kSequential;
}

void read_row(const Cells& cells, const std::string& from, Measurements& measured, ReaderFindings& problems) {
  const double block = cells.number("block size");
  if (block <= 0) {
    problems.error("out_of_range", cells.place("block size"), cells.text("block size"), "more than 0 bytes");
    return;
  }
  const Finish first = finish_of(cells, "[first]", block), last = finish_of(cells, "[last]", block);
  if (last.seconds <= 0 || last.requests <= 0) {
    problems.warn("not_one_point", cells.place("time ms [last]"), "no time or no requests",
                  "a phase of at least a millisecond", "read more data", "the row is left out");
    return;
  }
  const bool together = first.requests > 0 && first.seconds >= 0.5 * last.seconds;
  const Finish& used = together ? first : last;
  ReadPoint point;
  point.pattern = pattern_of(cells, block);
  point.request_bytes = used.bytes / used.requests;
  point.in_flight = cells.count("hosts") * cells.count("threads") * cells.count("IO depth");
  point.engine = "elbencho";
  point.direct = cells.number("direct IO") > 0;
  point.seconds = used.seconds;
  point.requests = used.requests;
  point.bytes = used.bytes;
  const std::string lat = point.pattern == AccessPattern::kWholeFile ? "Ent lat us " : "IO lat us ";
  point.latency.mean_s = cells.number(lat + "[avg]") * 1e-6;
  point.latency.min_s = cells.number(lat + "[min]") * 1e-6;
  point.latency.max_s = cells.number(lat + "[max]") * 1e-6;
  const double mean = (first.rate() + last.rate()) / 2;
  if (first.rate() > 0) point.relative_sd = std::abs(first.rate() - last.rate()) / std::sqrt(2.0) / mean;
  point.from = from;
  measured.observations.push_back({"straggler_spread", std::max(0.0, 1.0 - first.seconds / last.seconds), 0.0,
                                   "time from the first thread's end to the last one's / time of the last", from});
  measured.reads.push_back(std::move(point));
}

}  // namespace

bool looks_like_elbencho_csv(std::string_view text) {
  const std::string_view header = text.substr(0, text.find('\n'));
  return header.find("operation") != std::string_view::npos && header.find("time ms [last]") != std::string_view::npos;
}

Loaded<Measurements> read_elbencho_csv(const std::filesystem::path& path) {
  ReaderFindings problems(path.string());
  const Loaded<CsvTable> table = read_csv(path);
  problems.list().append(table.findings);
  if (!table.ok()) return {std::nullopt, problems.list()};
  for (const char* column :
       {"operation", "hosts", "threads", "block size", "direct IO", "random", "IO depth", "time ms [first]",
        "time ms [last]", "IOPS [first]", "IOPS [last]", "MiB [first]", "MiB [last]"}) {
    if (table.value->columns.contains(column)) continue;
    problems.error("missing_column", column, "nothing", "a column of this name");
  }
  if (problems.list().has_errors()) return {std::nullopt, problems.list()};
  Measurements measured;
  measured.file = path.string();
  measured.tool = "elbencho";
  for (const CsvTable::Row& row : table.value->rows) {
    const Cells cells(*table.value, row, problems);
    if (cells.text("operation") != "READ") continue;
    read_row(cells, fmt::format("{}: line {}", path.string(), row.line), measured, problems);
  }
  if (measured.reads.empty() && !problems.list().has_errors()) {
    problems.error("no_reads", "operation", "no row of phase READ", "elbencho with --read");
  }
  if (problems.list().has_errors()) return {std::nullopt, problems.list()};
  return {std::move(measured), problems.list()};
}

}  // namespace stallcast
