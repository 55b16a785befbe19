#include "core/report/measured/probe_text.h"

#include <fmt/format.h>

#include "core/probe/disk/read_point.h"
#include "core/probe/result/probe_summary.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"
#include "core/units/size_text.h"

namespace stallcast {
namespace {

std::string short_time(double time_s) { return format_quantity(Dimension::kTime, rounded(time_s)); }

std::string reads_text(const ReadPoint& point) {
  if (point.pattern == AccessPattern::kWholeFile)
    return fmt::format("whole files of {} in the mean", size_text(point.request_bytes));
  if (point.pattern == AccessPattern::kStream) return "a file read in order, through the page cache";
  return fmt::format("{} reads of {}", access_pattern_name(point.pattern), size_text(point.request_bytes));
}

std::string target_text(const ProbeResult& result) {
  std::string text = printable(result.target);
  if (!result.file_system.empty()) text += fmt::format(" ({})", printable(result.file_system));
  if (result.target_kind == ProbeTarget::kDirectory)
    text += fmt::format(", {:.0f} files of {}", result.files_seen, size_text(result.files_bytes));
  return text;
}

std::string latency_line(const ReadPoint& point) {
  return labelled("Latency alone", fmt::format("{} median, {} at 99 % ({})", short_time(point.latency.quantile(0.5)),
                                               short_time(point.latency.quantile(0.99)), reads_text(point)));
}

std::string throughput_lines(const ProbeSummary& summary) {
  std::string out;
  if (summary.one_stream != nullptr) {
    out += labelled("One stream", fmt::format("{} ({})", byte_rate_text(summary.one_stream->bytes_per_s()),
                                              reads_text(*summary.one_stream)));
  }
  if (summary.most_bytes != nullptr) {
    out += labelled("Bandwidth",
                    fmt::format("{} with {:.0f} in flight ({})", byte_rate_text(summary.most_bytes->bytes_per_s()),
                                summary.most_bytes->in_flight, reads_text(*summary.most_bytes)));
    out += labelled("Knee", fmt::format("{:.0f} in flight give {} of it", summary.knee->in_flight,
                                        percent(summary.knee->bytes_per_s() / summary.most_bytes->bytes_per_s())));
  }
  if (summary.most_requests != nullptr) {
    out += labelled("Requests", fmt::format("{} with {:.0f} in flight ({})",
                                            format_quantity(Dimension::kRate,
                                                            rounded(summary.most_requests->requests_per_s()), "IOPS"),
                                            summary.most_requests->in_flight, reads_text(*summary.most_requests)));
  }
  return out;
}

std::string names_lines(const ProbeSummary& summary) {
  std::string out;
  if (summary.whole_files != nullptr) {
    out +=
        labelled("Whole files",
                 fmt::format("{} with {:.0f} at a time ({} in the mean, {})",
                             format_quantity(Dimension::kRate, rounded(summary.whole_files->requests_per_s()), "files"),
                             summary.whole_files->in_flight, size_text(summary.whole_files->request_bytes),
                             byte_rate_text(summary.whole_files->bytes_per_s())));
  }
  std::string costs;
  const auto add = [&](const char* name, const ReadPoint* point, double cost_s) {
    if (point != nullptr) costs += fmt::format("{}{} {}", costs.empty() ? "" : ", ", name, short_time(cost_s));
  };
  add("open", summary.open, summary.open == nullptr ? 0.0 : summary.open->latency.mean_s);
  add("stat", summary.stat, summary.stat == nullptr ? 0.0 : summary.stat->latency.mean_s);
  add("list a name", summary.list, summary.list == nullptr ? 0.0 : summary.list->latency.mean_s);
  return costs.empty() ? out : out + labelled("Names", costs);
}

std::string grade_lines(const ProbeResult& result, const TextStyle& style) {
  std::string verdict;
  if (result.flaws.empty()) {
    verdict = toned("good: fit for calibration", Tone::kGood, style);
  } else if (result.refused()) {
    verdict = toned("refused: says too little about the storage to calibrate with", Tone::kWarn, style);
  } else {
    verdict = toned(fmt::format("usable with intervals {} times as wide", format_number(rounded(result.widen()))),
                    Tone::kWarn, style);
  }
  std::string out = fmt::format("{:<{}}{}\n", "Grade", kLabelColumns, verdict);
  for (const ProbeFlaw& flaw : result.flaws)
    out += "  " + wrapped(flaw.code + ": " + printable(flaw.text), 4, 2) + "\n";
  for (const std::string& note : result.notes) out += "  " + wrapped("note: " + printable(note), 4, 2) + "\n";
  return out;
}

}  // namespace

std::string render_text(const ProbeResult& result, const TextStyle& style) {
  const ProbeSummary summary = summarise(result);
  std::string out = wrapped(target_text(result), 0, 0) + "\n";
  std::string taken = fmt::format("{} read in {} of {} and {} allowed{}", size_text(result.bytes),
                                  duration_text(result.seconds), size_text(result.allowed_bytes),
                                  duration_text(result.allowed_seconds), result.interrupted ? "; interrupted" : "");
  if (summary.alone != nullptr)
    taken += fmt::format("; {}, {}", summary.alone->engine, summary.alone->direct ? "direct" : "buffered");
  out += wrapped(taken, 0, 0) + "\n\n";
  if (summary.alone != nullptr) out += latency_line(*summary.alone);
  return out + throughput_lines(summary) + names_lines(summary) + grade_lines(result, style);
}

}  // namespace stallcast
