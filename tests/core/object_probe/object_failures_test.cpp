#include "core/object_probe/http/object_failures.h"

#include <gtest/gtest.h>

#include "core/object_probe/object_asker.h"

namespace stallcast {
namespace {

ObjectPlace bucket_place(const std::string& key_origin) {
  ObjectPlace place;
  place.url = *parse_object_url("s3://train/a.bin").value;
  place.server = "https://train.s3.eu-west-1.amazonaws.com";
  place.region = "eu-west-1";
  place.key_origin = key_origin;
  place.silence_s = 10.0;
  return place;
}

HttpAnswer answer_of(int status, const std::string& code) {
  HttpAnswer answer;
  answer.status = status;
  if (!code.empty()) answer.body = "<Error><Code>" + code + "</Code><Message>key=s3cr3t</Message></Error>";
  return answer;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Refusal, TellsTheReasonsOf403Apart) {
  const ObjectPlace keyed = bucket_place("the environment"), anonymous = bucket_place("");
  EXPECT_TRUE(says(refusal(answer_of(403, "AccessDenied"), keyed, true), "Ask for the right s3:ListBucket"));
  EXPECT_TRUE(says(refusal(answer_of(403, "AccessDenied"), keyed, false), "Ask for the right s3:GetObject"));
  EXPECT_TRUE(says(refusal(answer_of(403, "AccessDenied"), anonymous, false), "Set AWS_ACCESS_KEY_ID"));
  EXPECT_TRUE(says(refusal(answer_of(400, "ExpiredToken"), keyed, true), "Log in again"));
  EXPECT_TRUE(says(refusal(answer_of(403, "RequestTimeTooSkewed"), keyed, true), "Set the clock"));
  EXPECT_TRUE(says(refusal(answer_of(403, "InvalidObjectState"), keyed, false), "archived"));
  EXPECT_TRUE(says(refusal(answer_of(404, "NoSuchKey"), keyed, false), "there is no object s3://train/a.bin"));
}

TEST(Refusal, NeverRepeatsTheServersWords) {
  for (const char* code : {"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "Unheard-of", "NoSuchBucket",
                           "not a word s3cr3t", "AuthorizationHeaderMalformed", ""})
    for (const int status : {301, 400, 403, 404, 418, 500, 503})
      EXPECT_FALSE(says(refusal(answer_of(status, code), bucket_place("the environment"), true), "s3cr3t"))
          << code << status;
}

TEST(Refusal, NamesTheRegionThatTheStoreNames) {
  HttpAnswer answer = answer_of(301, "PermanentRedirect");
  answer.bucket_region = "us-west-2";
  EXPECT_TRUE(says(refusal(answer, bucket_place("the environment"), true), "is in us-west-2, not in eu-west-1"));
  EXPECT_TRUE(says(refusal(answer, bucket_place("the environment"), true), "set AWS_REGION=us-west-2"));
}

TEST(MayPass, IsForWhatTimeMayHeal) {
  for (const int status : {429, 500, 502, 503, 504}) EXPECT_TRUE(may_pass(answer_of(status, ""))) << status;
  for (const int status : {200, 206, 301, 400, 403, 404, 416, 501})
    EXPECT_FALSE(may_pass(answer_of(status, ""))) << status;
  HttpAnswer failed;
  failed.failure = HttpFailure::kCut;
  EXPECT_TRUE(may_pass(failed));
  failed.failure = HttpFailure::kCertificate;
  EXPECT_FALSE(may_pass(failed));
}

// 0.1 s, 0.2 s, 0.4 s, ...; what a server asks for where that is longer; never more than 5 s.
TEST(BackOff, DoublesAndIsBounded) {
  HttpAnswer answer;
  EXPECT_DOUBLE_EQ(back_off_s(0, answer), 0.1);
  EXPECT_DOUBLE_EQ(back_off_s(3, answer), 0.8);
  EXPECT_DOUBLE_EQ(back_off_s(1000, answer), 5.0);
  answer.retry_after_s = 2.0;
  EXPECT_DOUBLE_EQ(back_off_s(0, answer), 2.0);
  answer.retry_after_s = 1e9;
  EXPECT_DOUBLE_EQ(back_off_s(0, answer), 5.0);
}

}  // namespace
}  // namespace stallcast
