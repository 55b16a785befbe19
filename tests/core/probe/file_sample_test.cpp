#include "core/probe/disk/file_sample.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <map>

#include "core/diagnostics/finding.h"
#include "core/probe/disk/allowance.h"
#include "tests/core/probe/probe_folder.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SampleFiles : public ProbeFolder {
 protected:
  static SampleLimits limits() {
    SampleLimits limits;
    limits.until_s = monotonic_s() + 60.0;
    limits.fetched_bytes = 1e12;
    return limits;
  }
};

TEST_F(SampleFiles, FindsFilesInEveryFolderWithTheirSizes) {
  file("a", 10);
  file("x/b", 20);
  file("x/y/c", 30);
  const FileSample sample = sample_files(folder_, limits());
  EXPECT_EQ(sample.seen, 3);
  EXPECT_EQ(sample.bytes, 60);
  EXPECT_EQ(sample.files.size(), 3u);
  EXPECT_EQ(sample.listed_names, 5);  // 3 files, 2 folders
  EXPECT_TRUE(sample.complete);
  EXPECT_THAT(skipped_notes(sample), IsEmpty());
}

TEST_F(SampleFiles, WalksNoLoopsAndOpensNothingStrange) {
  file("data", 10);
  file("empty", 0);
  std::filesystem::create_directory(folder_ / "inner");
  std::filesystem::create_directory_symlink(folder_, folder_ / "inner/up");
  std::filesystem::create_symlink("self", folder_ / "self");
  std::filesystem::create_symlink("nowhere", folder_ / "dangling");
  std::filesystem::create_symlink("data", folder_ / "alias");
  std::filesystem::create_symlink("/dev/zero", folder_ / "zero");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const FileSample sample = sample_files(folder_, limits());
  EXPECT_EQ(sample.seen, 2);  // data, and alias that leads to it
  EXPECT_EQ(sample.linked_directories.count, 1u);
  EXPECT_EQ(sample.broken_links.count, 2u);
  EXPECT_EQ(sample.special.count, 2u);  // the pipe, and the link to a device
  EXPECT_EQ(sample.empty.count, 1u);
  const std::string notes = all_of(skipped_notes(sample));
  EXPECT_THAT(notes, HasSubstr("left out 1 symbolic links to directories, such as " + (folder_ / "inner/up").string()));
  EXPECT_THAT(notes, HasSubstr("left out 2 pipes, sockets or devices"));
}

TEST_F(SampleFiles, LimitsEndTheWalk) {
  for (int i = 0; i < 50; ++i) file("f" + std::to_string(i), 1);
  SampleLimits few = limits();
  few.names = 20;
  const FileSample sample = sample_files(folder_, few);
  EXPECT_EQ(sample.listed_names, 20);
  EXPECT_FALSE(sample.complete);
  EXPECT_THAT(all_of(skipped_notes(sample)), HasSubstr("in part: 20 names"));
}

// Each of 200 files is one of the 20 kept with probability 1/10; over 400 seeds it is 40 times, with a standard
// deviation of sqrt(400 * 0.09) = 6.
TEST_F(SampleFiles, EveryFileHasTheSameChance) {
  for (int i = 0; i < 200; ++i) file("f" + std::to_string(i), 1);
  std::map<std::string, int> kept;
  SampleLimits some = limits();
  some.files = 20;
  for (some.seed = 0; some.seed < 400; ++some.seed) {
    const FileSample sample = sample_files(folder_, some);
    ASSERT_EQ(sample.files.size(), 20u);
    for (const SampledFile& one : sample.files) ++kept[one.path];
  }
  EXPECT_EQ(kept.size(), 200u);
  for (const auto& [path, times] : kept) EXPECT_NEAR(times, 40, 5 * 6) << path;
}

TEST_F(SampleFiles, SameSeedSameSample) {
  for (int i = 0; i < 50; ++i) file("f" + std::to_string(i), 1);
  SampleLimits some = limits();
  some.files = 10;
  const auto paths = [&] {
    std::vector<std::string> all;
    for (const SampledFile& one : sample_files(folder_, some).files) all.push_back(one.path);
    return all;
  };
  EXPECT_EQ(paths(), paths());
}

TEST_F(SampleFiles, SaysWhatCannotBeATarget) {
  const auto message = [](const std::filesystem::path& target) -> std::string {
    try {
      sample_files(target, limits());
    } catch (const WorldError& error) {
      return error.what();
    }
    return "";
  };
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  file("empty", 0);
  EXPECT_THAT(message(folder_ / "missing"), HasSubstr("No such file"));
  EXPECT_THAT(message(folder_ / "pipe"), HasSubstr("neither a file nor a directory"));
  EXPECT_THAT(message("/dev/zero"), HasSubstr("neither a file nor a directory"));
  EXPECT_THAT(message(folder_ / "empty"), HasSubstr("is empty"));
}

}  // namespace
}  // namespace stallcast
