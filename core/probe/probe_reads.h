// The files of a probe, opened in each way that loaders read, and single visits to them within the probe's limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/probe/disk/file_reader.h"
#include "core/probe/disk/whole_files.h"
#include "core/probe/probe_limits.h"

namespace stallcast {

class ProbeReads {
 public:
  // What is noticed goes to `notes`.
  ProbeReads(std::filesystem::path target, const ProbeOptions& options, const FileReading& reading, ProbeLimits& limits,
             std::vector<std::string>& notes);

  // Finds the files that are read. **Errors** WorldError where there are none.
  void look_through();
  // Opens them.
  void open();

  const FileSystem& system() const { return system_; }
  const FileSample& sample() const { return sample_; }
  const WholeFiles& whole_files() const { return *whole_files_; }
  double stream_bytes() const;
  std::uint64_t largest_block() const;  // of random reads; 0 where the files are too small for any
  // Of the pages looked at before visits, the share that the page cache held; < 0 = not known.
  double cached_share() const { return reader_->cached_share(); }
  double cached_share_of_streams() const { return stream_reader_ ? stream_reader_->cached_share() : 0.0; }

  // That a visit should read.
  double wanted_bytes(const Visit& visit) const;
  // A point without measurements.
  ReadPoint blank_point(const Visit& visit) const;
  // Empty when nothing undisturbed was measured in time.
  VisitTally run(const Visit& visit, double bytes, double seconds);

  // Sentences about reads that failed.
  std::vector<std::string> trouble() const;

 private:
  void choose_whole_files();
  // Loaders read through the page cache, with what the kernel reads ahead: such files are opened once more, without
  // O_DIRECT, unless all reads are of that kind here.
  void choose_stream_files();
  FileReader& reader_of(const Visit& visit);
  const FileReader& reader_of(const Visit& visit) const;
  // What a visit may fetch besides the requests it makes.
  double beside_bytes(const Visit& visit) const;
  VisitTally run_once(const Visit& visit, double bytes, double seconds, const std::stop_token& stop);
  void note_trouble(const VisitTally& tally);

  std::filesystem::path target_;
  const ProbeOptions& options_;
  const FileReading& reading_;
  ProbeLimits& limits_;
  std::vector<std::string>& notes_;
  FileSystem system_;
  FileSample sample_;
  std::optional<FileReader> reader_;
  std::optional<FileReader> stream_reader_;
  std::optional<WholeFiles> whole_files_;
  std::uint64_t ended_early_ = 0, errors_ = 0;
  int first_error_ = 0;
};

}  // namespace stallcast
