// The probe against a real S3-speaking server, s3rver from npm, which recomputes the signature of every request.
#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "tests/core/object_probe/probing.h"
#include "tests/core/object_probe/servers.h"

namespace stallcast::testing {
namespace {

constexpr const char* kKeyId = "AKIDofTheTest42";
constexpr const char* kSecret = "s3cretOf/The+Test42";

class ProbeOfAnS3Server : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto node = program("node");
    if (!node) GTEST_SKIP() << "node is not installed";
    if (run_quietly({"/bin/sh", STALLCAST_SOURCE_DIR "/tests/core/object_probe/install_s3rver.sh",
                     STALLCAST_S3RVER_FOLDER}) != 0)
      GTEST_SKIP() << "s3rver cannot be installed: npm or the network is missing, or node is too old";
    std::filesystem::create_directory(folder_ / "data");
    server_ = std::make_unique<ServerProcess>(
        std::vector<std::string>{*node, STALLCAST_SOURCE_DIR "/tests/core/object_probe/s3_server.js",
                                 STALLCAST_S3RVER_FOLDER, (folder_ / "data").string(), kKeyId, kSecret},
        folder_.path());
    const auto port = server_->number_after("port ");
    ASSERT_TRUE(port) << server_->output();
    endpoint_ = fmt::format("http://127.0.0.1:{}", *port);
    environment_.set("AWS_ENDPOINT_URL_S3", endpoint_);
    use_key(kKeyId, kSecret);
  }

  void use_key(const std::string& id, const std::string& secret) {
    environment_.set("AWS_ACCESS_KEY_ID", id);
    environment_.set("AWS_SECRET_ACCESS_KEY", secret);
  }

  Outcome probe_here(const std::string& url) const {
    Outcome outcome = probe(url, options_of(4.0, 256 * kMiB, 4));
    expect_no_secret(outcome, {kKeyId, kSecret, "AnotherSecretThatIsWrong", "AKIDnobodyKnows", "Signature="});
    return outcome;
  }

  CleanEnvironment environment_;
  ScratchFolder folder_;
  std::unique_ptr<ServerProcess> server_;
  std::string endpoint_;
};

TEST_F(ProbeOfAnS3Server, ListsAndReadsRangesWithTheRightKey) {
  const Outcome outcome = probe_here("s3://train-bucket/train/");
  ASSERT_EQ(outcome.error, "");
  const ProbeResult& result = outcome.result;
  EXPECT_EQ(result.target_kind, ProbeTarget::kS3);
  EXPECT_EQ(result.target, "s3://train-bucket/train/");
  EXPECT_EQ(result.files_seen, 10.0);
  EXPECT_EQ(result.files_bytes, 20 * kMiB);
  EXPECT_EQ(point_of(result, AccessPattern::kList, 0, 1).requests, 10.0);
  for (const double size : {128 * kKiB, 1 * kMiB}) {
    const ReadPoint point = point_of(result, AccessPattern::kRandom, size, 1);
    EXPECT_GT(point.requests, 0.0);
    EXPECT_GT(point.first_byte.quantile(0.5), 0.0);
    EXPECT_EQ(point.errors, 0.0);
  }
  EXPECT_EQ(point_of(result, AccessPattern::kWholeFile, 0, 1).request_bytes, 2 * kMiB);
  EXPECT_TRUE(has_note(result, "no ranges of 8 MiB"));
}

// The signature covers the name as it stands in the request: blanks, +, = and letters beyond ASCII included.
TEST_F(ProbeOfAnS3Server, ReadsAwkwardNames) {
  const Outcome outcome = probe_here("s3://train-bucket/odd/a=b");
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.result.files_bytes, 3 * kMiB);
  EXPECT_GT(point_of(outcome.result, AccessPattern::kRandom, 1 * kMiB, 1).requests, 0.0);
}

TEST_F(ProbeOfAnS3Server, WrongSecretAndUnknownKeyAreToldApart) {
  use_key(kKeyId, "AnotherSecretThatIsWrong");
  const std::string secret = probe_here("s3://train-bucket").error;
  EXPECT_NE(secret.find("SignatureDoesNotMatch: the secret key from the environment does not belong"),
            std::string::npos)
      << secret;
  use_key("AKIDnobodyKnows", kSecret);
  const std::string key = probe_here("s3://train-bucket").error;
  EXPECT_NE(key.find("InvalidAccessKeyId: " + endpoint_ + " does not know the access key id"), std::string::npos)
      << key;
}

TEST_F(ProbeOfAnS3Server, MissingAndEmptyBucketsAreToldApart) {
  const std::string missing = probe_here("s3://no-such-bucket").error;
  EXPECT_NE(missing.find("NoSuchBucket: there is no bucket no-such-bucket at " + endpoint_), std::string::npos)
      << missing;
  const std::string empty = probe_here("s3://empty-bucket").error;
  EXPECT_NE(empty.find("s3://empty-bucket is empty"), std::string::npos) << empty;
  const std::string zero = probe_here("s3://train-bucket/nothing/").error;
  EXPECT_NE(zero.find("1 objects, all of them empty or archived"), std::string::npos) << zero;
}

TEST_F(ProbeOfAnS3Server, GoogleKeysAndProfilesWorkToo) {
  environment_.set("STORAGE_EMULATOR_HOST", endpoint_);
  std::ofstream(environment_.home() / ".boto")
      << "[Credentials]\ngs_access_key_id = " << kKeyId << "\ngs_secret_access_key = " << kSecret << "\n";
  const Outcome google = probe_here("gs://train-bucket/train/");
  ASSERT_EQ(google.error, "");
  EXPECT_EQ(google.result.target_kind, ProbeTarget::kGcs);

  environment_.unset("AWS_ACCESS_KEY_ID");
  environment_.unset("AWS_SECRET_ACCESS_KEY");
  environment_.unset("AWS_ENDPOINT_URL_S3");
  std::filesystem::create_directory(environment_.home() / ".aws");
  std::ofstream(environment_.home() / ".aws/credentials")
      << "[lab]\naws_access_key_id=" << kKeyId << "\naws_secret_access_key=" << kSecret << "\n";
  std::ofstream(environment_.home() / ".aws/config") << "[profile lab]\nendpoint_url = " << endpoint_ << "\n";
  environment_.set("AWS_PROFILE", "lab");
  EXPECT_EQ(probe_here("s3://train-bucket/train/").error, "");
}

// s3rver lets everybody read.
TEST_F(ProbeOfAnS3Server, WithoutAKeyRequestsAreNotSigned) {
  environment_.unset("AWS_ACCESS_KEY_ID");
  environment_.unset("AWS_SECRET_ACCESS_KEY");
  EXPECT_EQ(probe_here("s3://train-bucket/train/").error, "");
}

}  // namespace
}  // namespace stallcast::testing
