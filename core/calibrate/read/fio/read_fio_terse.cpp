// fio's terse lines: figures by their place, the operating point by the name of the job.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "core/calibrate/read/fio/fio_results.h"
#include "core/calibrate/read/read_fio.h"
#include "core/calibrate/read/reader_tools.h"
#include "core/units/binary_multiples.h"
#include "core/units/plain_text.h"

namespace stallcast {
namespace {

constexpr const char* kAskForJson = "run fio with --output-format=json";

// What the name of a job says: "randread_bs128k_qd8_nj4".
struct NamedOptions {
  std::optional<AccessPattern> pattern;
  std::optional<double> request_bytes, depth, jobs;
  bool direct = false;
};

NamedOptions options_in(const std::string& name) {
  constexpr std::size_t kLongestOption = 32;
  static const std::regex kSize("(?:bs|blocksize)=?(\\d+)(k|m|ki|mi|kib|mib)?");
  static const std::regex kDepth("(?:qd|iodepth)=?(\\d+)"), kJobs("(?:nj|numjobs)=?(\\d+)");
  NamedOptions options;
  std::string words = lowered(name);
  std::replace_if(
      words.begin(), words.end(), [](char c) { return c == '-' || c == ',' || c == ' '; }, '_');
  for (const std::string_view part : split(words, '_')) {
    if (part.size() > kLongestOption) continue;  // matching takes stack for every character
    const std::string word(part);
    std::smatch match;
    if (word == "read") options.pattern = AccessPattern::kSequential;
    if (word == "randread") options.pattern = AccessPattern::kRandom;
    if (word == "direct") options.direct = true;
    if (std::regex_match(word, match, kSize)) {
      const double unit = !match[2].matched ? 1.0 : match[2].str()[0] == 'k' ? kKiB : kKiB * kKiB;
      options.request_bytes = std::stod(match[1].str().substr(0, 12)) * unit;
    }
    if (std::regex_match(word, match, kDepth)) options.depth = std::stod(match[1].str().substr(0, 12));
    if (std::regex_match(word, match, kJobs)) options.jobs = std::stod(match[1].str().substr(0, 12));
  }
  return options;
}

// Fields of a terse line, counted from 0. **Units** KiB, ms, us.
enum TerseField : std::size_t { kVersion, kFio, kName, kGroup, kError, kReadKiB, kReadRate, kReadIops, kReadTime };
constexpr std::size_t kSubmission = 9, kPercentiles = 17, kWhole = 37, kWriteKiB = 46;

// "99.000000%=2576": a probability and us; unused places are "0%=0".
std::vector<std::pair<double, double>> terse_quantiles(const std::vector<std::string_view>& fields, double submit_s,
                                                       const std::string& place, ReaderFindings& problems) {
  std::vector<std::pair<double, double>> quantiles;
  for (std::size_t i = kPercentiles; i < kWhole; ++i) {
    const std::size_t sign = fields[i].find("%=");
    if (sign == std::string_view::npos) continue;
    const auto percent = problems.number(fields[i].substr(0, sign), place, {0, 100});
    const auto time = problems.number(fields[i].substr(sign + 2), place);
    if (percent && time && *percent > 0) quantiles.emplace_back(*percent / 100, *time * 1e-6 + submit_s);
  }
  return quantiles;
}

void say_what_is_missing(const NamedOptions& named, const std::string& name, const std::string& place,
                         ReaderFindings& problems) {
  std::string missing;
  const auto add = [&](bool known, const char* what) {
    if (!known) missing += (missing.empty() ? "" : ", ") + std::string(what);
  };
  add(named.pattern.has_value(), "pattern");
  add(named.request_bytes.has_value(), "block size");
  add(named.depth.has_value(), "queue depth");
  add(named.jobs.has_value(), "number of jobs");
  if (missing.empty()) return;
  problems.error("missing_value", place, fmt::format("job \"{}\", which does not say its {}", name, missing),
                 "a name like \"randread_bs128k_qd8_nj4\"", kAskForJson, "terse lines have no field for them");
}

void read_terse_line(const std::vector<std::string_view>& fields, const std::string& place, Measurements& measured,
                     ReaderFindings& problems) {
  const std::string name(fields[kName]);
  const auto number = [&](std::size_t field) { return problems.number(fields[field], place); };
  const auto kib = number(kReadKiB), iops = number(kReadIops), time = number(kReadTime), written = number(kWriteKiB);
  const auto error = number(kError), submit = number(kSubmission + 2), mean = number(kWhole + 2), low = number(kWhole),
             high = number(kWhole + 1);
  if (!kib || !iops || !time || !written || !error || !submit || !mean || !low || !high) return;
  if (*written > 0 || *error > 0) {
    problems.warn("not_one_point", place, fmt::format("job \"{}\" wrote or failed", name), "reads alone", "",
                  "it is left out");
    return;
  }
  if (*kib == 0 || *time == 0) return;
  const NamedOptions named = options_in(name);
  say_what_is_missing(named, name, place, problems);
  if (!named.pattern || !named.request_bytes || !named.depth || !named.jobs) return;
  ReadPoint point;
  point.pattern = *named.pattern;
  point.request_bytes = *named.request_bytes;
  point.in_flight = *named.depth * *named.jobs;
  point.engine = "fio";
  point.direct = named.direct;
  point.seconds = *time * 1e-3;
  point.bytes = *kib * kKiB;
  point.requests = point.bytes / point.request_bytes;
  const double rate = point.requests / point.seconds;
  if (std::abs(rate - *iops) > 1.0 + 0.02 * rate) {  // IOPS are written without decimals
    problems.error("contradiction", place,
                   fmt::format("job \"{}\" with {} KiB at {} IOPS in {} ms", name, *kib, *iops, *time),
                   fmt::format("about {:.0f} IOPS at the block size in its name", rate), "correct the name");
    return;
  }
  point.latency.mean_s = *mean * 1e-6;
  point.latency.min_s = *low * 1e-6;
  point.latency.max_s = *high * 1e-6;
  point.latency.quantiles = terse_quantiles(fields, *submit * 1e-6, place, problems);
  point.from = fmt::format("{}: job {}", problems.file(), name);
  measured.reads.push_back(std::move(point));
}

}  // namespace

bool looks_like_fio_terse(std::string_view text) {
  const auto lines = split(text, '\n');
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    return line.find(";fio-") <= 2;  // after the version
  });
}

Loaded<Measurements> read_fio_terse(std::string_view text, const std::string& file) {
  ReaderFindings problems(file);
  if (!problems.is_utf8(text)) return {std::nullopt, problems.list()};
  Measurements measured;
  measured.file = file;
  measured.tool = "fio";
  const auto lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto fields = split(trimmed(lines[i]), ';');
    if (fields.size() < 3 || !fields[kFio].starts_with("fio-")) continue;
    const std::string place = fmt::format("line {}", i + 1);
    if (fields[kVersion] != "3" || fio_version(std::string(fields[kFio])) < 3) {
      problems.error("unsupported_version", place,
                     fmt::format("terse version {} of {}", fields[kVersion], fields[kFio]), "terse version 3 of fio 3",
                     "run fio with --terse-version=3, or --output-format=json");
      continue;
    }
    if (fields.size() <= kWriteKiB) {
      problems.error("wrong_row", place, fmt::format("{} fields", fields.size()), "over 46, a whole line of fio");
      continue;
    }
    read_terse_line(fields, place, measured, problems);
  }
  return fio_results(std::move(measured), problems);
}

}  // namespace stallcast
