#include "core/calibrate/read/trace_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/calibrate/read/reader_tools.h"
#include "core/import/json_stream.h"
#include "core/units/plain_text.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostFindings = 5;
constexpr double kMostMicroseconds = 9e15;  // 285 years: more does not fit into 64 bits of ns

enum class EventKind { kNone, kStep, kWait, kKernel, kCommunication, kCopy };

std::string text_of(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
}

EventKind kind_of(const Json& event) {
  if (text_of(event, "ph") != "X") return EventKind::kNone;
  const std::string name = text_of(event, "name"), category = lowered(text_of(event, "cat"));
  if (category == "kernel") {
    return lowered(name).find("nccl") != std::string::npos ? EventKind::kCommunication : EventKind::kKernel;
  }
  if (category == "gpu_memcpy" || category == "memcpy") {
    return name.find("HtoD") != std::string::npos ? EventKind::kCopy : EventKind::kNone;
  }
  if (category == "gpu_user_annotation") return EventKind::kNone;  // the same step again, as the GPU saw it
  if (name.starts_with("ProfilerStep#")) return EventKind::kStep;
  if (name.starts_with("enumerate(DataLoader)#")) return EventKind::kWait;
  return EventKind::kNone;
}

// Microseconds as nanoseconds; numbers with a point come as text. 80 bits keep the fraction of a time since 1970.
std::optional<std::int64_t> nanoseconds(const Json& value) {
  long double microseconds = 0;
  if (value.is_number()) {
    microseconds = value.get<std::int64_t>();
  } else if (value.is_string()) {
    const auto& digits = value.get_ref<const std::string&>();
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), microseconds);
    if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  } else {
    return std::nullopt;
  }
  if (!std::isfinite(microseconds) || microseconds < 0 || microseconds > kMostMicroseconds) return std::nullopt;
  return std::llround(microseconds * 1000);
}

// Sorts events into a TraceEvents as they are read.
class EventSorter {
 public:
  explicit EventSorter(std::string file) : problems_(file) { events_.file = std::move(file); }

  void take(const Json& value) {
    ++index_;
    const EventKind kind = value.is_object() ? kind_of(value) : EventKind::kNone;
    if (kind == EventKind::kNone) return;
    const auto begin = time(value, "ts"), length = time(value, "dur");
    if (begin && length) keep(kind, value, {*begin, *begin + *length});
  }

  Loaded<TraceEvents> finish(const Findings& of_stream) {
    problems_.list().append(of_stream);
    if (problems_.list().has_errors()) return {std::nullopt, problems_.list()};
    const auto by_begin = [](const TimeInterval& a, const TimeInterval& b) { return a.begin < b.begin; };
    std::sort(events_.steps.begin(), events_.steps.end(), by_begin);
    std::sort(events_.waits.begin(), events_.waits.end(), by_begin);
    return {std::move(events_), problems_.list()};
  }

 private:
  std::optional<std::int64_t> time(const Json& event, const char* key) {
    const auto found = event.find(key);
    const auto read = found == event.end() ? std::nullopt : nanoseconds(*found);
    if (read || problems_.list().list().size() >= kMostFindings) return read;
    const std::string place = fmt::format("/traceEvents/{}/{}", index_ - 1, key);
    if (found == event.end()) {
      problems_.error("missing_key", place, "nothing", "microseconds");
    } else {
      problems_.error("out_of_range", place, found->dump().substr(0, 60), "0 to 9e15 microseconds");
    }
    return read;
  }

  void keep(EventKind kind, const Json& event, TimeInterval interval) {
    if (kind == EventKind::kStep) events_.steps.push_back(interval);
    if (kind == EventKind::kWait) events_.waits.push_back(interval);
    if (kind == EventKind::kKernel) events_.kernels.push_back(interval);
    if (kind == EventKind::kCommunication) events_.communications.push_back(interval);
    if (kind != EventKind::kCopy) return;
    const auto details = event.find("args");
    const double bytes = details != event.end() ? number_or(*details, "bytes", 0.0) : 0.0;
    events_.copies.push_back({interval, std::max(0.0, bytes)});
  }

  TraceEvents events_;
  ReaderFindings problems_;
  std::size_t index_ = 0;
};

}  // namespace

Loaded<TraceEvents> read_trace_events(const std::filesystem::path& path, bool bare_array) {
  EventSorter sorter(path.string());
  const std::vector<JsonPath> wanted =
      bare_array ? std::vector<JsonPath>{{"*"}} : std::vector<JsonPath>{{"traceEvents", "*"}};
  const Findings findings = stream_json(path, wanted, [&](const JsonPath&, const Json& value) { sorter.take(value); });
  return sorter.finish(findings);
}

}  // namespace stallcast
