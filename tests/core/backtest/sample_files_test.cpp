#include "core/backtest/loader/sample_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/diagnostics/finding.h"
#include "tests/core/backtest/temporary_files.h"

namespace stallcast {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(BacktestFiles, AreTheRegularFilesWithContent) {
  const TemporaryFiles directory({100, 0, 3000});
  std::filesystem::create_directory(directory.path() / "below");
  std::filesystem::copy_file(directory.file(0), directory.path() / "below" / "copy");
  std::filesystem::create_directory_symlink(directory.path(), directory.path() / "below" / "loop");
  std::filesystem::create_symlink(directory.file(2), directory.path() / "link");
  ASSERT_EQ(::mkfifo((directory.path() / "pipe").c_str(), 0600), 0);
  const SampleFiles files = find_sample_files(directory.path());
  ASSERT_EQ(files.files.size(), 3U);
  EXPECT_EQ(files.bytes, 100 + 3000 + 100);
  EXPECT_EQ(files.largest, 3000);
  EXPECT_TRUE(std::is_sorted(files.files.begin(), files.files.end(),
                             [](const SampleFile& a, const SampleFile& b) { return a.path < b.path; }));
  EXPECT_THAT(files.notes,
              UnorderedElementsAre(HasSubstr("2 symbolic links"), HasSubstr("1 pipes"), HasSubstr("1 empty files")));
}

TEST(BacktestFiles, OfAnEmptyOrMissingDirectoryAreRefusedWithTheReason) {
  const TemporaryFiles empty({});
  const auto message_of = [](const std::filesystem::path& path) -> std::string {
    try {
      find_sample_files(path);
    } catch (const WorldError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message_of(empty.path()), HasSubstr("no file to read"));
  EXPECT_THAT(message_of(empty.path() / "none"), HasSubstr("No such file or directory"));
  const TemporaryFiles one({10});
  EXPECT_THAT(message_of(one.file(0)), HasSubstr("Not a directory"));
}

// A large file costs no space: it has no content where nothing was written.
TEST(BacktestFiles, TakeTheBeginningOfALargeFile) {
  const TemporaryFiles directory({10});
  std::filesystem::resize_file(directory.file(0), 3 * (std::uintmax_t{64} << 20));
  const SampleFiles files = find_sample_files(directory.path());
  EXPECT_EQ(files.largest, kLargestSample);
  EXPECT_EQ(files.bytes, kLargestSample);
}

TEST(SampleOrder, IsAShuffleOfAllFilesInEveryEpoch) {
  const auto order = sample_order(10, 25, 7);
  ASSERT_EQ(order.size(), 25U);
  for (const std::size_t epoch : {0U, 1U}) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(10 * epoch);
    std::vector<std::uint32_t> one(begin, begin + 10);
    EXPECT_FALSE(std::is_sorted(one.begin(), one.end()));  // 1 in 3.6 million by chance; the seed is fixed
    std::sort(one.begin(), one.end());
    EXPECT_EQ(one, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }
  EXPECT_NE(std::vector<std::uint32_t>(order.begin(), order.begin() + 10),
            std::vector<std::uint32_t>(order.begin() + 10, order.begin() + 20));
}

TEST(SampleOrder, DependsOnTheSeedAlone) {
  EXPECT_EQ(sample_order(50, 70, 3), sample_order(50, 70, 3));
  EXPECT_NE(sample_order(50, 50, 3), sample_order(50, 50, 4));
  // A longer run begins like a shorter one.
  auto longer = sample_order(50, 120, 3);
  longer.resize(70);
  EXPECT_EQ(longer, sample_order(50, 70, 3));
}

}  // namespace
}  // namespace stallcast
