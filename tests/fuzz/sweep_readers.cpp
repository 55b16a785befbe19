// Files of points that shards of a sweep left behind.
#include <fstream>

#include "core/plan/sweep/merge.h"
#include "core/plan/sweep/points_file.h"
#include "core/plan/sweep/sweep_point.h"
#include "core/report/json/sweep_results.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/readers.h"

namespace stallcast::fuzz {
namespace {

namespace fs = std::filesystem;

// A sweep that finds these files where it was, goes on, or says why not.
void go_on(const fs::path& folder, const fs::path& file) {
  const Loaded<std::optional<PointsHeader>> header = read_points_header(file);
  check_loaded(header);
  if (!header.ok() || !*header.value) return;
  check_findings(directory_problems(folder, **header.value));
  const Loaded<std::unique_ptr<PointsFile>> points = PointsFile::open(folder, **header.value);
  check_loaded(points);
  if (!points.ok() || (*header.value)->shard.size((*header.value)->points()) == 0) return;
  require(!(*points.value)->had(0) || (*points.value)->had_points() > 0, "points that are counted wrongly");
}

void read_points_files(std::string_view content) {
  const fs::path folder = empty_folder();
  const std::vector<std::string_view> parts = parts_of(content);
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 4); ++i)
    std::ofstream(folder / ("points-" + std::to_string(i + 1) + "-of-2.jsonl"), std::ios::binary) << parts[i];
  {
    const Loaded<SweptPoints> points = merge_points({folder});
    check_loaded(points);
    if (points.ok()) write_sweep_results(*points.value, empty_folder() / "results");
    if (points.ok())
      for (const std::string_view line : points.value->lines) (void)point_document(nlohmann::ordered_json::parse(line));
    if (points.ok()) return;
  }
  go_on(folder, folder / "points-1-of-2.jsonl");
}

}  // namespace

std::vector<Reader> sweep_readers() { return {{"points", read_points_files}}; }

}  // namespace stallcast::fuzz
