// A folder of a test's own on a disk, removed with what is in it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/probe/result/probe_result.h"

namespace stallcast {

class ProbeFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::current_path() / (std::string("probe_") + test->name() + "_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A file of `bytes` that no file system stores shorter; from 1 MiB on it is on the disk and not only in the page
  // cache.
  std::filesystem::path file(const std::string& name, std::uint64_t bytes) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::mt19937_64 random(bytes);
    std::vector<std::uint64_t> block(131072);
    {
      std::ofstream out(path, std::ios::binary);
      for (std::uint64_t left = bytes; left > 0;) {
        for (std::uint64_t& word : block) word = random();
        const std::uint64_t part = std::min<std::uint64_t>(left, block.size() * sizeof(std::uint64_t));
        out.write(reinterpret_cast<const char*>(block.data()), static_cast<std::streamsize>(part));
        left -= part;
      }
    }
    if (bytes < 1 << 20) return path;
    const int descriptor = ::open(path.c_str(), O_RDONLY);
    ::fsync(descriptor);
    ::close(descriptor);
    return path;
  }

  std::filesystem::path folder_;
};

inline bool has_flaw(const ProbeResult& result, const std::string& code) {
  return std::any_of(result.flaws.begin(), result.flaws.end(),
                     [&](const ProbeFlaw& flaw) { return flaw.code == code; });
}

inline const ProbeFlaw& flaw_of(const ProbeResult& result, const std::string& code) {
  static const ProbeFlaw none;
  const auto found =
      std::find_if(result.flaws.begin(), result.flaws.end(), [&](const ProbeFlaw& flaw) { return flaw.code == code; });
  return found == result.flaws.end() ? none : *found;
}

inline std::string all_of(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += note + "\n";
  return text;
}

inline std::string all_of(const std::vector<ProbeFlaw>& flaws) {
  std::string text;
  for (const ProbeFlaw& flaw : flaws) text += flaw.code + ": " + flaw.text + "\n";
  return text;
}

}  // namespace stallcast
