#include "core/calibrate/read/read_gdsio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/calibrate/read/reader_tools.h"
#include "core/units/binary_multiples.h"

namespace stallcast {
namespace {

// One result, as words after labels.
class GdsioResult {
 public:
  GdsioResult(std::string_view text, std::string place, ReaderFindings& problems)
      : place_(std::move(place)), problems_(problems) {
    for (std::size_t begin = text.find_first_not_of(kSpace); begin != std::string_view::npos;
         begin = text.find_first_not_of(kSpace, begin)) {
      const std::size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
      words_.push_back(text.substr(begin, end - begin));
      begin = end;
    }
  }

  const std::string& place() const { return place_; }
  bool has(std::string_view label) const { return !after(label, 1).empty(); }

  // The word after a label.
  std::string_view word(std::string_view label) const {
    if (!has(label)) problems_.error("missing_value", place_, fmt::format("no {}", label), "a whole line of gdsio");
    return after(label, 1);
  }
  // A number whose unit is the next word.
  std::optional<double> number(std::string_view label, std::string_view unit) const {
    const std::string_view digits = word(label);
    if (digits.empty()) return std::nullopt;
    std::string_view got = after(label, 2);
    if (got.ends_with(',')) got.remove_suffix(1);
    if (!unit.empty() && got != unit) {
      problems_.error("wrong_unit", place_, fmt::format("{} {} {}", label, digits, got), std::string(unit));
      return std::nullopt;
    }
    return problems_.number(digits, place_);
  }
  // What stands before "(KiB)", as text.
  std::optional<std::string_view> kib(std::string_view label) const {
    std::string_view got = word(label);
    if (got.empty()) return std::nullopt;
    if (got.ends_with("(KiB)")) return got.substr(0, got.size() - 5);
    problems_.error("wrong_unit", place_, fmt::format("{} {}", label, got), "a size in (KiB)");
    return std::nullopt;
  }

 private:
  static constexpr std::string_view kSpace = " \t\r\n";

  std::string_view after(std::string_view label, std::size_t distance) const {
    const auto found = std::find(words_.begin(), words_.end(), label);
    return words_.end() - found > static_cast<std::ptrdiff_t>(distance)
               ? *(found + static_cast<std::ptrdiff_t>(distance))
               : std::string_view();
  }

  std::vector<std::string_view> words_;
  std::string place_;
  ReaderFindings& problems_;
};

void read_result(const GdsioResult& result, Measurements& measured, ReaderFindings& problems) {
  const std::string_view kind = result.word("IoType:");
  if (kind != "READ" && kind != "RANDREAD") return;
  const std::string_view way = result.word("XferType:");
  const auto threads = result.number("Threads:", ""), operations = result.number("ops:", ""),
             time = result.number("total_time", "secs"), latency = result.number("Avg_Latency:", "usecs"),
             throughput = result.number("Throughput:", "GiB/sec"),
             depth = result.has("IoDepth:") ? result.number("IoDepth:", "") : std::optional<double>(1.0);
  const auto sizes = result.kib("DataSetSize:"), io_size = result.kib("IOSize:");
  if (way.empty() || !threads || !operations || !time || !latency || !throughput || !depth || !sizes || !io_size) {
    return;
  }
  const auto done = problems.number(sizes->substr(0, sizes->find('/')), result.place());
  if (!done) return;
  if (*threads <= 0 || *operations <= 0 || *time <= 0 || *done <= 0) {
    problems.error("out_of_range", result.place(), "no threads, operations, bytes or time", "more than 0 of each");
    return;
  }
  ReadPoint point;
  point.pattern = kind == "READ" ? AccessPattern::kSequential : AccessPattern::kRandom;
  point.seconds = *time;
  point.requests = *operations;
  point.bytes = *done * kKiB;
  point.request_bytes = point.bytes / point.requests;
  point.in_flight = *threads * std::max(1.0, *depth);
  point.engine = fmt::format("gdsio {}", way);
  point.direct = way.find("CACHE") == std::string_view::npos;
  point.latency.mean_s = *latency * 1e-6;
  point.from = fmt::format("{}: {}", problems.file(), result.place());
  if (std::abs(point.bytes_per_s() / kGiB - *throughput) > 0.1 * *throughput + 0.01) {
    problems.error("contradiction", result.place(), fmt::format("{} GiB/sec", *throughput),
                   fmt::format("about {:.3g}, its bytes over its time", point.bytes_per_s() / kGiB));
    return;
  }
  const double by_little = point.requests_per_s() * point.latency.mean_s;
  if (by_little > 1.5 * point.in_flight) {
    problems.warn("not_one_point", result.place(), fmt::format("{:.0f} requests in flight by its latency", by_little),
                  fmt::format("about {}, as its threads say", point.in_flight), "", "it is left out");
    return;
  }
  measured.reads.push_back(std::move(point));
}

}  // namespace

bool looks_like_gdsio(std::string_view text) {
  return text.find("IoType:") != std::string_view::npos && text.find("XferType:") != std::string_view::npos;
}

Loaded<Measurements> read_gdsio(std::string_view text, const std::string& file) {
  ReaderFindings problems(file);
  if (!problems.is_utf8(text)) return {std::nullopt, problems.list()};
  Measurements measured;
  measured.file = file;
  measured.tool = "gdsio";
  constexpr std::string_view kStart = "IoType:";
  for (std::size_t begin = text.find(kStart); begin != std::string_view::npos;) {
    const std::size_t next = text.find(kStart, begin + 1);
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n') + 1;
    read_result(GdsioResult(text.substr(begin, next - begin), fmt::format("line {}", line), problems), measured,
                problems);
    begin = next;
  }
  if (measured.reads.empty() && !problems.list().has_errors()) {
    problems.error("no_reads", "", "no result of READ or RANDREAD", "gdsio with -I 0 or -I 2");
  }
  if (problems.list().has_errors()) return {std::nullopt, problems.list()};
  return {std::move(measured), problems.list()};
}

}  // namespace stallcast
