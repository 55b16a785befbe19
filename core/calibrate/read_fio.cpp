#include "core/calibrate/read_fio.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "core/calibrate/intervals.h"
#include "core/calibrate/reader_tools.h"
#include "core/diagnostics/json_input.h"
#include "core/units/binary_multiples.h"
#include "core/units/plain_text.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAskForJson = "run fio with --output-format=json";

// Engines that wait for each request, whatever iodepth says.
bool waits_for_each_request(const std::string& engine) {
  static const std::array<std::string_view, 8> kEngines = {"sync",    "psync", "vsync",  "pvsync",
                                                           "pvsync2", "mmap",  "splice", "ftruncate"};
  return std::find(kEngines.begin(), kEngines.end(), engine) != kEngines.end();
}

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

// One entry of "jobs".
struct FioJob {
  std::string name, pointer;
  std::int64_t group = 0;
  const Json* all = nullptr;
  const Json* read = nullptr;
  const Json* options = nullptr;
  const Json* global = nullptr;

  // An option of the job, or else of all; fio writes every value as text.
  std::string option(std::initializer_list<const char*> names, const std::string& otherwise = "") const {
    for (const Json* place : {options, global}) {
      if (place == nullptr) continue;
      for (const char* key : names) {
        const auto found = place->find(key);
        if (found != place->end()) return found->is_string() ? found->get<std::string>() : found->dump();
      }
    }
    return otherwise;
  }
};

const Json* object_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

// Why a job's reads are no operating point of reads alone; "" when they are.
std::string disqualified(const FioJob& job) {
  const auto done = [&](const char* what) {
    const Json* part = object_in(*job.all, what);
    return part != nullptr && number_or(*part, "io_bytes", 0.0) > 0;
  };
  if (done("write") || done("trim")) return "it wrote or trimmed at the same time";
  if (job.all->contains("mixed")) return "reads and writes are reported together (unified_rw_reporting)";
  for (const char* limit : {"rate", "rate_iops", "rate_min", "thinktime"}) {
    if (!job.option({limit}).empty()) return fmt::format("it was held back ({}={})", limit, job.option({limit}));
  }
  for (const char* mixture : {"bssplit", "bsrange", "blocksize_range", "percentage_random"}) {
    if (!job.option({mixture}).empty()) return fmt::format("it mixed requests ({})", mixture);
  }
  const std::string pattern = job.option({"rw", "readwrite"}, "read");
  if (pattern != "read" && pattern != "randread") return fmt::format("its pattern is rw={}", pattern);
  if (number_or(*job.all, "error", 0.0) != 0) return fmt::format("it ended with error {}", job.all->at("error").dump());
  return "";
}

// What of a job makes the operating point; jobs of a group must agree on it.
std::string kind_of(const FioJob& job) {
  return job.option({"rw", "readwrite"}, "read") + " " + job.option({"bs", "blocksize"}, "4k") + " " +
         job.option({"ioengine"}, "psync") + " direct=" + job.option({"direct"}, "0");
}

std::optional<double> whole_number(const FioJob& job, const char* option, ReaderFindings& problems) {
  const std::string text = job.option({option}, "1");
  return problems.number(text, job.pointer + "/job options/" + option, {1, 1e6});
}

// "128k", "1m", "4096", "4k,64k" (reads, writes) in bytes; 0 when it is no such text. Units are powers of 1024.
double size_in(const std::string& text) {
  double size = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (problem != std::errc()) return 0.0;
  const std::string unit = lowered(std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end)));
  if (unit.starts_with('k')) return size * kKiB;
  if (unit.starts_with('m')) return size * kKiB * kKiB;
  if (unit.starts_with('g')) return size * kKiB * kKiB * kKiB;
  return unit.empty() || unit.starts_with(',') ? size : 0.0;
}

// The block size asked for, when the figures agree with it: bytes of requests that were under way when the ramp ended
// are counted, the requests are not. Otherwise the mean of what was read.
double request_bytes_of(const FioJob& job, const ReadPoint& point, ReaderFindings& problems) {
  const double mean = point.bytes / point.requests, asked = size_in(job.option({"bs", "blocksize"}, "4k"));
  if (std::abs(mean - asked) <= asked * (0.02 + point.in_flight / point.requests)) return asked;
  problems.warn("other_request_size", job.pointer, fmt::format("{:.0f} bytes a request on average", mean),
                fmt::format("bs={}, as asked for", job.option({"bs", "blocksize"}, "4k")), "", "the average is taken");
  return mean;
}

LatencySummary latency_of(const FioJob& job, ReaderFindings& problems) {
  const auto part = [&](const char* key) {
    const Json* found = object_in(*job.read, key);
    return found != nullptr && number_or(*found, "N", 1.0) > 0 ? found : nullptr;
  };
  const Json *whole = part("lat_ns"), *completion = part("clat_ns"), *submission = part("slat_ns");
  const auto number = [&](const Json* from, const char* key) {
    if (from == nullptr) return 0.0;
    return problems.number(*from, key, job.pointer + "/read", false).value_or(0.0) * kNanosecond;
  };
  LatencySummary latency;
  const Json* from = whole != nullptr ? whole : completion;
  const double submit = number(submission, "mean");
  latency.mean_s = number(from, "mean") + (whole == nullptr ? submit : 0.0);
  latency.min_s = number(from, "min");
  latency.max_s = number(from, "max");
  const bool own = whole != nullptr && object_in(*whole, "percentile") != nullptr;
  const Json* holder = own ? whole : completion;
  const Json* percentiles = holder != nullptr ? object_in(*holder, "percentile") : nullptr;
  if (percentiles == nullptr) return latency;
  const std::string pointer = job.pointer + "/read/" + (own ? "lat_ns" : "clat_ns") + "/percentile";
  for (const auto& [percent, unused] : percentiles->items()) {
    const auto probability = problems.number(percent, pointer, {0, 100});
    const auto time = problems.number(*percentiles, percent, pointer, true);
    if (probability && time) {
      latency.quantiles.emplace_back(*probability / 100.0, *time * kNanosecond + (own ? 0.0 : submit));
    }
  }
  std::sort(latency.quantiles.begin(), latency.quantiles.end());
  return latency;
}

// Bytes of a job from io_bytes, or from a bandwidth and its time.
std::optional<double> bytes_of(const FioJob& job, double seconds, ReaderFindings& problems) {
  const std::string place = job.pointer + "/read";
  if (const auto bytes = problems.number(*job.read, "io_bytes", place, false)) return bytes;
  if (const auto rate = problems.number(*job.read, "bw_bytes", place, false)) return *rate * seconds;
  if (const auto rate = problems.number(*job.read, "bw", place, false)) return *rate * kKiB * seconds;
  problems.error("missing_key", place + "/io_bytes", "nothing", "io_bytes, bw_bytes or bw");
  return std::nullopt;
}

// The point of one entry of "jobs", which stands for `threads` threads.
std::optional<ReadPoint> point_of(const FioJob& job, double threads, ReaderFindings& problems) {
  const std::string place = job.pointer + "/read";
  const auto runtime = problems.number(*job.read, "runtime", place, true);
  const auto requests = problems.number(*job.read, "total_ios", place, true);
  const auto depth = whole_number(job, "iodepth", problems);
  if (!runtime || !requests || !depth) return std::nullopt;
  if (*runtime <= 0) {
    problems.error("out_of_range", place + "/runtime", "0", "more than 0 ms");
    return std::nullopt;
  }
  ReadPoint point;
  point.seconds = *runtime * 1e-3;
  const auto bytes = bytes_of(job, point.seconds, problems);
  if (!bytes) return std::nullopt;
  if (*bytes <= 0) {
    problems.error("out_of_range", place + "/io_bytes", "0", fmt::format("more, with {} requests", *requests));
    return std::nullopt;
  }
  const std::string engine = job.option({"ioengine"}, "psync");
  point.bytes = *bytes;
  point.requests = *requests;
  point.pattern =
      job.option({"rw", "readwrite"}, "read") == "randread" ? AccessPattern::kRandom : AccessPattern::kSequential;
  point.in_flight = threads * (waits_for_each_request(engine) ? 1.0 : *depth);
  point.request_bytes = request_bytes_of(job, point, problems);
  point.engine = "fio " + engine;
  point.direct = job.option({"direct"}, "0") == "1";
  point.latency = latency_of(job, problems);
  const double mean = number_or(*job.read, "bw_mean", 0.0), samples = number_or(*job.read, "bw_samples", 0.0);
  if (threads == 1 && samples >= 2 && mean > 0) point.relative_sd = number_or(*job.read, "bw_dev", 0.0) / mean;
  point.from = fmt::format("{}: job {}", problems.file(), job.name);
  return point;
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

// How many threads an entry stands for: one of several of its name, or numjobs with --group_reporting. The processor
// time fio accounts to the entry shows when a group of several sections hides behind the options of the first.
std::optional<double> threads_of(const FioJob& job, std::size_t entries, ReaderFindings& problems) {
  const auto jobs = whole_number(job, "numjobs", problems);
  if (!jobs) return std::nullopt;
  const double threads = entries == 1 ? *jobs : 1.0;
  if (entries != 1 && static_cast<double>(entries) != *jobs) {
    problems.error("ambiguous_jobs", job.pointer, fmt::format("{} entries of job \"{}\"", entries, job.name),
                   fmt::format("one, or {} as numjobs says", *jobs), "give each section a name and a stonewall");
    return std::nullopt;
  }
  const double total = number_or(*job.all, "job_runtime", 0.0), one = number_or(*job.read, "runtime", 0.0);
  if (total > 0 && one > 0 && std::abs(total / one - threads) > 0.25 * threads + 0.25) {
    problems.error("ambiguous_jobs", job.pointer,
                   fmt::format("an entry of about {:.0f} jobs, where numjobs says {}", total / one, threads),
                   "jobs that its options describe", "give each section a stonewall, or leave out group_reporting");
    return std::nullopt;
  }
  return threads;
}

void read_group(const std::vector<FioJob>& jobs, Measurements& measured, ReaderFindings& problems) {
  std::map<std::string, std::size_t> entries;
  for (const FioJob& job : jobs) ++entries[job.name];
  std::optional<ReadPoint> point;
  double shortest = 1e18;
  for (const FioJob& job : jobs) {
    std::string reason = disqualified(job);
    if (reason.empty() && kind_of(job) != kind_of(jobs.front())) {
      reason = fmt::format("it ran beside another kind of job ({}, {})", kind_of(jobs.front()), kind_of(job));
    }
    if (!reason.empty()) {
      problems.warn("not_one_point", job.pointer, fmt::format("job \"{}\": {}", job.name, reason),
                    "reads of one size and pattern alone", "", "its group is left out");
      return;
    }
    if (number_or(*job.read, "total_ios", 1.0) == 0) continue;
    const auto threads = threads_of(job, entries[job.name], problems);
    const auto one = threads ? point_of(job, *threads, problems) : std::nullopt;
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
Interval time_of(const std::vector<FioJob>& jobs) {
  Interval time;
  for (const FioJob& job : jobs) {
    const double begin = number_or(*job.all, "job_start", 0.0);
    const double length = job.read != nullptr ? number_or(*job.read, "runtime", 0.0) : 0.0;
    if (begin <= 0 || begin > 1e15 || length <= 0 || length > 1e12) continue;
    const auto from = static_cast<std::int64_t>(begin), to = static_cast<std::int64_t>(begin + length);
    time = time.end == 0 ? Interval{from, to} : Interval{std::min(time.begin, from), std::max(time.end, to)};
  }
  return time;
}

// Drops groups that ran at the same time as another.
void drop_groups_that_ran_together(FioGroups& groups, ReaderFindings& problems) {
  std::set<std::int64_t> together;
  for (const auto& [id, jobs] : groups) {
    for (const auto& [other_id, others] : groups) {
      const Interval time = time_of(jobs), other = time_of(others);
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

// Major version of "fio-3.33"; 0 when it cannot be told.
int major_version(const std::string& version) {
  const std::size_t digit = version.find_first_of("0123456789");
  int major = 0;
  if (digit != std::string::npos) std::from_chars(version.data() + digit, version.data() + version.size(), major);
  return major;
}

void check_version(const std::string& version, ReaderFindings& problems) {
  if (major_version(version) >= 3) return;
  problems.error("unsupported_version", "/fio version", "\"" + version + "\"", "fio 3 or later", "run it with fio 3",
                 "fio 2 writes other units under the same names");
}

std::vector<FioJob> jobs_of(const Json& root, ReaderFindings& problems) {
  const bool clients = !root.contains("jobs") && root.contains("client_stats");
  const char* key = clients ? "client_stats" : "jobs";
  const auto found = root.find(key);
  std::vector<FioJob> jobs;
  if (found == root.end() || !found->is_array()) {
    problems.error("missing_key", "/jobs", "nothing", "an array of jobs");
    return jobs;
  }
  for (std::size_t i = 0; i < found->size(); ++i) {
    const Json& entry = (*found)[i];
    FioJob job;
    job.pointer = fmt::format("/{}/{}", key, i);
    job.all = &entry;
    job.read = entry.is_object() ? object_in(entry, "read") : nullptr;
    job.options = entry.is_object() ? object_in(entry, "job options") : nullptr;
    job.global = object_in(root, "global options");
    if (entry.is_object() && entry.value("jobname", Json()).is_string()) job.name = entry["jobname"];
    if (clients && job.name == "All clients") continue;  // fio's own sum of the others
    if (job.read == nullptr && !(entry.is_object() && entry.contains("mixed"))) {
      problems.error("missing_key", job.pointer + "/read", "nothing", "an object with the figures of reads");
      continue;
    }
    if (job.options == nullptr) {
      problems.error("missing_key", job.pointer + "/job options", "nothing", "an object with iodepth, numjobs, rw",
                     "run it with a newer fio", "requests in flight are not known without");
      continue;
    }
    job.group = static_cast<std::int64_t>(problems.number(entry, "groupid", job.pointer, false).value_or(0.0));
    jobs.push_back(job);
  }
  return jobs;
}

Loaded<Measurements> finish(Measurements measured, ReaderFindings& problems) {
  if (measured.reads.empty() && !problems.list().has_errors()) {
    problems.error("no_reads", "", "no job that read alone", "jobs with rw=read or rw=randread");
  }
  if (problems.list().has_errors()) return {std::nullopt, problems.list()};
  return {std::move(measured), problems.list()};
}

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

bool looks_like_fio_json(std::string_view text) { return text.find("\"fio version\"") != std::string_view::npos; }

bool looks_like_fio_terse(std::string_view text) {
  const auto lines = split(text, '\n');
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    return line.find(";fio-") <= 2;  // after the version
  });
}

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
  for (const FioJob& job : jobs_of(*root.value, problems)) groups[job.group].push_back(job);
  drop_groups_that_ran_together(groups, problems);
  for (const auto& [id, jobs] : groups) read_group(jobs, measured, problems);
  return finish(std::move(measured), problems);
}

Loaded<Measurements> read_fio_terse(std::string_view text, const std::string& file) {
  ReaderFindings problems(file);
  if (auto bad = utf8_problem(text, file)) {
    problems.list().add(*std::move(bad));
    return {std::nullopt, problems.list()};
  }
  Measurements measured;
  measured.file = file;
  measured.tool = "fio";
  const auto lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto fields = split(trimmed(lines[i]), ';');
    if (fields.size() < 3 || !fields[kFio].starts_with("fio-")) continue;
    const std::string place = fmt::format("line {}", i + 1);
    if (fields[kVersion] != "3" || major_version(std::string(fields[kFio])) < 3) {
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
  return finish(std::move(measured), problems);
}

}  // namespace stallcast
