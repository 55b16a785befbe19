#include "core/backtest/loader/sample_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/diagnostics/finding.h"
#include "core/engine/random_stream.h"

namespace stallcast {
namespace {

struct LeftOut {
  std::size_t links = 0, special = 0, empty = 0, unreadable = 0, cut = 0;
  bool too_many = false;
};

void take_file(const std::filesystem::directory_entry& entry, SampleFiles& out, LeftOut& left_out) {
  std::error_code error;
  const std::filesystem::file_status status = entry.symlink_status(error);
  if (error || std::filesystem::is_directory(status)) return;
  if (std::filesystem::is_symlink(status)) {
    ++left_out.links;
    return;
  }
  if (!std::filesystem::is_regular_file(status)) {
    ++left_out.special;
    return;
  }
  const std::uintmax_t size = entry.file_size(error);
  if (error || ::access(entry.path().c_str(), R_OK) != 0) {
    ++left_out.unreadable;
    return;
  }
  if (size == 0) {
    ++left_out.empty;
    return;
  }
  left_out.cut += static_cast<double>(size) > kLargestSample ? 1 : 0;
  out.files.push_back({entry.path().string(), std::min(kLargestSample, static_cast<double>(size))});
}

std::vector<std::string> notes_of(const LeftOut& left_out) {
  std::vector<std::string> notes;
  const auto note = [&](std::size_t count, const char* text) {
    if (count > 0) notes.push_back(fmt::format("{} {}.", count, text));
  };
  note(left_out.links, "symbolic links were not followed");
  note(left_out.special, "pipes, sockets or devices were left out");
  note(left_out.empty, "empty files were left out");
  note(left_out.unreadable, "files cannot be read by this user and were left out");
  note(left_out.cut, "files are larger than 64 MiB; a sample is their first 64 MiB");
  if (left_out.too_many) notes.push_back(fmt::format("Only the first {} files found are used.", kMostSampleFiles));
  return notes;
}

}  // namespace

double read_bytes(const SampleFile& file) {
  constexpr double kPage = 4096.0;
  return std::ceil(file.bytes / kPage) * kPage;
}

SampleFiles find_sample_files(const std::filesystem::path& directory) {
  std::error_code error;
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  std::filesystem::recursive_directory_iterator at(directory, options, error);
  if (error) throw WorldError(fmt::format("{}: {}", directory.string(), error.message()));
  SampleFiles out;
  LeftOut left_out;
  for (; at != std::filesystem::recursive_directory_iterator(); at.increment(error)) {
    take_file(*at, out, left_out);
    left_out.too_many = out.files.size() == kMostSampleFiles;
    if (left_out.too_many) break;
  }
  if (error) throw WorldError(fmt::format("{}: {}", directory.string(), error.message()));
  out.notes = notes_of(left_out);
  if (out.files.empty()) {
    std::string why;
    for (const std::string& note : out.notes) why += " " + note;
    throw WorldError(fmt::format("{}: no file to read; a backtest reads the files of a directory as samples.{}",
                                 directory.string(), why));
  }
  std::sort(out.files.begin(), out.files.end(),
            [](const SampleFile& a, const SampleFile& b) { return a.path < b.path; });
  for (const SampleFile& file : out.files) {
    out.bytes += file.bytes;
    out.largest = std::max(out.largest, file.bytes);
  }
  return out;
}

std::vector<std::uint32_t> sample_order(std::size_t files, std::size_t samples, std::uint64_t seed) {
  std::vector<std::uint32_t> order;
  order.reserve(samples + files);
  for (std::uint64_t epoch = 0; order.size() < samples; ++epoch) {
    const std::size_t begin = order.size();
    order.resize(begin + files);
    std::iota(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end(), 0U);
    RandomStream stream(seed, DrawPurpose::kShuffle, epoch);
    for (std::size_t left = files; left > 1; --left) {  // Fisher and Yates
      const auto pick = static_cast<std::size_t>(stream.uniform() * static_cast<double>(left));
      std::swap(order[begin + left - 1], order[begin + pick]);
    }
  }
  order.resize(samples);
  return order;
}

}  // namespace stallcast
