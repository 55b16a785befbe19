// The open files of a probe and the way in which they are read: past the page cache by io_uring where that works, and
// what works otherwise.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/probe/disk/file_access.h"
#include "core/probe/disk/file_sample.h"
#include "core/probe/disk/file_system.h"
#include "core/probe/disk/read_engine.h"

namespace stallcast {

// What may be used to read; tests switch off what they want to do without.
struct FileReading {
  bool io_uring = true;
  bool direct = true;
  bool forget_cached = true;                               // files leave the page cache before buffered reads
  std::function<void(std::uint64_t bytes)> before_read{};  // a part of every request; reads are by threads then
};

class FileReader {
 public:
  // Opens the largest of `sample`, at most 512 of them. What is used instead of what, and why, is added to `notes`.
  // **Errors** WorldError with the reason when none can be opened.
  FileReader(const std::vector<SampledFile>& sample, const FileReading& reading, const FileSystem& system,
             std::vector<std::string>& notes);

  VisitTally run(const Visit& visit, Allowance& allowance);

  // A point without measurements.
  ReadPoint point_of(const Visit& visit) const;

  const std::vector<OpenFile>& files() const { return files_; }
  bool direct() const { return direct_; }
  bool forgets_cached() const { return !direct_ && forget_cached_; }

  // Bytes that were read to find out what works.
  std::uint64_t tried_bytes() const { return tried_bytes_; }

  // Of the pages looked at before visits, the share that the page cache held; < 0 = not known.
  double cached_share() const;

 private:
  void choose_direct(const std::string& path, const FileReading& reading, const FileSystem& system,
                     std::vector<std::string>& notes);
  void choose_engine(const FileReading& reading, std::vector<std::string>& notes);
  void open_files(std::vector<SampledFile> sample, std::vector<std::string>& notes);
  void prepare_cache(const Visit& visit);

  std::vector<OwnedFile> owned_;
  std::vector<OpenFile> files_;
  bool direct_ = false;
  bool forget_cached_ = true;
  std::uint64_t tried_bytes_ = 0;
  double cached_sum_ = 0.0, cached_looks_ = 0.0;
  std::unique_ptr<ReadEngine> engine_;
};

// Bytes that FileReader may read before a buffered visit, to see what the page cache holds.
std::uint64_t look_bytes(const FileReader& reader);

}  // namespace stallcast
