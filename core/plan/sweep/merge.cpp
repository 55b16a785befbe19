#include "core/plan/sweep/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "core/plan/sweep/shell_words.h"
#include "core/plan/sweep/sweep_identity.h"
#include "core/plan/sweep/sweep_point.h"

namespace stallcast {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamedShards = 20;  // more would hide each other

Finding finding_of(const fs::path& path, std::string code) {
  Finding finding;
  finding.code = std::move(code);
  finding.file = path.string();
  return finding;
}

Finding nothing_to_merge(const fs::path& directory) {
  Finding finding = finding_of(directory, "nothing_to_merge");
  finding.got = fs::is_directory(directory) ? "no file of points" : "no such directory";
  finding.allowed = "a directory that stallcast sweep -o wrote";
  return finding;
}

// Those with a whole first line; one without has no points yet.
std::vector<PointsPart> read_parts(const std::vector<fs::path>& files, Findings& findings) {
  std::vector<PointsPart> parts;
  for (const fs::path& path : files) {
    MappedFile file(path);
    if (is_torn_header(file.text())) continue;
    Loaded<PointsPart> part = read_points(path, std::move(file));
    findings.append(part.findings);
    if (part.value) parts.push_back(std::move(*part.value));
  }
  return parts;
}

void compare_identities(const std::vector<PointsPart>& parts, Findings& findings) {
  const PointsPart& first = parts.front();
  for (const PointsPart& part : parts)
    findings.append(identity_differences(part.header.identity, first.header.identity, part.path.string(),
                                         first.path.string(), "merge the shards of one sweep only"));
}

Finding contradicting(const PointsPart& part, std::int64_t index) {
  Finding finding = finding_of(part.path, "contradicting_points");
  finding.got = fmt::format("point {} with other figures than in another file", index);
  finding.allowed = "the same figures for the same point";
  finding.fix = "remove the file that was changed, and run its shard again";
  return finding;
}

// The points of all parts by index, each once. A finding for each part that contradicts one before it.
std::vector<PointLine> join(const std::vector<PointsPart>& parts, Findings& findings) {
  struct Place {
    PointLine point;
    const PointsPart* part;
  };
  std::vector<Place> places;
  for (const PointsPart& part : parts)
    for (const PointLine& point : part.finished) places.push_back({point, &part});
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.point.index < b.point.index; });
  std::vector<PointLine> all;
  std::set<const PointsPart*> told;
  for (const Place& place : places) {
    if (all.empty() || all.back().index != place.point.index) {
      all.push_back(place.point);
    } else if (all.back().line != place.point.line && told.insert(place.part).second) {
      findings.add(contradicting(*place.part, place.point.index));
    }
  }
  return all;
}

// The header whose shard count most files have: the sweep was cut so.
const PointsPart& typical_part(const std::vector<PointsPart>& parts) {
  std::map<std::int64_t, std::size_t> files;
  const PointsPart* typical = &parts.front();
  for (const PointsPart& part : parts)
    if (++files[part.header.shard.count] > files[typical->header.shard.count]) typical = &part;
  return *typical;
}

Finding missing_shard(const PointsPart& like, const Shard& shard, std::int64_t missing) {
  const fs::path directory = like.path.parent_path();
  Finding finding = finding_of(directory / points_file_name(shard), "missing_points");
  std::vector<std::string> command = like.header.command;
  for (const std::string& word : {std::string("--shard"), shard_text(shard), std::string("-o"), directory.string()})
    command.push_back(word);
  finding.got = fmt::format("{} of the {} points of shard {} missing", missing, shard.size(like.header.points()),
                            shard_text(shard));
  finding.allowed = "every point";
  finding.fix = "run " + shell_command(command);
  return finding;
}

void find_missing(const std::vector<PointsPart>& parts, const std::vector<PointLine>& points, Findings& findings) {
  const PointsPart& like = typical_part(parts);
  const std::int64_t count = like.header.shard.count;
  if (static_cast<std::int64_t>(points.size()) == like.header.points()) return;
  std::vector<std::int64_t> finished(static_cast<std::size_t>(count), 0);
  for (const PointLine& point : points) ++finished[static_cast<std::size_t>(Shard::of(point.index, count).number - 1)];
  std::size_t named = 0, unnamed = 0;
  for (std::int64_t number = 1; number <= count; ++number) {
    const Shard shard{number, count};
    const std::int64_t missing = shard.size(like.header.points()) - finished[static_cast<std::size_t>(number - 1)];
    if (missing == 0) continue;
    if (named < kNamedShards) {
      findings.add(missing_shard(like, shard, missing));
      ++named;
    } else {
      ++unnamed;
    }
  }
  if (unnamed == 0) return;
  Finding more = finding_of(like.path.parent_path(), "missing_points");
  more.got = fmt::format("{} more shards of {} that are not finished", unnamed, like.header.shard.count);
  more.allowed = "every point";
  findings.add(std::move(more));
}

}  // namespace

Loaded<SweptPoints> join_points(const std::vector<fs::path>& files) {
  Loaded<SweptPoints> out;
  SweptPoints points;
  points.parts = read_parts(files, out.findings);
  if (out.findings.has_errors()) return out;
  if (points.parts.empty()) {
    out.findings.add(nothing_to_merge(files.empty() ? fs::path() : files.front().parent_path()));
    return out;
  }
  compare_identities(points.parts, out.findings);
  if (out.findings.has_errors()) return out;
  const std::vector<PointLine> all = join(points.parts, out.findings);
  find_missing(points.parts, all, out.findings);
  if (out.findings.has_errors()) return out;
  for (const PointLine& point : all) points.lines.push_back(point.line);
  points.fields = points.parts.front().header.identity.at("fields").get<std::vector<std::string>>();
  for (const std::string_view line : points.lines)
    points.failed += point_is_fine(nlohmann::ordered_json::parse(line)) ? 0 : 1;
  out.value = std::move(points);
  return out;
}

Loaded<SweptPoints> merge_points(const std::vector<fs::path>& directories) {
  std::vector<fs::path> all;
  Findings nothing;
  for (const fs::path& directory : directories) {
    const std::vector<fs::path> files = points_files(directory);
    if (files.empty()) nothing.add(nothing_to_merge(directory));
    all.insert(all.end(), files.begin(), files.end());
  }
  if (!nothing.empty()) return {std::nullopt, std::move(nothing)};
  return join_points(all);
}

}  // namespace stallcast
