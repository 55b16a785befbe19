#include "core/object_probe/http/s3_answer.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

TEST(S3Answer, ReadsAPage) {
  const auto page = parse_s3_list(R"(<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><IsTruncated>true</IsTruncated>
<NextContinuationToken>1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=</NextContinuationToken>
<Contents><Key>a&amp;b.bin</Key><Size>5368709120</Size><StorageClass>GLACIER</StorageClass></Contents>
<Contents><Key>c</Key><Size>0</Size></Contents></ListBucketResult>)");
  ASSERT_TRUE(page);
  ASSERT_EQ(page->objects.size(), 2U);
  EXPECT_EQ(page->objects[0].key, "a&b.bin");
  EXPECT_EQ(page->objects[0].bytes, 5368709120.0);
  EXPECT_EQ(page->objects[0].storage_class, "GLACIER");
  EXPECT_EQ(page->objects[1].bytes, 0.0);
  EXPECT_EQ(page->next, "1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=");
}

// Where keys are encoded, a blank is "+" and a plus "%2B", as in forms.
TEST(S3Answer, DecodesKeysWhereTheStoreSaysThatTheyAreEncoded) {
  const std::string contents = "<Contents><Key>a+b%2Bc</Key><Size>1</Size></Contents></ListBucketResult>";
  EXPECT_EQ(parse_s3_list("<ListBucketResult><EncodingType>url</EncodingType>" + contents)->objects[0].key, "a b+c");
  EXPECT_EQ(parse_s3_list("<ListBucketResult>" + contents)->objects[0].key, "a+b%2Bc");
}

// -1: not known. Taken as a number, the second would be infinite and the third not even that.
TEST(S3Answer, SizesAreWholeNumbersOrNotKnown) {
  EXPECT_EQ(byte_count("5368709120"), 5368709120.0);
  for (const char* size : {"1e999", "inf", "nan", "-5", "*", "", "99999999999999999999", "12k"}) {
    EXPECT_EQ(byte_count(size), -1.0) << size;
    const std::string contents = "<Contents><Key>a</Key><Size>" + std::string(size) + "</Size></Contents>";
    const auto page = parse_s3_list("<ListBucketResult>" + contents + "</ListBucketResult>");
    ASSERT_TRUE(page);
    EXPECT_EQ(page->objects[0].bytes, -1.0) << size;
  }
}

TEST(S3Answer, WhatIsNoListIsNone) {
  EXPECT_FALSE(parse_s3_list(""));
  EXPECT_FALSE(parse_s3_list("<html><body>Sign in</body></html>"));
  EXPECT_FALSE(parse_s3_list("<ListBucketResult><Contents>"));
  EXPECT_FALSE(parse_s3_list("{\"a\": 1}"));
  std::string deep;
  for (int i = 0; i < 1000000; ++i) deep += "<a>";
  EXPECT_FALSE(parse_s3_list(deep));
}

TEST(S3Answer, ErrorsKeepPlainWordsOnly) {
  const S3Error error = parse_s3_error(
      "<Error><Code>AuthorizationHeaderMalformed</Code><Message>the region is wrong</Message>"
      "<Region>eu-west-1</Region><StringToSign>AWS4</StringToSign></Error>");
  EXPECT_EQ(error.code, "AuthorizationHeaderMalformed");
  EXPECT_EQ(error.region, "eu-west-1");
  EXPECT_EQ(parse_s3_error("<Error><Code>key=AKID secret</Code></Error>").code, "");
  EXPECT_EQ(parse_s3_error("not found").code, "");
}

}  // namespace
}  // namespace stallcast
