#include "core/probe/disk/file_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>

#include "core/diagnostics/file_calls.h"
#include "core/diagnostics/finding.h"
#include "core/probe/disk/huge_buffer.h"

namespace stallcast {
namespace {

constexpr std::size_t kMostOpenFiles = 512;
constexpr int kLooksPerVisit = 8;

// Whether a page of `file`, opened for direct reads, can be read: some file systems refuse only then.
int try_direct_read(const OpenFile& file) {
  HugeBuffer buffer;
  return read_at(file.descriptor, buffer.at_least(kPageBytes), kPageBytes, 0) < 0 ? errno : 0;
}

}  // namespace

FileReader::FileReader(const std::vector<SampledFile>& sample, const FileReading& reading, const FileSystem& system,
                       std::vector<std::string>& notes)
    : forget_cached_(reading.forget_cached) {
  for (const SampledFile& file : sample) {  // the first that can be opened at all decides
    OpenFile opened;
    if (open_regular(file.path, false, opened) != 0) continue;
    const OwnedFile closes(opened);
    choose_direct(file.path, reading, system, notes);
    break;
  }
  choose_engine(reading, notes);
  open_files(sample, notes);
}

void FileReader::choose_direct(const std::string& path, const FileReading& reading, const FileSystem& system,
                               std::vector<std::string>& notes) {
  if (!reading.direct) return;
  if (system.in_memory) {
    notes.push_back(fmt::format("{} keeps its files in memory: these are buffered reads, and no storage", system.name));
    return;
  }
  OpenFile opened;
  int error = open_regular(path, true, opened);
  const OwnedFile closes(opened);
  if (error == 0) {
    tried_bytes_ += kPageBytes;
    error = try_direct_read(opened);
  }
  direct_ = error == 0;
  if (direct_) return;
  notes.push_back(
      fmt::format("reads went through the page cache, which was told to forget the files before: {} has no "
                  "direct reads here ({})",
                  system.name.empty() ? "the file system" : system.name, std::strerror(error)));
}

void FileReader::choose_engine(const FileReading& reading, std::vector<std::string>& notes) {
  if (direct_ && reading.io_uring && !reading.before_read) {
    std::string why_not;
    engine_ = make_uring_engine(why_not);
    if (engine_) return;
    notes.push_back(fmt::format("reads were made by threads with pread: no io_uring ({})", why_not));
  } else if (!direct_ && reading.io_uring) {
    notes.emplace_back("buffered reads were made by threads with pread");
  }
  engine_ = make_thread_engine(reading.before_read);
}

void FileReader::open_files(std::vector<SampledFile> sample, std::vector<std::string>& notes) {
  std::stable_sort(sample.begin(), sample.end(),
                   [](const SampledFile& a, const SampledFile& b) { return a.bytes > b.bytes; });
  Skipped unreadable;
  int first_error = 0;
  for (const SampledFile& file : sample) {
    if (owned_.size() == kMostOpenFiles) break;
    OpenFile opened;
    const int error = open_regular(file.path, direct_, opened);
    if (error == EMFILE || error == ENFILE) break;
    if (error == 0) {
      owned_.emplace_back(opened);
      files_.push_back(opened);
    } else if (unreadable.count++ == 0) {
      unreadable.example = file.path;
      first_error = error;
    }
  }
  if (files_.empty()) {
    throw WorldError(fmt::format("{}: {}; there is no file that can be read", unreadable.example,
                                 first_error != 0 ? std::strerror(first_error) : "no descriptors are left"));
  }
  if (unreadable.count > 0) {
    notes.push_back(fmt::format("left out {} files that could not be opened, such as {} ({})", unreadable.count,
                                unreadable.example, std::strerror(first_error)));
  }
  if (direct_ && !huge_pages_available())
    notes.emplace_back("there are no huge pages for buffers, which slows large direct reads");
}

void FileReader::prepare_cache(const Visit& visit) {
  if (forget_cached_) {
    for (const OpenFile& file : files_) drop_from_cache(file);
  }
  for (const OpenFile& file : files_) advise(file, AccessPattern::kRandom);  // looking fetches one page
  std::mt19937_64 random(visit.seed);
  const double share = look_for_cached(files_[random() % files_.size()], kLooksPerVisit, random());
  if (share >= 0.0) {
    cached_sum_ += share;
    cached_looks_ += 1.0;
  }
  if (visit.pattern == AccessPattern::kRandom) return;
  for (const OpenFile& file : files_) advise(file, visit.pattern);
}

VisitTally FileReader::run(const Visit& visit, Allowance& allowance) {
  if (!direct_) prepare_cache(visit);
  return engine_->run(visit, files_, allowance);
}

ReadPoint FileReader::point_of(const Visit& visit) const {
  ReadPoint point;
  point.pattern = visit.pattern;
  point.request_bytes = static_cast<double>(visit.block_bytes);
  point.in_flight = visit.in_flight;
  const bool by_name = visit.pattern == AccessPattern::kWholeFile || visit.pattern == AccessPattern::kOpen;
  point.engine = by_name ? "pread" : engine_->name();
  point.direct = direct_;
  return point;
}

double FileReader::cached_share() const { return cached_looks_ > 0.0 ? cached_sum_ / cached_looks_ : -1.0; }

std::uint64_t look_bytes(const FileReader& reader) {
  return reader.direct() ? 0 : static_cast<std::uint64_t>(kLooksPerVisit) * kPageBytes;
}

}  // namespace stallcast
