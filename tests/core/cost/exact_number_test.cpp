#include "core/cost/money/exact_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/diagnostics/invariant.h"

namespace stallcast {
namespace {

ExactNumber number(std::string_view text) { return ExactNumber::parse(text).value(); }

TEST(ExactNumber, ReadsDecimalsAndNothingElse) {
  EXPECT_EQ(number("0.0001917808").decimal(), "0.0001917808");
  EXPECT_EQ(number("-2.50").decimal(), "-2.5");
  EXPECT_EQ(number("007").decimal(), "7");  // not octal
  EXPECT_EQ(number(".5") + number("5."), number("5.5"));
  for (const char* text : {"", ".", "-", "1e3", "1.2.3", "$1", " 1", "0x1f", "1,000"})
    EXPECT_FALSE(ExactNumber::parse(text)) << text;
}

TEST(ExactNumber, HoldsADoubleExactlyOrAsItWasWritten) {
  EXPECT_EQ(ExactNumber::exactly(0.1).decimal(), "0.1000000000000000055511151231257827021181583404541015625");
  EXPECT_EQ(ExactNumber::as_written(0.1).decimal(), "0.1");
  EXPECT_EQ(ExactNumber::exactly(-0.75).decimal(), "-0.75");
  EXPECT_EQ(ExactNumber::exactly(1e18).decimal(), "1000000000000000000");
  EXPECT_EQ(ExactNumber::as_written(1e-7).decimal(), "0.0000001");
  EXPECT_EQ(ExactNumber::as_written(21.957642).decimal(), "21.957642");
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(ExactNumber::exactly(smallest).to_double(), smallest);
  EXPECT_THROW(ExactNumber::exactly(std::nan("")), InvariantError);
}

// 0.1 + 0.2 == 0.3, and a third three times is 1: neither holds for doubles and decimals.
TEST(ExactNumber, NeverRoundsByItself) {
  EXPECT_EQ(number("0.1") + number("0.2"), number("0.3"));
  const ExactNumber third = ExactNumber(1) / 3;
  EXPECT_EQ(third + third + third, ExactNumber(1));
  EXPECT_LT(third, number("0.3333333333333333333333333333333333333334"));
}

TEST(ExactNumber, RoundsHalfToEvenWhenShown) {
  EXPECT_EQ(number("0.125").fixed(2), "0.12");
  EXPECT_EQ(number("0.135").fixed(2), "0.14");
  EXPECT_EQ(number("-0.125").fixed(2), "-0.12");
  EXPECT_EQ(number("0.1250000001").fixed(2), "0.13");
  EXPECT_EQ(number("2.5").fixed(0), "2");
  EXPECT_EQ(number("0.004").fixed(2), "0.00");
  EXPECT_EQ((ExactNumber(2) / 3).rounded(3), number("0.667"));
}

TEST(ExactNumber, OnlyDecimalFractionsCanBeWrittenOut) {
  EXPECT_EQ((ExactNumber(1) / 8).decimal(), "0.125");
  EXPECT_THROW((ExactNumber(1) / 3).decimal(), InvariantError);
}

}  // namespace
}  // namespace stallcast
