// The data files that a job has open, as they are met while it is watched.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/observe/seen_job.h"

namespace stallcast {

// Programs, libraries, devices and what is written do not count: files that are read, with a name.
class OpenFiles {
 public:
  explicit OpenFiles(std::filesystem::path proc) : proc_(std::move(proc)) {}

  // All descriptors of the process whose folder in /proc that is.
  void look_at(const std::filesystem::path& process);
  // One file that a thread of it was found reading, as a link of /proc says it.
  void add(const std::filesystem::path& process, const std::string& link);

  // Of /dev/shm files that processes had open at their last look.
  double shared_memory_bytes() const;

  // By how often they were seen.
  std::vector<SeenFile> take();

 private:
  SeenFile* file_of(const std::filesystem::path& process, const std::string& path);

  std::filesystem::path proc_;
  std::map<std::string, SeenFile> files_;
  std::map<std::string, double> shared_;  // by process
};

// Sizes of up to `most` regular files beside `path`, itself included, evenly over its folder; through the root of the
// process, which may be another than ours. Only names and sizes are looked at.
std::vector<double> sizes_beside(const std::filesystem::path& process, const std::string& path, std::size_t most);

}  // namespace stallcast
