#include "core/calibrate/read/fio/fio_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/units/binary_multiples.h"
#include "core/units/plain_text.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

// Engines that wait for each request, whatever iodepth says.
bool waits_for_each_request(const std::string& engine) {
  static const std::array<std::string_view, 8> kEngines = {"sync",    "psync", "vsync",  "pvsync",
                                                           "pvsync2", "mmap",  "splice", "ftruncate"};
  return std::find(kEngines.begin(), kEngines.end(), engine) != kEngines.end();
}

const Json* object_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? &*found : nullptr;
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
std::optional<ReadPoint> point_of_threads(const FioJob& job, double threads, ReaderFindings& problems) {
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

}  // namespace

// An option of the job, or else of all; fio writes every value as text.
std::string FioJob::option(std::initializer_list<const char*> names, const std::string& otherwise) const {
  for (const Json* place : {options, global}) {
    if (place == nullptr) continue;
    for (const char* key : names) {
      const auto found = place->find(key);
      if (found != place->end()) return found->is_string() ? found->get<std::string>() : found->dump();
    }
  }
  return otherwise;
}

std::vector<FioJob> fio_jobs(const Json& root, ReaderFindings& problems) {
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

std::string why_no_point(const FioJob& job) {
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

std::string operating_kind(const FioJob& job) {
  return job.option({"rw", "readwrite"}, "read") + " " + job.option({"bs", "blocksize"}, "4k") + " " +
         job.option({"ioengine"}, "psync") + " direct=" + job.option({"direct"}, "0");
}

std::optional<ReadPoint> point_of(const FioJob& job, std::size_t entries, ReaderFindings& problems) {
  const auto threads = threads_of(job, entries, problems);
  return threads ? point_of_threads(job, *threads, problems) : std::nullopt;
}

}  // namespace stallcast
