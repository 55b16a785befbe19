#include "core/plan/sweep/points_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/diagnostics/json_input.h"
#include "core/plan/sweep/sweep_point.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr const char* kKind = "stallcast sweep";
// Of a first line: command lines, which hold what --vary was given, are at most 2 MiB on Linux.
constexpr std::size_t kLongestHeader = std::size_t{8} << 20;
constexpr std::uint64_t kMostPartPoints = std::uint64_t{1} << 62U;  // of a Space

Finding not_a_sweep(const std::filesystem::path& path, std::string got) {
  Finding finding;
  finding.code = "not_a_sweep";
  finding.file = path.string();
  finding.got = std::move(got);
  finding.allowed = "points that this version of stallcast wrote";
  finding.fix = "give -o another directory, or move this file away";
  finding.why = "nothing was changed in it";
  return finding;
}

Finding damaged(const std::filesystem::path& path, std::size_t line, std::string got) {
  Finding finding;
  finding.code = "damaged_points";
  finding.file = path.string();
  finding.got = fmt::format("line {}: {}", line, got);
  finding.allowed = "one point of this shard in each line, each once";
  finding.fix = fmt::format("remove line {}, whose point is then computed again", line);
  finding.why = "nothing was changed in it";
  return finding;
}

std::optional<ordered_json> parsed_object(std::string_view line) {
  if (!ordered_json::accept(line)) return std::nullopt;  // parse_json_text allows comments, which results must not have
  Loaded<ordered_json> json = parse_json_text(line, "");
  if (!json.ok() || !json.value->is_object()) return std::nullopt;
  return std::move(json.value);
}

// The member `key`, taken out of `json`, when it is of the type T.
template <class T>
std::optional<T> take(ordered_json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return std::nullopt;
  std::optional<T> out;
  try {
    out = found->template get<T>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  json.erase(found);
  return out;
}

// Whether the members that points are counted and written by are what a SweepIdentity has there.
bool is_identity(const ordered_json& json) {
  const auto points = json.find("points"), fields = json.find("fields");
  return points != json.end() && points->is_number_unsigned() && points->get<std::uint64_t>() <= kMostPartPoints &&
         fields != json.end() && fields->is_array() &&
         std::all_of(fields->begin(), fields->end(), [](const ordered_json& field) { return field.is_string(); });
}

std::optional<PointsHeader> parsed_header(ordered_json json) {
  const auto shard = take<std::string>(json, "shard");
  auto command = take<std::vector<std::string>>(json, "command");
  if (!shard || !command) return std::nullopt;
  const Loaded<Shard> read = parse_shard(*shard);
  if (!read.ok() || !is_identity(json)) return std::nullopt;
  return PointsHeader{std::move(json), *read.value, std::move(*command)};
}

Loaded<PointsHeader> header_of(const std::filesystem::path& path, std::string_view line) {
  Loaded<PointsHeader> out;
  std::optional<ordered_json> json = parsed_object(line);
  const auto kind = json ? take<std::string>(*json, "kind") : std::nullopt;
  const auto stated = json ? take<ordered_json>(*json, "format_version") : std::nullopt;
  const std::int64_t format = stated && stated->is_number_unsigned() ? stated->get<std::int64_t>() : 0;
  if (kind != kKind || format == 0) {
    out.findings.add(not_a_sweep(path, "a first line that says of no sweep"));
  } else if (format != kFormat) {
    out.findings.add(not_a_sweep(path, fmt::format("format {}", format)));
  } else {
    out.value = parsed_header(std::move(*json));
    if (!out.value) out.findings.add(not_a_sweep(path, "a first line that is not whole"));
  }
  return out;
}

// Adds the point of one line; what is wrong with it, or "".
std::string add_line(PointsPart& part, std::string_view line) {
  const std::optional<ordered_json> json = parsed_object(line);
  const auto index = json ? index_of_point(*json) : std::nullopt;
  if (!index) return "not a point";
  if (*index >= part.header.points() || !part.header.shard.position(*index))
    return fmt::format("point {} is not of this shard", *index);
  part.finished.push_back({*index, line});
  if (!point_is_fine(*json)) ++part.failed;
  return "";
}

// The first line whose point an earlier line has, after putting all in the order of their points.
const PointLine* sort_by_index(std::vector<PointLine>& points) {
  const auto earlier = [](const PointLine& a, const PointLine& b) { return a.line.data() < b.line.data(); };
  std::sort(points.begin(), points.end(), [&](const PointLine& a, const PointLine& b) {
    return a.index != b.index ? a.index < b.index : earlier(a, b);
  });
  const PointLine* first = nullptr;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i].index == points[i - 1].index && (first == nullptr || earlier(points[i], *first))) first = &points[i];
  return first;
}

}  // namespace

std::string PointsHeader::line() const {
  ordered_json json = {{"kind", kKind}, {"format_version", kFormat}};
  json.update(identity);
  json["shard"] = shard_text(shard);
  json["command"] = command;
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::vector<std::string_view> PointsPart::lines() const {
  std::vector<std::string_view> all;
  all.reserve(finished.size());
  for (const PointLine& point : finished) all.push_back(point.line);
  return all;
}

bool is_torn_header(std::string_view text) {
  return text.find('\n') == std::string_view::npos &&
         text.substr(0, kPointsBeginning.size()) == kPointsBeginning.substr(0, text.size());
}

std::string points_file_name(const Shard& shard) {
  return fmt::format("points-{}-of-{}.jsonl", shard.number, shard.count);
}

std::vector<std::filesystem::path> points_files(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code problem;
  const bool is_there = std::filesystem::exists(directory, problem);
  if (!is_there && !problem) return files;
  std::filesystem::directory_iterator it;
  if (!problem) it = std::filesystem::directory_iterator(directory, problem);
  for (; !problem && it != std::filesystem::directory_iterator(); it.increment(problem)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with("points-") && name.ends_with(".jsonl")) files.push_back(it->path());
  }
  if (problem) throw WorldError(fmt::format("{}: cannot be listed: {}", directory.string(), problem.message()));
  std::sort(files.begin(), files.end());
  return files;
}

Loaded<std::optional<PointsHeader>> read_points_header(const std::filesystem::path& path) {
  const MappedFile file(path);
  Loaded<std::optional<PointsHeader>> out;
  const std::string_view start = file.text().substr(0, kLongestHeader);
  const std::size_t end = start.find('\n');
  if (end == std::string_view::npos) {
    out.value.emplace();
    return out;
  }
  Loaded<PointsHeader> header = header_of(path, start.substr(0, end));
  out.findings = std::move(header.findings);
  if (header.value) out.value = std::move(header.value);
  return out;
}

Loaded<PointsPart> read_points(const std::filesystem::path& path, MappedFile file) {
  Loaded<PointsPart> out;
  const std::string_view text = file.text();
  std::size_t from = text.find('\n') + 1;
  Loaded<PointsHeader> header = header_of(path, text.substr(0, from == 0 ? text.size() : from - 1));
  out.findings = std::move(header.findings);
  if (!header.value) return out;

  PointsPart part{path, std::move(*header.value), std::move(file), {}, 0, from};
  std::size_t number = 1;
  for (std::size_t end = text.find('\n', from); end != std::string_view::npos; end = text.find('\n', from)) {
    ++number;
    const std::string wrong = add_line(part, text.substr(from, end - from));
    const bool last = end + 1 == text.size();
    if (!wrong.empty() && !last) {
      out.findings.add(damaged(path, number, wrong));
      return out;
    }
    from = end + 1;
    if (wrong.empty()) part.whole_bytes = from;
  }
  const PointLine* twice = sort_by_index(part.finished);
  if (twice != nullptr) {
    const auto before = static_cast<std::size_t>(twice->line.data() - text.data());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(before), '\n');
    out.findings.add(damaged(path, static_cast<std::size_t>(line), fmt::format("point {} once more", twice->index)));
    return out;
  }
  out.value = std::move(part);
  return out;
}

}  // namespace stallcast
