// Which files a target holds, found within limits: a sample of them, what listing and looking them up cost, and what
// was left out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace stallcast {

struct SampledFile {
  std::string path;
  std::uint64_t bytes = 0;
};

struct SampleLimits {
  double until_s = 0.0;          // monotonic_s
  double fetched_bytes = 0.0;    // that the kernel may fetch for it
  std::uint64_t names = 100000;  // that are looked at
  std::size_t files = 4096;      // that are kept, each with the same probability
  std::uint64_t seed = 1;
  std::stop_token stop;
};

// Names that were passed over for one reason.
struct Skipped {
  std::uint64_t count = 0;
  std::string example;
};

struct FileSample {
  std::vector<SampledFile> files;  // regular and not empty, in random order
  double seen = 0.0, bytes = 0.0;  // of those, all that were looked at
  bool is_directory = false;
  bool complete = true;  // no limit was reached
  Skipped unreadable, special, linked_directories, broken_links, empty, other_file_systems;
  double listed_names = 0.0, list_s = 0.0;
  std::vector<float> stat_s;  // how long each look-up took
};

// Files at `target`, a file or a directory with what is under it. Symbolic links to files are followed, those to
// directories are not, so that no loop is walked; pipes, sockets and devices are not opened.
// **Errors** WorldError when `target` does not exist, cannot be read, or is neither.
FileSample sample_files(const std::filesystem::path& target, const SampleLimits& limits);

// One sentence for each reason that applies.
std::vector<std::string> skipped_notes(const FileSample& sample);

}  // namespace stallcast
