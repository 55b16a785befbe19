#include "core/object_probe/arrival_log.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

TEST(ArrivalLog, SumsWhatCameAfterTheFirstMomentAndUntilTheSecond) {
  ArrivalLog log;
  log.add(1.0, 10.0);
  log.add(2.0, 20.0);
  log.add(3.0, 40.0);
  EXPECT_EQ(log.bytes_between(0.0, 9.0), 70.0);
  EXPECT_EQ(log.bytes_between(1.0, 3.0), 60.0);  // what came at the first moment belongs to what was before
  EXPECT_EQ(log.bytes_between(1.5, 2.5), 20.0);
  EXPECT_EQ(log.bytes_between(3.0, 9.0), 0.0);
  EXPECT_EQ(ArrivalLog().bytes_between(0.0, 9.0), 0.0);
}

TEST(ArrivalLog, KeepsTheSumOfArrivalsThatItKeepsAsOne) {
  ArrivalLog log;
  for (int i = 0; i < 10000; ++i) log.add(1.0 + i * 1e-5, 1.0);  // 0.1 s in all
  EXPECT_EQ(log.bytes_between(0.0, 2.0), 10000.0);
  EXPECT_NEAR(log.bytes_between(1.0, 1.05), 5000.0, 101.0);  // a millisecond holds 100
}

}  // namespace
}  // namespace stallcast
