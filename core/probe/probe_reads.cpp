#include "core/probe/probe_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/diagnostics/finding.h"
#include "core/probe/disk/block_positions.h"
#include "core/probe/probe_plan.h"
#include "core/units/size_text.h"

namespace stallcast {
namespace {

constexpr double kWalkShare = 0.1;           // of time and bytes, for looking through the directory
constexpr std::uint64_t kFewestBlocks = 16;  // of a size, in the files, for it to be used
constexpr std::size_t kMostStreamFiles = 64;
constexpr double kLargestWholeFile = 64.0 * 1024.0 * 1024.0;  // and 1/256 of the bytes allowed

}  // namespace

ProbeReads::ProbeReads(std::filesystem::path target, const ProbeOptions& options, const FileReading& reading,
                       ProbeLimits& limits, std::vector<std::string>& notes)
    : target_(std::move(target)),
      options_(options),
      reading_(reading),
      limits_(limits),
      notes_(notes),
      system_(file_system_of(target_)) {}

void ProbeReads::look_through() {
  limits_.tell("looking through the files");
  SampleLimits limits;
  limits.fetched_bytes = kWalkShare * options_.bytes;
  limits.seed = options_.seed;
  limits_.undisturbed([&](const std::stop_token& stop) {
    limits.until_s = monotonic_s() + kWalkShare * options_.seconds;
    limits.stop = stop;
    sample_ = sample_files(target_.string(), limits);
  });
  notes_ = skipped_notes(sample_);
  if (!sample_.files.empty() || limits_.is_over()) return;
  std::string why;
  for (const std::string& note : notes_) why += "; " + note;
  throw WorldError(fmt::format("{}: holds no file that can be read{}", target_.string(), why));
}

void ProbeReads::open() {
  reader_.emplace(sample_.files, reading_, system_, notes_);
  limits_.take(static_cast<double>(reader_->tried_bytes()));
  choose_whole_files();
  choose_stream_files();
}

void ProbeReads::choose_whole_files() {
  const double largest = std::min(kLargestWholeFile, options_.bytes / 256.0);
  std::vector<SampledFile> files;
  for (const SampledFile& file : sample_.files)
    if (static_cast<double>(file.bytes) <= largest) files.push_back(file);
  if (sample_.is_directory && files.size() < sample_.files.size()) {
    notes_.push_back(fmt::format("files over {} were not read whole, {} of {} in the sample", size_text(largest),
                                 sample_.files.size() - files.size(), sample_.files.size()));
  }
  whole_files_.emplace(std::move(files), reader_->direct());
}

// Loaders read through the page cache, with what the kernel reads ahead: such files are opened once more, without
// O_DIRECT, unless all reads are of that kind here.
void ProbeReads::choose_stream_files() {
  std::vector<SampledFile> files;
  for (const SampledFile& file : sample_.files)
    if (static_cast<double>(file.bytes) >= kShortestStream && files.size() < kMostStreamFiles) files.push_back(file);
  if (files.empty() || system_.in_memory) return;
  FileReading buffered = reading_;
  buffered.direct = buffered.io_uring = false;
  std::vector<std::string> of_direct_reads;  // said already
  stream_reader_.emplace(files, buffered, system_, of_direct_reads);
}

double ProbeReads::stream_bytes() const {
  double sum = 0.0;
  if (stream_reader_)
    for (const OpenFile& file : stream_reader_->files()) sum += static_cast<double>(file.bytes);
  return sum;
}

FileReader& ProbeReads::reader_of(const Visit& visit) {
  return visit.pattern == AccessPattern::kStream ? *stream_reader_ : *reader_;
}

const FileReader& ProbeReads::reader_of(const Visit& visit) const {
  return visit.pattern == AccessPattern::kStream ? *stream_reader_ : *reader_;
}

double ProbeReads::wanted_bytes(const Visit& visit) const {
  if (visit.pattern == AccessPattern::kStream) return wanted_stream_bytes(visit.in_flight, system_.read_ahead_bytes);
  const auto block = static_cast<double>(visit.block_bytes);
  return visit_bytes(block, visit.in_flight, wanted_requests(block));
}

std::uint64_t ProbeReads::largest_block() const {
  std::uint64_t largest = kPageBytes;
  while (block_count(reader_->files(), 4 * largest) >= kFewestBlocks) largest *= 4;
  return block_count(reader_->files(), kPageBytes) > 0 ? largest : 0;
}

ReadPoint ProbeReads::blank_point(const Visit& visit) const {
  ReadPoint point = reader_of(visit).point_of(visit);
  if (visit.pattern == AccessPattern::kWholeFile) point.request_bytes = whole_files_->mean_bytes();
  if (visit.pattern == AccessPattern::kOpen) point.request_bytes = 0.0;
  return point;
}

double ProbeReads::beside_bytes(const Visit& visit) const {
  const FileReader& reader = reader_of(visit);
  if (reader.direct()) return 0.0;
  const double streams = visit.pattern == AccessPattern::kSequential ? 1.0
                         : visit.pattern == AccessPattern::kStream   ? visit.in_flight
                                                                     : 0.0;
  return streams * 2.0 * system_.read_ahead_bytes + static_cast<double>(look_bytes(reader));
}

VisitTally ProbeReads::run(const Visit& visit, double bytes, double seconds) {
  VisitTally tally;
  const bool counts =
      limits_.undisturbed([&](const std::stop_token& stop) { tally = run_once(visit, bytes, seconds, stop); });
  if (!counts) return {};
  const double lost_s = limits_.pauses().lost_s;
  tally.began_s -= lost_s;
  tally.full_until_s -= lost_s;
  for (Completion& done : tally.completions) done.at_s -= lost_s;
  return tally;
}

VisitTally ProbeReads::run_once(const Visit& visit, double bytes, double seconds, const std::stop_token& stop) {
  const double beside = beside_bytes(visit);
  const double granted = std::max(0.0, std::min(bytes, limits_.bytes_left() - beside));
  const auto grant = static_cast<std::uint64_t>(granted);
  Allowance allowance(grant, monotonic_s() + std::min(limits_.seconds_left(), seconds), stop);
  const bool by_name = visit.pattern == AccessPattern::kWholeFile || visit.pattern == AccessPattern::kOpen;
  if (visit.pattern == AccessPattern::kWholeFile && reader_->forgets_cached()) whole_files_->drop_next(grant);
  VisitTally tally = by_name ? whole_files_->run(visit, allowance) : reader_of(visit).run(visit, allowance);
  limits_.take(static_cast<double>(grant - allowance.left()) + static_cast<double>(look_bytes(reader_of(visit))));
  note_trouble(tally);
  return tally;
}

void ProbeReads::note_trouble(const VisitTally& tally) {
  ended_early_ += tally.ended_early;
  errors_ += tally.errors;
  if (first_error_ == 0) first_error_ = tally.first_error;
}

std::vector<std::string> ProbeReads::trouble() const {
  std::vector<std::string> out;
  if (ended_early_ > 0) {
    out.push_back(fmt::format("{} reads found less than their file held before: files changed while they were read",
                              ended_early_));
  }
  if (errors_ > 0)
    out.push_back(fmt::format("{} reads failed, the first with: {}", errors_, std::strerror(first_error_)));
  return out;
}

}  // namespace stallcast
