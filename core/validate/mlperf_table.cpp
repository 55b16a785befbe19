#include "core/validate/mlperf_table.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "core/diagnostics/json_input.h"

namespace stallcast {

namespace {

const std::array<MlperfWorkload, 3>& workloads() {
  static const std::array<MlperfWorkload, 3> all{{
      {"unet3d", true, 7, seconds(0.636), seconds(0.323), bytes(146600628), 0.334, 1, 4, 0.9, milliseconds(4.5)},
      {"resnet50", false, 400, seconds(0.435), seconds(0.224), bytes(114660.07), 0.0, 1251, 8, 0.9, milliseconds(1.27)},
      {"cosmoflow", false, 1, seconds(0.00551), seconds(0.0035), bytes(2828486), 0.018, 1, 4, 0.7, milliseconds(0.73)},
  }};
  return all;
}

constexpr const char* kInferred = "(inferred)";
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
// Far above any submission; keeps a slip from becoming an endless simulation.
constexpr std::int64_t kMostRanks = 100'000;
constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kMostFiles = 1'000'000'000'000;

// No cell of the table needs quotes; one that has them is reported with its row.
std::vector<std::string> cells_of(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> cells;
  std::size_t begin = 0;
  for (std::size_t comma = line.find(','); comma != std::string::npos; comma = line.find(',', begin)) {
    cells.push_back(line.substr(begin, comma - begin));
    begin = comma + 1;
  }
  cells.push_back(line.substr(begin));
  return cells;
}

template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class TableReader {
 public:
  explicit TableReader(std::filesystem::path path) : path_(std::move(path)) {}

  Loaded<MlperfTable> run() {
    Loaded<std::string> text = read_text_file(path_, kMostBytes);
    if (!text.value) return {std::nullopt, std::move(text.findings)};
    in_.str(std::move(*text.value));
    std::string line;
    if (!std::getline(in_, line)) line.clear();
    read_header(line);
    if (out_.findings.has_errors()) return std::move(out_);
    for (line_ = 2; std::getline(in_, line); ++line_) {
      if (line.find_first_not_of(" \t\r") != std::string::npos) read_row(line);
    }
    if (table_.rows.empty() && !out_.findings.has_errors())
      error({"empty_table", "", "no rows", "at least one result"});
    if (!out_.findings.has_errors()) out_.value = std::move(table_);
    return std::move(out_);
  }

 private:
  struct Problem {
    std::string code, column, got, allowed, fix{};
  };
  void error(const Problem& p) {
    const std::string where = p.column.empty() ? "" : ", " + p.column;
    out_.findings.add({.code = p.code,
                       .file = path_.string(),
                       .pointer = fmt::format("line {}{}", line_, where),
                       .got = p.got,
                       .allowed = p.allowed,
                       .fix = p.fix,
                       .why = ""});
  }

  void read_header(const std::string& line) {
    line_ = 1;
    const std::vector<std::string> names = cells_of(line);
    for (std::size_t i = 0; i < names.size(); ++i) column_.emplace(names[i], i);
    columns_ = names.size();
    for (const char* name : {"submitter", "system", "workload", "accelerator", "num_accelerators", "num_hosts",
                             "au_pct_mean", "samples_per_s"}) {
      if (column_.contains(name)) continue;
      const std::string near = nearest_word(name, names);
      error({"missing_column", name, "no such column", "a header with this column",
             near.empty() ? "" : fmt::format("rename \"{}\"?", near)});
    }
  }

  std::string cell(const std::vector<std::string>& cells, const char* name) const {
    const auto at = column_.find(name);
    return at == column_.end() ? "" : cells[at->second];
  }

  std::int64_t count(const std::vector<std::string>& cells, const char* name) {
    const auto value = number_of<std::int64_t>(cell(cells, name));
    if (value && *value >= 1 && *value <= kMostRanks) return *value;
    error({"out_of_range", name, fmt::format("\"{}\"", cell(cells, name)),
           fmt::format("a whole number from 1 to {}", kMostRanks)});
    return 1;
  }

  std::optional<std::int64_t> setting(const std::vector<std::string>& cells, const char* name, std::int64_t least,
                                      std::int64_t most) {
    if (cell(cells, name).empty()) return std::nullopt;
    const auto value = number_of<std::int64_t>(cell(cells, name));
    if (value && *value >= least && *value <= most) return value;
    error({"out_of_range", name, fmt::format("\"{}\"", cell(cells, name)),
           fmt::format("a whole number from {} to {}, or empty", least, most)});
    return std::nullopt;
  }

  double real(const std::vector<std::string>& cells, const char* name, double most, const std::string& allowed) {
    const auto value = number_of<double>(cell(cells, name));
    if (value && *value > 0.0 && *value <= most) return *value;
    error({"out_of_range", name, fmt::format("\"{}\"", cell(cells, name)), allowed});
    return most;
  }

  void read_row(const std::string& line) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != columns_) {
      error(
          {"bad_row", "", fmt::format("{} cells", cells.size()), fmt::format("{} cells, as in the header", columns_)});
      return;
    }
    const std::size_t errors_before = out_.findings.list().size();
    MlperfRow row;
    row.line = line_;
    row.submitter = cell(cells, "submitter");
    row.system = cell(cells, "system");
    row.workload = cell(cells, "workload");
    row.accelerator = cell(cells, "accelerator");
    if (row.accelerator.ends_with(kInferred)) {
      row.accelerator_inferred = true;
      row.accelerator.resize(row.accelerator.size() - std::string(kInferred).size());
    }
    if (find_mlperf_workload(row.workload) == nullptr)
      error({"unknown_value", "workload", fmt::format("\"{}\"", row.workload), "unet3d, resnet50 or cosmoflow"});
    if (row.accelerator != "a100" && row.accelerator != "h100")
      error({"unknown_value", "accelerator", fmt::format("\"{}\"", row.accelerator), "a100 or h100"});
    row.accelerators = count(cells, "num_accelerators");
    row.hosts = count(cells, "num_hosts");
    if (row.hosts > row.accelerators)
      error({"contradiction", "num_hosts", fmt::format("{}", row.hosts), "no more than num_accelerators"});
    row.au = real(cells, "au_pct_mean", 100.0, "percent above 0, at most 100") / 100.0;
    row.samples_per_s = real(cells, "samples_per_s", 1e12, "a positive number");
    row.read_threads = setting(cells, "read_threads", 1, kMostThreads);
    row.computation_threads = setting(cells, "computation_threads", 1, kMostThreads);
    row.prefetch_batches = setting(cells, "prefetch_size", 0, kMostThreads);
    row.transfer_bytes = setting(cells, "transfer_size", 1, kMostFiles);
    row.files = setting(cells, "num_files_train", 1, kMostFiles);
    if (out_.findings.list().size() != errors_before) return;
    // Published rates are rounded to 0.1 samples/s.
    if (row.samples_per_s > row.ideal_samples_per_s() * 1.001 + 0.1) {
      error({"contradiction", "samples_per_s", fmt::format("{}", row.samples_per_s),
             fmt::format("at most {:.1f}, the rate without any loss", row.ideal_samples_per_s())});
      return;
    }
    if (row.steps_per_epoch().value_or(2) < 2) {
      error({"contradiction", "num_files_train", fmt::format("{}", *row.files),
             "files for two steps of all accelerators or more"});
      return;
    }
    if (!seen_.emplace(row.submitter, row.system, row.workload, row.accelerator, row.accelerators, row.hosts).second) {
      error({"duplicate_row", "", "a result given before", "each system, workload, accelerator and count once"});
      return;
    }
    table_.rows.push_back(std::move(row));
  }

  std::filesystem::path path_;
  std::istringstream in_;
  std::size_t line_ = 1;
  std::size_t columns_ = 0;
  std::map<std::string, std::size_t> column_;
  std::set<std::tuple<std::string, std::string, std::string, std::string, std::int64_t, std::int64_t>> seen_;
  MlperfTable table_;
  Loaded<MlperfTable> out_;
};

}  // namespace

const MlperfWorkload* find_mlperf_workload(const std::string& name) {
  for (const MlperfWorkload& workload : workloads()) {
    if (workload.name == name) return &workload;
  }
  return nullptr;
}

std::optional<std::int64_t> MlperfRow::steps_per_epoch() const {
  if (!files) return std::nullopt;
  return *files * rules().samples_per_file / rules().batch_size / accelerators;
}

Loaded<MlperfTable> load_mlperf_table(const std::filesystem::path& path) { return TableReader(path).run(); }

}  // namespace stallcast
