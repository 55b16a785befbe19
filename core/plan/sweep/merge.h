// The shards of a sweep put together, and checked to be all of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/plan/sweep/points_part.h"

namespace stallcast {

struct SweptPoints {
  std::vector<PointsPart> parts;        // that `lines` look into
  std::vector<std::string_view> lines;  // [index], all of them
  std::vector<std::string> fields;      // pointers of all that varies
  std::int64_t failed = 0;              // configurations that cannot be
};

// Joins files of points. A point may be in several of them.
// **Errors** WorldError; findings: those of read_points, "other_sweep" for files of another program version, scenario,
// catalogue or space than the first, "contradicting_points" for a point that is different in two files,
// "missing_points" for each shard that is not there or not finished, with the command that makes it.
Loaded<SweptPoints> join_points(const std::vector<std::filesystem::path>& files);

// Joins all files of points in `directories`.
// **Errors** those of join_points, and "nothing_to_merge" for a directory without points.
Loaded<SweptPoints> merge_points(const std::vector<std::filesystem::path>& directories);

}  // namespace stallcast
