#include "core/object_probe/http/s3_settings.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/diagnostics/finding.h"
#include "core/object_probe/http/profile_file.h"
#include "tests/core/object_probe/servers.h"

namespace stallcast::testing {
namespace {

class S3SettingsTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((environment_.home() / name).parent_path());
    std::ofstream(environment_.home() / name) << text;
  }
  std::string error_of(ProbeTarget kind) {
    try {
      (void)find_s3_settings(kind);
    } catch (const WorldError& error) {
      return error.what();
    }
    return {};
  }
  CleanEnvironment environment_;
};

TEST(ProfileFile, ReadsSectionsAndPassesOverNestedBlocks) {
  const ProfileSections sections = parse_profiles(
      "# comment\n[default]\nregion = eu-west-1\ns3 =\n  endpoint_url = http://nested\n  region = nested\n"
      "output=json\r\n\n[profile two]\n  region=us-west-2\nnonsense\n");
  EXPECT_EQ(sections.at("default").at("region"), "eu-west-1");
  EXPECT_EQ(sections.at("default").count("endpoint_url"), 0U);
  EXPECT_EQ(sections.at("default").at("output"), "json");
  EXPECT_EQ(sections.at("profile two").at("region"), "us-west-2");
}

TEST_F(S3SettingsTest, WithNothingAtAllRequestsAreAnonymous) {
  const S3Settings settings = find_s3_settings(ProbeTarget::kS3);
  EXPECT_TRUE(settings.credentials.anonymous());
  EXPECT_EQ(settings.region, "us-east-1");
  EXPECT_FALSE(settings.region_given);
  EXPECT_EQ(settings.endpoint, "");
}

TEST_F(S3SettingsTest, EnvironmentComesBeforeProfiles) {
  write(".aws/credentials", "[default]\naws_access_key_id=FILEID\naws_secret_access_key=FILESECRET\n");
  write(".aws/config", "[default]\nregion=eu-north-1\nendpoint_url=http://file\n");
  S3Settings settings = find_s3_settings(ProbeTarget::kS3);
  EXPECT_EQ(settings.credentials.access_key_id, "FILEID");
  EXPECT_EQ(settings.region, "eu-north-1");
  EXPECT_EQ(settings.endpoint, "http://file");
  environment_.set("AWS_ACCESS_KEY_ID", "ENVID");
  environment_.set("AWS_SECRET_ACCESS_KEY", "ENVSECRET");
  environment_.set("AWS_DEFAULT_REGION", "ap-south-1");
  environment_.set("AWS_ENDPOINT_URL", "http://all");
  environment_.set("AWS_ENDPOINT_URL_S3", "http://s3");
  settings = find_s3_settings(ProbeTarget::kS3);
  EXPECT_EQ(settings.credentials.access_key_id, "ENVID");
  EXPECT_EQ(settings.credentials.session_token, "");
  EXPECT_EQ(settings.region, "ap-south-1");
  EXPECT_EQ(settings.endpoint, "http://s3");
}

TEST_F(S3SettingsTest, WhatCannotWorkIsSaidWithoutTheKey) {
  environment_.set("AWS_SECRET_ACCESS_KEY", "ENVSECRET");
  EXPECT_EQ(
      error_of(ProbeTarget::kS3),
      "the environment has AWS_SECRET_ACCESS_KEY but no AWS_ACCESS_KEY_ID: set both, or neither for a public bucket");
  environment_.unset("AWS_SECRET_ACCESS_KEY");
  environment_.set("AWS_PROFILE", "lab");
  EXPECT_EQ(error_of(ProbeTarget::kS3).find("AWS_PROFILE names \"lab\", which is neither in "), 0U);
  write(".aws/config", "[profile lab]\nsso_session = corp\nregion=eu-west-1\n");
  EXPECT_NE(error_of(ProbeTarget::kS3).find("aws configure export-credentials --profile lab"), std::string::npos);
}

TEST_F(S3SettingsTest, GoogleHasItsOwnKeys) {
  environment_.set("AWS_ACCESS_KEY_ID", "AWSID");
  environment_.set("AWS_SECRET_ACCESS_KEY", "AWSSECRET");
  EXPECT_TRUE(find_s3_settings(ProbeTarget::kGcs).credentials.anonymous());
  write(".boto", "[Credentials]\ngs_access_key_id = GOOGID\ngs_secret_access_key = GOOGSECRET\n");
  EXPECT_EQ(find_s3_settings(ProbeTarget::kGcs).credentials.access_key_id, "GOOGID");
  environment_.set("GS_ACCESS_KEY_ID", "GOOGENV");
  environment_.set("GS_SECRET_ACCESS_KEY", "GOOGENVSECRET");
  const S3Settings settings = find_s3_settings(ProbeTarget::kGcs);
  EXPECT_EQ(settings.credentials.access_key_id, "GOOGENV");
  EXPECT_EQ(settings.region, "auto");
}

}  // namespace
}  // namespace stallcast::testing
