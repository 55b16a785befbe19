#include "core/cost/money/money.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

Money dollars(std::string_view text) { return Money::usd(ExactNumber::parse(text).value()); }

TEST(Money, IsShownToTheCentWithSeparators) {
  EXPECT_EQ(money_text(dollars("0")), "$0.00");
  EXPECT_EQ(money_text(dollars("999.995")), "$1,000.00");  // half to even: 99999.5 cents -> 100000
  EXPECT_EQ(money_text(dollars("1234567.885")), "$1,234,567.88");
  EXPECT_EQ(money_text(dollars("-1234.5")), "-$1,234.50");
  EXPECT_EQ(money_text(dollars("123.4")), "$123.40");
}

TEST(Money, APriceKeepsItsDigits) {
  EXPECT_EQ(price_text(dollars("0.0001917808")), "$0.0001917808");
  EXPECT_EQ(price_text(dollars("32.77")), "$32.77");
  EXPECT_EQ(price_text(dollars("0.3")), "$0.30");
  EXPECT_EQ(price_text(dollars("7")), "$7.00");
}

TEST(Money, TenCentsTenTimesIsADollar) {
  Money sum;
  for (int i = 0; i < 10; ++i) sum += dollars("0.1");
  EXPECT_EQ(sum, dollars("1"));
}

}  // namespace
}  // namespace stallcast
