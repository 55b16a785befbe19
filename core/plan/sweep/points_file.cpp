#include "core/plan/sweep/points_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "core/diagnostics/file_calls.h"
#include "core/plan/sweep/sweep_identity.h"

namespace stallcast {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view doing, std::string_view why) {
  throw WorldError(fmt::format("{}: the points cannot {}: {}", path.string(), doing, why));
}
[[noreturn]] void fail(const std::filesystem::path& path, std::string_view doing, int error) {
  fail(path, doing, std::generic_category().message(error));
}

Findings differences(const nlohmann::ordered_json& found, const PointsHeader& wanted,
                     const std::filesystem::path& path) {
  return identity_differences(found, wanted.identity, path.string(), "this sweep",
                              "give -o another directory, or remove the old points to start anew");
}

}  // namespace

Findings directory_problems(const std::filesystem::path& directory, const PointsHeader& header) {
  Findings findings;
  for (const std::filesystem::path& path : points_files(directory)) {
    const Loaded<std::optional<PointsHeader>> found = read_points_header(path);
    findings.append(found.findings);
    if (found.value && *found.value) findings.append(differences((*found.value)->identity, header, path));
  }
  return findings;
}

Loaded<std::unique_ptr<PointsFile>> PointsFile::open(const std::filesystem::path& directory,
                                                     const PointsHeader& header) {
  Loaded<std::unique_ptr<PointsFile>> out;
  out.findings = directory_problems(directory, header);
  if (out.findings.has_errors()) return out;
  std::filesystem::create_directories(directory);
  const std::filesystem::path path = directory / points_file_name(header.shard);
  const int descriptor = open_file(path, O_RDWR | O_CREAT | O_NONBLOCK, 0666);
  if (descriptor < 0) fail(path, "be opened", errno);
  std::unique_ptr<PointsFile> file(new PointsFile(path, descriptor));
  const int locked = lock_file(descriptor);
  if (locked == EWOULDBLOCK) fail(path, "be written", "another stallcast is writing them");
  if (locked != 0) fail(path, "be locked", locked);
  out.findings = file->read(header);
  if (!out.findings.has_errors()) out.value = std::move(file);
  return out;
}

PointsFile::~PointsFile() { (void)close_file(descriptor_); }

Findings PointsFile::read(const PointsHeader& header) {
  MappedFile mapped(descriptor_, path_);
  if (is_torn_header(mapped.text())) {
    if (const int error = set_file_size(descriptor_, 0); error != 0) fail(path_, "be written", error);
    const std::string first = header.line();
    append(std::string_view(first).substr(0, first.size() - 1));
    return {};
  }
  Loaded<PointsPart> part = read_points(path_, std::move(mapped));
  if (!part.value) return std::move(part.findings);
  Findings findings = differences(part.value->header.identity, header, path_);
  if (findings.has_errors()) return findings;
  for (const PointLine& point : part.value->finished) had_.push_back(*header.shard.position(point.index));
  had_failed_ = part.value->failed;
  end_ = static_cast<std::int64_t>(part.value->whole_bytes);
  if (const int error = set_file_size(descriptor_, end_); error != 0) fail(path_, "be written", error);
  return findings;
}

bool PointsFile::had(std::int64_t position) const { return std::binary_search(had_.begin(), had_.end(), position); }

void PointsFile::append(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  const std::scoped_lock lock(mutex_);
  if (is_removed(descriptor_)) fail(path_, "be written", "the file was removed");
  if (const int error = write_whole_at(descriptor_, text, end_); error != 0) {
    (void)set_file_size(descriptor_, end_);
    fail(path_, "be written", error);
  }
  end_ += static_cast<std::int64_t>(text.size());
}

void PointsFile::sync() {
  if (const int error = sync_file(descriptor_); error != 0) fail(path_, "be written", error);
}

}  // namespace stallcast
