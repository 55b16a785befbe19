#include "core/report/measured/write_probe_text.h"

#include <fmt/format.h>

#include "core/probe/result/probe_result.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"
#include "core/units/size_text.h"

namespace stallcast {
namespace {

std::string write_time_text(double time_s) { return format_quantity(Dimension::kTime, rounded(time_s)); }

std::string streams_text(int streams) { return streams == 1 ? "1 stream" : fmt::format("{} streams", streams); }

std::string write_rate_lines(const WriteProbeResult& r) {
  std::string out;
  if (const WritePoint* one = one_stream(r, WriteMode::kBuffered)) {
    out += labelled("One stream", fmt::format("{} into the page cache, {} with its fsync",
                                              byte_rate_text(one->write_rate()), byte_rate_text(one->synced_rate())));
  }
  if (const WritePoint* best = best_point(r, WriteMode::kBuffered)) {
    out += labelled("With fsync",
                    fmt::format("{} with {}", byte_rate_text(best->synced_rate()), streams_text(best->streams)));
  }
  if (const WritePoint* best = best_point(r, WriteMode::kDirect)) {
    const WritePoint* one = one_stream(r, WriteMode::kDirect);
    out += labelled("Direct", fmt::format("{} with {}, {} with 1 stream", byte_rate_text(best->synced_rate()),
                                          streams_text(best->streams), byte_rate_text(one->synced_rate())));
  }
  const auto cost = [](const FileCost& c) {
    return fmt::format("{} ({})", write_time_text(c.mean_s),
                       format_quantity(Dimension::kRate, rounded(1.0 / c.mean_s)));
  };
  if (r.sync.count > 0.0) out += labelled("fsync", fmt::format("{} each, of 4 KiB", cost(r.sync)));
  if (r.file.count > 0.0) out += labelled("New files", fmt::format("{} each, of 4 KiB", cost(r.file)));
  if (r.synced_file.count > 0.0) out += labelled("", fmt::format("{} each with an fsync", cost(r.synced_file)));
  return out;
}

std::string write_grade_lines(const WriteProbeResult& r, const TextStyle& style) {
  std::string verdict;
  if (r.flaws.empty()) {
    verdict = toned("good: fit for calibration", Tone::kGood, style);
  } else if (r.refused()) {
    verdict = toned("refused: says too little about the storage to calibrate with", Tone::kWarn, style);
  } else {
    verdict = toned(fmt::format("usable with intervals {} times as wide", format_number(rounded(r.widen()))),
                    Tone::kWarn, style);
  }
  std::string out = fmt::format("{:<{}}{}\n", "Grade", kLabelColumns, verdict);
  for (const ProbeFlaw& flaw : r.flaws) out += "  " + wrapped(flaw.code + ": " + printable(flaw.text), 4, 2) + "\n";
  for (const std::string& note : r.notes) out += "  " + wrapped("note: " + printable(note), 4, 2) + "\n";
  return out;
}

}  // namespace

std::string render_text(const WriteProbeResult& r, const TextStyle& style) {
  std::string target = printable(r.target);
  if (!r.file_system.empty()) target += fmt::format(" ({})", printable(r.file_system));
  std::string out = wrapped(target, 0, 0) + "\n";
  out += wrapped(fmt::format("{} written and removed in {} of {} and {} allowed{}", size_text(r.bytes),
                             duration_text(r.seconds), size_text(r.allowed_bytes), duration_text(r.allowed_seconds),
                             r.interrupted ? "; interrupted" : ""),
                 0, 0) +
         "\n\n";
  return out + write_rate_lines(r) + write_grade_lines(r, style);
}

}  // namespace stallcast
