// What one shard of a sweep has written: its file of points, read.
//
// JSON Lines: one that says of which sweep and shard the points are, then one for each finished point, in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/diagnostics/mapped_file.h"
#include "core/plan/sweep/shard.h"

namespace stallcast {

// The first line of a file of points.
struct PointsHeader {
  nlohmann::ordered_json identity;  // to_json(SweepIdentity)
  Shard shard;
  std::vector<std::string> command;  // that makes such points, without --shard and -o; nobody compares it

  std::int64_t points() const { return identity.at("points").get<std::int64_t>(); }
  std::string line() const;  // with a newline
};

struct PointLine {
  std::int64_t index = 0;
  std::string_view line;  // without newline
};

struct PointsPart {
  std::filesystem::path path;
  PointsHeader header;
  MappedFile file;                  // that lines look into
  std::vector<PointLine> finished;  // by index
  std::int64_t failed = 0;          // of those, that cannot be
  std::size_t whole_bytes = 0;      // of the file; what follows was not written to its end

  std::vector<std::string_view> lines() const;  // of `finished`
};

// How every file of points begins, from its first byte on.
inline constexpr std::string_view kPointsBeginning = R"({"kind":"stallcast sweep",)";

// Whether `text` is a file of points that was left before its first line was whole.
bool is_torn_header(std::string_view text);

// "points-3-of-8.jsonl"
std::string points_file_name(const Shard& shard);

// The files of points in `directory`, in the order of their names; none when it is not there.
// **Errors** WorldError when it cannot be listed.
std::vector<std::filesystem::path> points_files(const std::filesystem::path& directory);

// The first line of a file of points; nothing when it has no whole line yet.
// **Errors** WorldError; the finding "not_a_sweep" for a file that something else wrote, or another version's format.
Loaded<std::optional<PointsHeader>> read_points_header(const std::filesystem::path& path);

// Reads a file of points that has a whole first line. A last line that was not written to its end is left out.
// **Cost** time and memory of what the file holds, however many points its first line speaks of
// **Errors** WorldError; findings "not_a_sweep" and "damaged_points": a line before the last that cannot be read, a
// point of another shard, two lines of one point.
Loaded<PointsPart> read_points(const std::filesystem::path& path, MappedFile file);

}  // namespace stallcast
