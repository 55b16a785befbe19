// fio's JSON: jobs that ran at the same time are one operating point.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/calibrate/fit/intervals.h"
#include "core/calibrate/read/fio/fio_job.h"
#include "core/calibrate/read/fio/fio_results.h"
#include "core/calibrate/read/read_fio.h"
#include "core/calibrate/read/reader_tools.h"
#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

// From the first line that is "{" to the last that is "}"; empty when there is none.
std::string_view json_part(std::string_view text) {
  std::size_t first = std::string_view::npos, end = 0, position = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (first == std::string_view::npos && line.starts_with('{')) first = position;
    if (first != std::string_view::npos && line.starts_with('}')) end = position + 1;
    position += line.size() + 1;
  }
  if (first == std::string_view::npos) return {};
  return end > first ? text.substr(first, end - first) : text.substr(first);
}

// Adds the point of another job that ran at the same time. Latencies are averaged by their numbers of requests.
void add_to(ReadPoint& sum, const ReadPoint& point) {
  LatencySummary& latency = sum.latency;
  const double all = sum.requests + point.requests, share = point.requests / all;
  const bool same = latency.quantiles.size() == point.latency.quantiles.size();
  if (!same) latency.quantiles.clear();
  for (std::size_t i = 0; i < latency.quantiles.size(); ++i) {
    latency.quantiles[i].second = std::lerp(latency.quantiles[i].second, point.latency.quantiles[i].second, share);
  }
  latency.mean_s = std::lerp(latency.mean_s, point.latency.mean_s, share);
  latency.min_s = std::min(latency.min_s, point.latency.min_s);
  latency.max_s = std::max(latency.max_s, point.latency.max_s);
  sum.seconds = std::max(sum.seconds, point.seconds);
  sum.bytes += point.bytes;
  sum.requests = all;
  sum.in_flight += point.in_flight;
  sum.relative_sd = 0.0;
}

void read_group(const std::vector<FioJob>& jobs, Measurements& measured, ReaderFindings& problems) {
  std::map<std::string, std::size_t> entries;
  for (const FioJob& job : jobs) ++entries[job.name];
  std::optional<ReadPoint> point;
  double shortest = 1e18;
  for (const FioJob& job : jobs) {
    std::string reason = why_no_point(job);
    if (reason.empty() && operating_kind(job) != operating_kind(jobs.front())) {
      reason =
          fmt::format("it ran beside another kind of job ({}, {})", operating_kind(jobs.front()), operating_kind(job));
    }
    if (!reason.empty()) {
      problems.warn("not_one_point", job.pointer, fmt::format("job \"{}\": {}", job.name, reason),
                    "reads of one size and pattern alone", "", "its group is left out");
      return;
    }
    if (number_or(*job.read, "total_ios", 1.0) == 0) continue;
    const auto one = point_of(job, entries[job.name], problems);
    if (!one) return;
    shortest = std::min(shortest, one->seconds);
    if (point) {
      add_to(*point, *one);
    } else {
      point = one;
    }
  }
  if (!point) return;
  if (shortest < 0.9 * point->seconds) {
    problems.warn("uneven_jobs", jobs.front().pointer,
                  fmt::format("jobs of {:.3g} s to {:.3g} s in one group", shortest, point->seconds),
                  "jobs that end together", "use --time_based with --runtime", "the rate is that of the longest");
  }
  measured.reads.push_back(*std::move(point));
}

using FioGroups = std::map<std::int64_t, std::vector<FioJob>>;

// When a group ran, in ms since 1970. Newer versions of fio say when a job began; empty where none did.
TimeInterval time_of(const std::vector<FioJob>& jobs) {
  TimeInterval time;
  for (const FioJob& job : jobs) {
    const double begin = number_or(*job.all, "job_start", 0.0);
    const double length = job.read != nullptr ? number_or(*job.read, "runtime", 0.0) : 0.0;
    if (begin <= 0 || begin > 1e15 || length <= 0 || length > 1e12) continue;
    const auto from = static_cast<std::int64_t>(begin), to = static_cast<std::int64_t>(begin + length);
    time = time.end == 0 ? TimeInterval{from, to} : TimeInterval{std::min(time.begin, from), std::max(time.end, to)};
  }
  return time;
}

// Drops groups that ran at the same time as another.
void drop_groups_that_ran_together(FioGroups& groups, ReaderFindings& problems) {
  std::set<std::int64_t> together;
  for (const auto& [id, jobs] : groups) {
    for (const auto& [other_id, others] : groups) {
      const TimeInterval time = time_of(jobs), other = time_of(others);
      if (other_id != id && time.begin < other.end && other.begin < time.end) together.insert(id);
    }
  }
  for (const std::int64_t id : together) {
    const FioJob& job = groups[id].front();
    problems.warn("not_one_point", job.pointer, fmt::format("job \"{}\": it ran beside another group", job.name),
                  "reads of one size and pattern alone", "give each section a stonewall", "its group is left out");
    groups.erase(id);
  }
}

void check_version(const std::string& version, ReaderFindings& problems) {
  if (fio_version(version) >= 3) return;
  problems.error("unsupported_version", "/fio version", "\"" + version + "\"", "fio 3 or later", "run it with fio 3",
                 "fio 2 writes other units under the same names");
}

}  // namespace

bool looks_like_fio_json(std::string_view text) { return text.find("\"fio version\"") != std::string_view::npos; }

Loaded<Measurements> read_fio_json(std::string_view text, const std::string& file) {
  ReaderFindings problems(file);
  const Loaded<Json> root = parse_json_text(json_part(text), file);
  problems.list().append(root.findings);
  if (!root.ok()) return {std::nullopt, problems.list()};
  Measurements measured;
  measured.file = file;
  measured.tool = "fio";
  const auto version = root.value->is_object() ? root.value->find("fio version") : root.value->end();
  if (version == root.value->end() || !version->is_string()) {
    problems.error("missing_key", "/fio version", "nothing", "a text like \"fio-3.33\"");
    return {std::nullopt, problems.list()};
  }
  check_version(version->get<std::string>(), problems);
  if (problems.list().has_errors()) return {std::nullopt, problems.list()};
  FioGroups groups;
  for (const FioJob& job : fio_jobs(*root.value, problems)) groups[job.group].push_back(job);
  drop_groups_that_ran_together(groups, problems);
  for (const auto& [id, jobs] : groups) read_group(jobs, measured, problems);
  return fio_results(std::move(measured), problems);
}

}  // namespace stallcast
