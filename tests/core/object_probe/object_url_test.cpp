#include "core/object_probe/http/object_url.h"

#include <gtest/gtest.h>

namespace stallcast {
namespace {

TEST(ObjectUrl, ReadsBucketsAndKeysAsWritten) {
  const auto url = parse_object_url("s3://my-bucket/train/a b%20c?d#e");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url.value->kind, ProbeTarget::kS3);
  EXPECT_EQ(url.value->bucket, "my-bucket");
  EXPECT_EQ(url.value->prefix, "train/a b%20c?d#e");
  EXPECT_EQ(url.value->shown, "s3://my-bucket/train/a b%20c?d#e");
  const auto google = parse_object_url("GS://b.c_d-1");
  ASSERT_TRUE(google.ok());
  EXPECT_EQ(google.value->kind, ProbeTarget::kGcs);
  EXPECT_EQ(google.value->prefix, "");
}

TEST(ObjectUrl, KeepsUserAndPasswordApart) {
  const auto url = parse_object_url("https://ann:p%40ss@example.org:8443/a/b?X-Amz-Signature=abc&plain#part");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url.value->user, "ann");
  EXPECT_EQ(url.value->password, "p@ss");
  EXPECT_EQ(url.value->address, "https://example.org:8443/a/b?X-Amz-Signature=abc&plain");
  EXPECT_EQ(url.value->shown, "https://example.org:8443/a/b?X-Amz-Signature=...&...");
}

TEST(ObjectUrl, WrongOnesAreFindingsWithoutSecrets) {
  for (const char* text : {"s3://", "s3://a", "s3://bad bucket/x", "s3://KEYID:SECRETKEY@bucket/x", "ftp://host/x", "x",
                           "s3://bucket/key?X-Amz-Signature=SECRETKEY", "https://ann:SECRETKEY@[bad/x", "http://"}) {
    const auto url = parse_object_url(text);
    EXPECT_FALSE(url.value) << text;
    ASSERT_EQ(url.findings.list().size(), 1U) << text;
    const std::string said = render_finding(url.findings.list().front());
    EXPECT_EQ(said.find("SECRETKEY"), std::string::npos) << said;
    EXPECT_EQ(said.find("KEYID"), std::string::npos) << said;
    EXPECT_NE(said.find("s3://BUCKET[/PREFIX]"), std::string::npos) << said;
  }
}

TEST(ObjectUrl, KnowsItsSchemes) {
  EXPECT_TRUE(is_object_url("s3://b"));
  EXPECT_TRUE(is_object_url("HTTPS://b"));
  EXPECT_FALSE(is_object_url("/mnt/s3"));
  EXPECT_FALSE(is_object_url("file:///x"));
  EXPECT_FALSE(is_object_url("s3:/b"));
}

// RFC 3986, section 2.3: letters, digits, "-", ".", "_" and "~" are not encoded.
TEST(PercentEncoding, LeavesUnreservedBytesAndComesBack) {
  const std::string text = "a/b c+d=e~f-g._ü%";
  EXPECT_EQ(percent_encoded(text, true), "a/b%20c%2Bd%3De~f-g._%C3%BC%25");
  EXPECT_EQ(percent_encoded("a/b", false), "a%2Fb");
  EXPECT_EQ(percent_decoded(percent_encoded(text, true)), text);
}

TEST(ServerOf, IsSchemeHostAndPort) {
  EXPECT_EQ(server_of("https://u:p@Example.org:81/a?b=c"), "https://example.org:81");
  EXPECT_EQ(server_of("http://example.org/a"), "http://example.org");
}

}  // namespace
}  // namespace stallcast
