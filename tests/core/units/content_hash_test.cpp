#include "core/units/content_hash.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

// Expected values by another implementation: Python's uuid.uuid5(uuid.NAMESPACE_OID, ...).
TEST(ContentHash, IsANameBasedUuid) {
  EXPECT_EQ(content_hash("stallcast"), "5e5d4a32-2c57-514e-aa72-cc8656d7aba8");
  EXPECT_EQ(content_hash(""), "0a68eb57-c88a-5f34-9e9d-27f85e68af4f");
}

TEST(ContentHash, OfMoreTextsGoesOnInTheNameSpaceOfTheOneBefore) {
  ContentHash hash;
  hash.add("stallcast");
  hash.add("second");
  EXPECT_EQ(hash.text(), "8ed0982b-5667-5238-82ac-016d07a03e50");
}

}  // namespace
}  // namespace stallcast
