#include "core/units/size_text.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

TEST(SizeText, HasThreeDigitsAndOneUnit) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(4096), "4 KiB");
  EXPECT_EQ(size_text(131072), "128 KiB");
  EXPECT_EQ(size_text(2055192.0 * 1024.0), "1.96 GiB");  // 2055192 / 1048576 = 1.96
  EXPECT_EQ(size_text(1000.0), "0.977 KiB");             // would be four digits of bytes
  EXPECT_EQ(size_text(1023.9 * 1048576.0), "1 GiB");
}

}  // namespace
}  // namespace stallcast
