// Places of an epoch: steps of a head and a tail one by one, those between by their turn in a wave.
#include "core/steps/places.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

TEST(Places, AreCountedFromTheStartFromTheEndAndWithinAWave) {
  const Places places(4, 3, 2);
  const std::size_t start = cell_of(PhaseKind::kStart), turn = cell_of(PhaseKind::kTurn),
                    training = cell_of(PhaseKind::kTraining), end = cell_of(PhaseKind::kEpochEnd);
  EXPECT_EQ(places.size(), 4U + 4U + 2U + 3U);
  EXPECT_EQ(places.of(start, 3, 20), 3U);
  EXPECT_EQ(places.of(turn, 0, 20), 4U);
  EXPECT_EQ(places.of(training, 4, 20), places.of(training, 6, 20));
  EXPECT_NE(places.of(training, 4, 20), places.of(training, 5, 20));
  EXPECT_EQ(places.of(end, 19, 20), places.size() - 1);
  EXPECT_EQ(places.of(end, 17, 20), places.of(end, 97, 100)) << "the last but two";
  for (std::size_t cell = 0; cell < kCells.size(); ++cell)
    for (std::size_t place = places.first(cell); place < places.last(cell); ++place)
      EXPECT_EQ(places.cell(place), cell);
}

TEST(Places, OfVeryLongEdgesAreCells) {
  const Places places(100'000, 10, 8);
  EXPECT_EQ(places.size(), kCells.size());
  EXPECT_EQ(places.of(cell_of(PhaseKind::kTurn), 77'777, 1'000'000), 1U);
}

TEST(Places, MeanTimesAreOverAllThatIsKnown) {
  const PlaceTimes none, some{{6.0, 0.0, 2.0}, {2.0, 0.0, 1.0}}, more{{0.0, 0.0, 8.0}, {0.0, 0.0, 4.0}};
  EXPECT_DOUBLE_EQ(mean_time(some, none, 0, 1), 3.0);
  EXPECT_DOUBLE_EQ(mean_time(some, more, 1, 2), 0.0);
  EXPECT_DOUBLE_EQ(mean_time(some, more, 2, 3), 2.0);
  EXPECT_DOUBLE_EQ(mean_time(some, more, 0, 3), 16.0 / 7.0);
}

}  // namespace
}  // namespace stallcast
