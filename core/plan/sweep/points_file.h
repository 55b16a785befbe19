// The file that a shard of a sweep adds its points to, so that a sweep that is killed goes on where it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/plan/sweep/points_part.h"

namespace stallcast {

// An open file of points; while it is open no other process has it.
class PointsFile {
 public:
  // Opens the file of `header`'s shard in `directory`, or makes it. A last line that was not written to its end is
  // taken away; nothing else is.
  // **Errors** WorldError when it cannot be read and written, or is open elsewhere. Findings: those of read_points, and
  // "other_sweep" when this or another file of points in `directory` is of another sweep. With findings nothing is
  // changed.
  static Loaded<std::unique_ptr<PointsFile>> open(const std::filesystem::path& directory, const PointsHeader& header);
  ~PointsFile();
  PointsFile(const PointsFile&) = delete;
  PointsFile& operator=(const PointsFile&) = delete;

  // Whether the point at `position` of the shard was there when the file was opened.
  bool had(std::int64_t position) const;
  std::int64_t had_points() const { return static_cast<std::int64_t>(had_.size()); }
  std::int64_t had_failed() const { return had_failed_; }
  const std::filesystem::path& path() const { return path_; }

  // Adds the line of one point. From any thread.
  // **Errors** WorldError when it cannot be written, then the file is as it was before; and when the file was removed.
  void append(std::string_view line);

  // Until the storage has every line. **Errors** WorldError when it does not take them.
  void sync();

 private:
  PointsFile(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  Findings read(const PointsHeader& header);

  std::filesystem::path path_;
  int descriptor_;
  std::int64_t end_ = 0;  // bytes of the file that are whole lines
  std::mutex mutex_;
  std::vector<std::int64_t> had_;  // positions, ascending
  std::int64_t had_failed_ = 0;
};

// "other_sweep" for each file of points in `directory` that is not of the sweep of `header`, and "not_a_sweep".
Findings directory_problems(const std::filesystem::path& directory, const PointsHeader& header);

}  // namespace stallcast
