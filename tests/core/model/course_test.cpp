// Files that are simulated shorter than those of the run.
#include "core/model/storage/course.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace stallcast {
namespace {

TEST(Course, AReaderOpensAsManyShortenedFilesAsTheirSamplesFillWholeOnes) {
  constexpr std::int64_t kWhole = 10'000;
  // 10,000 shortened files of 10 samples are the samples of 10 whole files, of 7 those of 7.
  for (const std::int64_t shortened : {std::int64_t{10}, std::int64_t{7}}) {
    std::int64_t opened = 0;
    for (std::int64_t nth = 0; nth < 10'000; ++nth) opened += opens_file(nth, shortened, kWhole) ? 1 : 0;
    EXPECT_EQ(opened, 10'000 * shortened / kWhole) << shortened;
  }
}

TEST(Course, AReaderOpensItsFirstFileAndEveryOneThatIsWhole) {
  EXPECT_TRUE(opens_file(0, 1, 1'000'000));
  EXPECT_FALSE(opens_file(1, 1, 1'000'000));
  for (std::int64_t nth = 0; nth < 20; ++nth) EXPECT_TRUE(opens_file(nth, 128, 128)) << nth;
}

TEST(Course, FilesThatAreNotShortenedHaveTheSamplesOfAShard) {
  Scenario s;
  s.dataset.samples_per_shard = 500;
  EpochCourse epoch;
  EXPECT_EQ(epoch.samples_of_file(s), 500);
  epoch.file_samples = 20;
  EXPECT_EQ(epoch.samples_of_file(s), 20);
}

}  // namespace
}  // namespace stallcast
