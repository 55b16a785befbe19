#include "core/probe/result/probe_json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "core/diagnostics/json_input.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

constexpr const char* kFormat = "stallcast probe";
constexpr double kAnything = std::numeric_limits<double>::max();

struct Range {
  double low = 0.0, high = kAnything;
};

// A word for each value of an enumeration, in its order.
template <std::size_t kSize>
using Words = std::array<const char*, kSize>;
constexpr Words<7> kPatterns = {"sequential", "stream", "random", "whole_file", "open", "stat", "list"};
constexpr Words<5> kTargets = {"file", "directory", "s3", "gcs", "https"};
constexpr Words<2> kWeights = {"widen", "refuse"};

ordered_json valid_text(const std::string& text) {
  return ordered_json::parse(ordered_json(text).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

// Writer and Reader offer the same functions, so that one description of a struct (`describe`) serves both.
class Writer {
 public:
  void number(const char* key, const double& value, Range = {}) { out_[key] = value; }
  void number_if_known(const char* key, const double& value) {
    out_[key] = value < 0.0 ? ordered_json() : ordered_json(value);
  }
  void whole(const char* key, const int& value, Range = {}) { out_[key] = value; }
  void flag(const char* key, const bool& value) { out_[key] = value; }
  void text(const char* key, const std::string& value) { out_[key] = valid_text(value); }
  void derived(const char* key, ordered_json value) { out_[key] = std::move(value); }
  template <class Enum, std::size_t kSize>
  void word(const char* key, const Enum& value, const Words<kSize>& words) {
    out_[key] = words.at(static_cast<std::size_t>(value));
  }
  template <class Describe>
  void object(const char* key, const Describe& inner) {
    Writer writer;
    inner(writer);
    out_[key] = std::move(writer.out_);
  }
  template <class Item, class Describe>
  void list(const char* key, std::vector<Item>& items, const Describe& inner) {
    ordered_json array = ordered_json::array();
    for (Item& item : items) {
      Writer writer;
      inner(writer, item);
      array.push_back(std::move(writer.out_));
    }
    out_[key] = std::move(array);
  }
  ordered_json take() { return std::move(out_); }

 private:
  ordered_json out_ = ordered_json::object();
};

class Reader {
 public:
  Reader(const ordered_json& in, std::string pointer, const std::string& file, Findings& findings)
      : in_(in), pointer_(std::move(pointer)), file_(file), findings_(findings) {}

  void number(const char* key, double& value, Range range = {}) {
    const ordered_json* const found = get(key);
    if (found == nullptr) return;
    if (!found->is_number()) return wrong(key, "wrong_type", *found, "a number");
    const auto read = found->get<double>();
    if (!std::isfinite(read) || read < range.low || read > range.high) {
      const std::string high = range.high == kAnything ? "" : " to " + format_number(range.high);
      return wrong(key, "out_of_range", *found, format_number(range.low) + (high.empty() ? " or more" : high));
    }
    value = read;
  }
  void number_if_known(const char* key, double& value) {
    const ordered_json* const found = get(key);
    if (found != nullptr && !found->is_null()) number(key, value);
  }
  void whole(const char* key, int& value, Range range = {}) {
    double read = value;
    number(key, read, {range.low, std::min(range.high, 1e9)});
    value = static_cast<int>(read);
  }
  void flag(const char* key, bool& value) {
    const ordered_json* const found = get(key);
    if (found == nullptr) return;
    if (!found->is_boolean()) return wrong(key, "wrong_type", *found, "true or false");
    value = found->get<bool>();
  }
  void text(const char* key, std::string& value) {
    const ordered_json* const found = get(key);
    if (found == nullptr) return;
    if (!found->is_string()) return wrong(key, "wrong_type", *found, "a text");
    value = found->get<std::string>();
  }
  void derived(const char* key, const ordered_json&) { known_.insert(key); }
  template <class Enum, std::size_t kSize>
  void word(const char* key, Enum& value, const Words<kSize>& words) {
    const ordered_json* const found = get(key);
    if (found == nullptr) return;
    for (std::size_t i = 0; i < kSize; ++i) {
      if (found->is_string() && found->get<std::string>() == words[i]) {
        value = static_cast<Enum>(i);
        return;
      }
    }
    wrong(key, "unknown_word", *found, fmt::format("{}", fmt::join(words, ", ")));
  }
  template <class Describe>
  void object(const char* key, const Describe& inner) {
    const ordered_json* const found = get(key);
    if (found == nullptr) return;
    read_object(*found, pointer_ + "/" + key, inner);
  }
  template <class Item, class Describe>
  void list(const char* key, std::vector<Item>& items, const Describe& inner) {
    const ordered_json* const found = get(key);
    if (found == nullptr) return;
    if (!found->is_array()) return wrong(key, "wrong_type", *found, "a list");
    for (std::size_t i = 0; i < found->size(); ++i) {
      items.emplace_back();
      read_object((*found)[i], fmt::format("{}/{}/{}", pointer_, key, i),
                  [&](Reader& reader) { inner(reader, items.back()); });
    }
  }
  const std::string& pointer() const { return pointer_; }

  void refuse_unknown_keys() {
    const std::vector<std::string> known(known_.begin(), known_.end());
    for (const auto& [key, value] : in_.items()) {
      if (known_.contains(key)) continue;
      const std::string nearest = nearest_word(key, known);
      findings_.add({Severity::kError, "unknown_key", file_, pointer_ + "/" + pointer_token(key), key,
                     fmt::format("{}", fmt::join(known, ", ")),
                     nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest), ""});
    }
  }

 private:
  template <class Describe>
  void read_object(const ordered_json& value, const std::string& pointer, const Describe& inner) {
    if (!value.is_object()) {
      findings_.add({Severity::kError, "wrong_type", file_, pointer, short_text(value), "an object", "", ""});
      return;
    }
    Reader reader(value, pointer, file_, findings_);
    inner(reader);
    reader.refuse_unknown_keys();
  }

  const ordered_json* get(const char* key) {
    known_.insert(key);
    const auto found = in_.find(key);
    if (found != in_.end()) return &*found;
    findings_.add({Severity::kError, "missing_key", file_, pointer_ + "/" + key, "nothing",
                   "a value, as stallcast probe writes one", "", ""});
    return nullptr;
  }

  static std::string short_text(const ordered_json& value) {
    const std::string text = value.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
    return text.size() <= 40 ? text : text.substr(0, 37) + "...";
  }

  void wrong(const char* key, const char* code, const ordered_json& got, std::string allowed) {
    findings_.add({Severity::kError, code, file_, pointer_ + "/" + key, short_text(got), std::move(allowed), "", ""});
  }

  const ordered_json& in_;
  std::string pointer_;
  const std::string& file_;
  Findings& findings_;
  std::set<std::string> known_;
};

struct Quantile {
  double probability = 0.0, latency_s = 0.0;
};

template <class Io>
void describe(Io& io, LatencySummary& latency) {
  io.number("mean_s", latency.mean_s);
  io.number("min_s", latency.min_s);
  io.number("max_s", latency.max_s);
  std::vector<Quantile> quantiles;
  for (const auto& [probability, latency_s] : latency.quantiles) quantiles.push_back({probability, latency_s});
  io.list("quantiles", quantiles, [](Io& item, Quantile& quantile) {
    item.number("probability", quantile.probability, {0.0, 1.0});
    item.number("latency_s", quantile.latency_s);
  });
  latency.quantiles.clear();
  for (const Quantile& quantile : quantiles) latency.quantiles.emplace_back(quantile.probability, quantile.latency_s);
}

struct Slice {
  double at_s = -1.0;
  int visit = 0;
  double bytes_per_s = 0.0;
};

std::vector<Slice> slices_of(const ReadPoint& point) {
  std::vector<Slice> slices(point.slice_bytes_per_s.size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    slices[i].bytes_per_s = point.slice_bytes_per_s[i];
    if (i < point.slice_at_s.size()) slices[i].at_s = point.slice_at_s[i];
    if (i < point.slice_visit.size()) slices[i].visit = point.slice_visit[i];
  }
  return slices;
}

void set_slices(const std::vector<Slice>& slices, ReadPoint& point) {
  point.slice_bytes_per_s.clear();
  point.slice_at_s.clear();
  point.slice_visit.clear();
  for (const Slice& slice : slices) {
    point.slice_bytes_per_s.push_back(slice.bytes_per_s);
    if (slice.at_s < 0.0) continue;  // when and in which visit was not kept
    point.slice_at_s.push_back(slice.at_s);
    point.slice_visit.push_back(slice.visit);
  }
}

template <class Io>
void describe(Io& io, ReadPoint& point) {
  io.word("pattern", point.pattern, kPatterns);
  io.number("request_bytes", point.request_bytes);
  io.number("in_flight", point.in_flight, {1.0, kAnything});
  io.text("engine", point.engine);
  io.flag("direct", point.direct);
  io.number("measured_s", point.seconds);
  io.number("requests", point.requests);
  io.number("bytes", point.bytes);
  io.derived("requests_per_s", point.requests_per_s());
  io.derived("bytes_per_s", point.bytes_per_s());
  io.number("errors", point.errors);
  io.number("throttled", point.throttled);
  io.object("latency", [&](Io& inner) { describe(inner, point.latency); });
  io.object("first_byte", [&](Io& inner) { describe(inner, point.first_byte); });
  io.number("relative_sd", point.relative_sd);
  std::vector<Slice> slices = slices_of(point);
  io.list("slices", slices, [](Io& item, Slice& slice) {
    item.number_if_known("at_s", slice.at_s);
    item.whole("visit", slice.visit);
    item.number("bytes_per_s", slice.bytes_per_s);
  });
  set_slices(slices, point);
}

template <class Io>
void describe(Io& io, ProbeFlaw& flaw) {
  io.text("code", flaw.code);
  io.word("weight", flaw.weight, kWeights);
  io.number("widen", flaw.widen, {1.0, kAnything});
  io.text("text", flaw.text);
}

struct Note {
  std::string text;
};

template <class Io>
void describe(Io& io, ProbeResult& result) {
  io.word("target_kind", result.target_kind, kTargets);
  io.text("target", result.target);
  io.text("started", result.started);
  io.text("host", result.host);
  io.text("file_system", result.file_system);
  io.whole("cores", result.cores);
  io.number("took_s", result.seconds);
  io.number("read_bytes", result.bytes);
  io.number("allowed_s", result.allowed_seconds);
  io.number("allowed_bytes", result.allowed_bytes);
  io.number_if_known("fetched_bytes", result.fetched_bytes);
  io.number_if_known("cached_fraction", result.cached_share);
  io.number("timer_s", result.timer_s);
  io.number("files", result.files_seen);
  io.number("files_bytes", result.files_bytes);
  io.flag("interrupted", result.interrupted);
  io.derived("verdict", result.refused() ? "refused" : result.flaws.empty() ? "good" : "widened");
  io.derived("widen", result.widen());
  io.list("flaws", result.flaws, [](Io& item, ProbeFlaw& flaw) { describe(item, flaw); });
  std::vector<Note> notes;
  for (const std::string& note : result.notes) notes.push_back({note});
  io.list("notes", notes, [](Io& item, Note& note) { item.text("text", note.text); });
  result.notes.clear();
  for (Note& note : notes) result.notes.push_back(std::move(note.text));
  io.list("points", result.points, [](Io& item, ReadPoint& point) { describe(item, point); });
}

// The finding that says that this is another kind of file, or another version.
std::optional<Finding> foreign(const ordered_json& document, const std::string& file) {
  const auto refuse = [&](const char* code, const char* pointer, std::string got, std::string allowed) {
    return Finding{Severity::kError,
                   code,
                   file,
                   pointer,
                   std::move(got),
                   std::move(allowed),
                   "write one with: stallcast probe TARGET -o probe.json",
                   ""};
  };
  if (!document.is_object() || !document.contains("format") || document["format"] != kFormat)
    return refuse("not_a_probe", "", "no \"format\": \"stallcast probe\"", "a file that stallcast probe wrote");
  const auto version = document.find("format_version");
  if (version == document.end() || *version != kProbeFormatVersion) {
    return refuse("unknown_version", "/format_version", version == document.end() ? "nothing" : version->dump(),
                  std::to_string(kProbeFormatVersion));
  }
  return std::nullopt;
}

}  // namespace

ordered_json probe_to_json(const ProbeResult& result, std::string_view program_version) {
  Writer writer;
  writer.derived("format", kFormat);
  writer.derived("format_version", kProbeFormatVersion);
  writer.derived("program_version", std::string(program_version));
  ProbeResult copy = result;
  describe(writer, copy);
  return writer.take();
}

Loaded<ProbeResult> probe_from_json(const ordered_json& document, const std::string& file) {
  Loaded<ProbeResult> loaded;
  if (const std::optional<Finding> other = foreign(document, file)) {
    loaded.findings.add(*other);
    return loaded;
  }
  Reader reader(document, "", file, loaded.findings);
  for (const char* key : {"format", "format_version", "program_version"}) reader.derived(key, {});
  ProbeResult result;
  describe(reader, result);
  reader.refuse_unknown_keys();
  for (std::size_t i = 0; i < result.points.size(); ++i) result.points[i].from = fmt::format("{} /points/{}", file, i);
  if (!loaded.findings.has_errors()) loaded.value = std::move(result);
  return loaded;
}

Loaded<ProbeResult> load_probe(const std::filesystem::path& path) {
  Loaded<ordered_json> document = read_json_file(path);
  Loaded<ProbeResult> loaded;
  if (document.ok()) loaded = probe_from_json(*document.value, path.string());
  loaded.findings.append(document.findings);
  return loaded;
}

}  // namespace stallcast
