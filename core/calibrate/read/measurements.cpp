#include "core/calibrate/read/measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <istream>

#include "core/calibrate/read/read_dlio.h"
#include "core/calibrate/read/read_elbencho.h"
#include "core/calibrate/read/read_fio.h"
#include "core/calibrate/read/read_gdsio.h"
#include "core/calibrate/read/read_metrics.h"
#include "core/calibrate/read/read_record.h"
#include "core/calibrate/read/read_trace.h"
#include "core/calibrate/read/reader_tools.h"
#include "core/diagnostics/json_input.h"
#include "core/import/gzip_stream.h"
#include "core/units/plain_text.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;
constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

enum class Format {
  kUnknown,
  kRecord,
  kTrace,
  kBareTrace,
  kFioJson,
  kFioTerse,
  kElbencho,
  kGdsio,
  kMetrics,
  kOtherJson
};

// The beginning of a file's content, unpacked.
std::string head_of(const fs::path& path) {
  GzipBuffer buffer(path, kMaxBytes);
  std::string head(kHeadBytes, '\0');
  head.resize(static_cast<std::size_t>(buffer.sgetn(head.data(), static_cast<std::streamsize>(head.size()))));
  return head;
}

bool is_gzip(const fs::path& path) {
  std::filebuf file;
  if (file.open(path, std::ios::in | std::ios::binary) == nullptr) return false;
  return file.sbumpc() == 0x1F && file.sbumpc() == 0x8B;
}

Format format_of(std::string_view head) {
  const std::string_view start = trimmed(head);
  const auto has = [&](std::string_view word) { return head.find(word) != std::string_view::npos; };
  if (looks_like_fio_json(head)) return Format::kFioJson;
  if (start.starts_with('[') && has("\"ph\"")) return Format::kBareTrace;
  if (start.starts_with('{') && (has("\"traceEvents\"") || has("\"schemaVersion\""))) return Format::kTrace;
  if (start.starts_with('{') && has("\"config\"") && has("\"inputs\"")) return Format::kRecord;
  if (start.starts_with('{')) return Format::kOtherJson;
  if (looks_like_fio_terse(head)) return Format::kFioTerse;
  if (looks_like_elbencho_csv(head)) return Format::kElbencho;
  if (looks_like_gdsio(head)) return Format::kGdsio;
  if (looks_like_metrics(head)) return Format::kMetrics;
  return Format::kUnknown;
}

Loaded<Measurements> refused(const fs::path& path, const char* code, std::string got, std::string fix = "",
                             std::string why = "") {
  ReaderFindings problems(path.string());
  problems.error(
      code, "", std::move(got),
      "fio JSON or terse, elbencho CSV, gdsio text, DLIO's summary.json or per_epoch_stats.json, a trace of "
      "the PyTorch profiler or a folder of them, Prometheus text with DCGM fields, the lines of stallcast_recorder.py",
      std::move(fix), std::move(why));
  return {std::nullopt, problems.list()};
}

Loaded<Measurements> read_other_json(const fs::path& path) {
  const Loaded<nlohmann::ordered_json> root = read_json_file(path, {.max_bytes = kMaxBytes});
  if (!root.ok()) return {std::nullopt, root.findings};
  if (looks_like_dlio_summary(*root.value)) return read_dlio_summary(*root.value, path.string());
  if (looks_like_dlio_epochs(*root.value)) return read_dlio_epochs(*root.value, path.string());
  if (root.value->is_object() && root.value->contains("flaws") && root.value->contains("points"))
    return refused(path, "unknown_format", "the result of a probe", "name it with --probe");
  return refused(path, "unknown_format", "JSON of another kind");
}

Loaded<Measurements> read_trace_files(const std::vector<std::pair<fs::path, Format>>& files, const std::string& name) {
  std::vector<TraceEvents> ranks;
  Findings findings;
  for (const auto& [file, format] : files) {
    Loaded<TraceEvents> rank = read_trace_events(file, format == Format::kBareTrace);
    findings.append(rank.findings);
    if (rank.ok()) ranks.push_back(*std::move(rank.value));
  }
  if (findings.has_errors()) return {std::nullopt, findings};
  Loaded<Measurements> measured = read_traces(ranks, name);
  findings.append(measured.findings);
  return {std::move(measured.value), findings};
}

// A result of DLIO: its summary, with the times of epochs where they are beside it.
Loaded<Measurements> read_dlio_folder(const fs::path& folder) {
  Loaded<Measurements> summary = read_other_json(folder / "summary.json");
  const fs::path epochs = folder / "per_epoch_stats.json";
  if (!summary.ok() || !fs::is_regular_file(epochs)) return summary;
  const Loaded<Measurements> times = read_other_json(epochs);
  summary.findings.append(times.findings);
  if (!times.value) return {std::nullopt, summary.findings};
  for (const Observation& time : times.value->observations) summary.value->observations.push_back(time);
  return summary;
}

Loaded<Measurements> read_folder(const fs::path& folder) {
  if (fs::is_regular_file(folder / "summary.json")) return read_dlio_folder(folder);
  std::vector<std::pair<fs::path, Format>> traces;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored)) continue;
    const Format format = format_of(head_of(entry->path()));
    if (format == Format::kTrace || format == Format::kBareTrace) traces.emplace_back(entry->path(), format);
  }
  if (problem) throw WorldError(fmt::format("{}: cannot be read: {}", folder.string(), problem.message()));
  if (traces.empty()) return refused(folder, "unknown_format", "a folder without traces", "name a file in it");
  std::sort(traces.begin(), traces.end());
  return read_trace_files(traces, folder.string());
}

Loaded<Measurements> read_text(const fs::path& path, Format format) {
  const Loaded<std::string> text = read_text_file(path, kMaxBytes);
  if (!text.value) return {std::nullopt, text.findings};
  if (format == Format::kFioJson) return read_fio_json(*text.value, path.string());
  if (format == Format::kFioTerse) return read_fio_terse(*text.value, path.string());
  if (format == Format::kGdsio) return read_gdsio(*text.value, path.string());
  return read_metrics(*text.value, path.string());
}

}  // namespace

Loaded<Measurements> read_measurements(const fs::path& path, const Catalogue* catalogue) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (status.type() == fs::file_type::none)
    throw WorldError(fmt::format("{}: cannot be read: {}", path.string(), problem.message()));
  if (!fs::exists(status)) throw WorldError(fmt::format("{}: cannot be read: there is no such file", path.string()));
  if (fs::is_directory(status)) return read_folder(path);
  if (!fs::is_regular_file(status)) return refused(path, "not_a_file", "a device, a pipe or a socket");
  const std::string head = head_of(path);
  if (trimmed(head).empty()) {
    if (is_gzip(path)) return refused(path, "damaged_gzip", "no content that can be unpacked");
    return refused(path, "empty_file", "nothing");
  }
  if (head.find('\0') != std::string::npos) return refused(path, "binary_file", "bytes that are no text");
  const Format format = format_of(head);
  if (format == Format::kTrace || format == Format::kBareTrace)
    return read_trace_files({{path, format}}, path.string());
  if (format == Format::kUnknown) return refused(path, "unknown_format", "text of another kind");
  if (is_gzip(path)) return refused(path, "compressed_file", "a compressed file", "unpack it first");
  if (format == Format::kRecord) return read_record(path, catalogue);
  if (format == Format::kOtherJson) return read_other_json(path);
  if (format == Format::kElbencho) return read_elbencho_csv(path);
  return read_text(path, format);
}

}  // namespace stallcast
