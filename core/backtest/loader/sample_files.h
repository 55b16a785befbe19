// The user's files as samples of a data loader: which there are, how large, and in which order they are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stallcast {

struct SampleFile {
  std::string path;
  double bytes = 0.0;  // that a sample reads: the whole file, of a larger one the first kLargestSample
};

// A worker keeps one sample in memory.
inline constexpr double kLargestSample = 64.0 * 1048576.0;
// Files beyond this many are not looked for.
inline constexpr std::size_t kMostSampleFiles = 100000;

struct SampleFiles {
  std::vector<SampleFile> files;   // in alphabetical order
  double bytes = 0.0;              // of all samples
  double largest = 0.0;            // sample, bytes
  std::vector<std::string> notes;  // what was left out and why, one sentence each

  double mean_bytes() const { return files.empty() ? 0.0 : bytes / static_cast<double>(files.size()); }
};

// Bytes that reading a sample takes from storage: whole pages of 4 KiB.
double read_bytes(const SampleFile& file);

// Regular files with content that this process may read, in `directory` and below. Symbolic links are not followed;
// pipes, sockets and devices are never opened.
// **Errors** WorldError when `directory` is none, cannot be read, or holds no such file.
SampleFiles find_sample_files(const std::filesystem::path& directory);

// Positions in `files` of the first `samples` samples: each epoch is a fresh shuffle of all files, a function of
// (seed, epoch). **Range** files >= 1.
std::vector<std::uint32_t> sample_order(std::size_t files, std::size_t samples, std::uint64_t seed);

}  // namespace stallcast
