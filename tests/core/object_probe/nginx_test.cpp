// The probe against nginx with TLS and a certificate made for the test.
#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "tests/core/object_probe/probing.h"
#include "tests/core/object_probe/servers.h"

namespace stallcast::testing {
namespace {

// {0} folder, {1} port. Answers leave in pieces of 64 KiB, and at /paced/ nginx waits after each as long as the piece
// takes at 4 MiB/s.
constexpr const char* kConfiguration = R"(
daemon off; master_process off; pid {0}/nginx.pid; error_log stderr;
events {{ worker_connections 512; }}
http {{
  access_log off; keepalive_requests 1000000; sendfile off; output_buffers 1 64k;
  client_body_temp_path {0}; proxy_temp_path {0}; fastcgi_temp_path {0}; uwsgi_temp_path {0}; scgi_temp_path {0};
  limit_req_zone $server_addr zone=few:1m rate=20r/s;
  server {{
    listen 127.0.0.1:{1} ssl backlog=512;
    ssl_certificate {0}/own.crt; ssl_certificate_key {0}/own.key;
    root {0}/www;
    location /paced/ {{ alias {0}/www/; limit_rate 4m; }}
    location /few/ {{ alias {0}/www/; limit_req zone=few burst=4 nodelay; }}
    location /busy/ {{ return 503; }}
    location /old/ {{ rewrite ^/old/(.*)$ https://127.0.0.1:{1}/$1 redirect; }}
    location /secret/ {{ return 403; }}
  }}
}}
)";

class ProbeOfNginx : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto nginx = program("nginx"), openssl = program("openssl");
    if (!nginx || !openssl) GTEST_SKIP() << "nginx or openssl is not installed";
    make_files(*openssl);
    const int port = free_port();
    std::ofstream(folder_ / "nginx.conf") << fmt::format(kConfiguration, folder_.path().string(), port);
    server_ =
        std::make_unique<ServerProcess>(std::vector<std::string>{*nginx, "-p", folder_.path().string(), "-c",
                                                                 (folder_ / "nginx.conf").string(), "-e", "stderr"},
                                        folder_.path());
    ASSERT_TRUE(server_->listens(port)) << server_->output();
    address_ = fmt::format("https://127.0.0.1:{}", port);
    environment_.set("CURL_CA_BUNDLE", (folder_ / "own.crt").string());
  }

  void make_files(const std::string& openssl) const {
    ASSERT_EQ(run_quietly({openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                           "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                           (folder_ / "own.key").string(), "-out", (folder_ / "own.crt").string()}),
              0);
    std::filesystem::create_directory(folder_ / "www");
    std::ofstream(folder_ / "www/data.bin") << std::string(4 << 20, 'x');
    std::ofstream(folder_ / "www/empty.bin");
    // nginx drops to an unprivileged user where it was started by root with a master; these may read it anyway
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add);
  }

  CleanEnvironment environment_;
  ScratchFolder folder_;
  std::unique_ptr<ServerProcess> server_;
  std::string address_;
};

// nginx waits 64 KiB / (4 MiB/s) = 15.6 ms, of which it counts whole milliseconds (15), after each of the 16 pieces of
// a range of 1 MiB but the last: at least 15 * 15 ms = 225 ms, so at most 1 MiB / 0.225 s = 4.4 MiB/s. Timers wake
// late, on a busy machine by several milliseconds each: half the rate is allowed for that. Streams share nothing else,
// so four have four times the rate of one; a machine that is busy during one of the two points moves that by up to 40
// %.
TEST_F(ProbeOfNginx, FindsTheRateOfAStreamAndThatStreamsAdd) {
  const Outcome outcome = probe(address_ + "/paced/data.bin", options_of(16.0, 1024 * kMiB, 4));
  ASSERT_EQ(outcome.error, "");
  const ReadPoint one = point_of(outcome.result, AccessPattern::kRandom, 1 * kMiB, 1);
  const ReadPoint four = point_of(outcome.result, AccessPattern::kRandom, 1 * kMiB, 4);
  EXPECT_EQ(one.engine, "https");
  EXPECT_LE(one.bytes_per_s(), 1 * kMiB / 0.225);
  EXPECT_GE(one.bytes_per_s(), 2 * kMiB);
  EXPECT_NEAR(four.bytes_per_s() / one.bytes_per_s(), 4.0, 1.6);
  EXPECT_LT(one.first_byte.quantile(0.5), 0.05);
  // Streams that add are no limit. A busy machine adds noise, whose size is its own; nothing else is to be found.
  EXPECT_TRUE(has_flaw(outcome.result, "knee_not_reached")) << outcome.everything;
  for (const char* code :
       {"one_visit", "page_cache", "one_request_size", "timer", "errors", "throttled", "connections"})
    EXPECT_FALSE(has_flaw(outcome.result, code)) << outcome.everything;
}

// 20 requests/s and bursts of 4 are let through: what is answered in a point of t seconds is 4 + 20 t at the most.
TEST_F(ProbeOfNginx, CountsWhatALimitOfRequestsRefuses) {
  const Outcome outcome = probe(address_ + "/few/data.bin", options_of(8.0, 512 * kMiB, 4));
  ASSERT_EQ(outcome.error, "");
  double throttled = 0.0;
  for (const ReadPoint& point : outcome.result.points) {
    throttled += point.throttled;
    EXPECT_LE(point.requests, 5.0 + 20.0 * point.seconds);
  }
  EXPECT_GT(throttled, 0.0);
  EXPECT_TRUE(has_flaw(outcome.result, "throttled"));
}

TEST_F(ProbeOfNginx, FollowsARedirect) {
  const Outcome outcome = probe(address_ + "/old/data.bin", options_of(2.0, 64 * kMiB, 2));
  EXPECT_EQ(outcome.error, "");
  EXPECT_GT(outcome.result.bytes, 0.0);
}

TEST_F(ProbeOfNginx, CertificateThatNobodyVouchesForIsRefused) {
  environment_.unset("CURL_CA_BUNDLE");
  const Outcome outcome = probe(address_ + "/data.bin", options_of(4.0, 64 * kMiB, 2));
  EXPECT_NE(outcome.error.find("The certificate of " + address_ + " is not to be trusted"), std::string::npos)
      << outcome.error;
  EXPECT_NE(outcome.error.find("CURL_CA_BUNDLE"), std::string::npos) << outcome.error;
  EXPECT_EQ(outcome.result.bytes, 0.0);
  environment_.set("SSL_CERT_FILE", (folder_ / "own.crt").string());
  EXPECT_EQ(probe(address_ + "/data.bin", options_of(2.0, 64 * kMiB, 2)).error, "");
  environment_.set("CURL_CA_BUNDLE", (folder_ / "no_such.crt").string());
  const std::string bad_file = probe(address_ + "/data.bin", options_of(2.0, 64 * kMiB, 2)).error;
  EXPECT_NE(bad_file.find("The file of trusted authorities cannot be read"), std::string::npos) << bad_file;
}

TEST_F(ProbeOfNginx, MissingForbiddenEmptyAndBusyAreToldApart) {
  const auto error_of = [&](const std::string& path) {
    return probe(address_ + path, options_of(4.0, 64 * kMiB, 2)).error;
  };
  EXPECT_NE(error_of("/no_such.bin").find("(HTTP 404). Check the name"), std::string::npos);
  EXPECT_NE(error_of("/secret/data.bin").find("(HTTP 403). Is a user and password missing"), std::string::npos);
  EXPECT_NE(error_of("/empty.bin").find("is empty: there is nothing to read"), std::string::npos)
      << error_of("/empty.bin");
  EXPECT_NE(error_of("/busy/data.bin").find("refused every request because of their rate (HTTP 503)"),
            std::string::npos);
}

TEST_F(ProbeOfNginx, PlainRequestToATlsPortIsReported) {
  const std::string plain = "http" + address_.substr(5) + "/data.bin";
  const Outcome outcome = probe(plain, options_of(2.0, 64 * kMiB, 2));
  EXPECT_NE(outcome.error.find("HTTP 400"), std::string::npos) << outcome.error;
}

}  // namespace
}  // namespace stallcast::testing
