#include "core/report/words/text_layout.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

// What is left of 1 after all causes may be a rounding error below 0.
TEST(Percent, HasTenthsAndNoMinusBeforeZero) {
  EXPECT_EQ(percent(0.7864), "78.6 %");
  EXPECT_EQ(percent(0.9996), "100.0 %");
  EXPECT_EQ(percent(-1e-17), "0.0 %");
  EXPECT_EQ(percent(-0.0), "0.0 %");
  EXPECT_EQ(percent(-0.0004), "0.0 %");
  EXPECT_EQ(percent(-0.012), "-1.2 %");
}

}  // namespace
}  // namespace stallcast
