// The probe against a server that misbehaves in known ways (fault_server.py says in which).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stop_token>
#include <utility>

#include "core/object_probe/http/http_pool.h"
#include "core/probe/disk/monotonic_clock.h"
#include "core/probe/probe_plan.h"
#include "tests/core/object_probe/probing.h"
#include "tests/core/object_probe/servers.h"

namespace stallcast::testing {
namespace {

using nlohmann::json;

class ProbeOfAFaultyServer : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto python = program("python3");
    if (!python) GTEST_SKIP() << "python3 is not installed";
    server_ = std::make_unique<ServerProcess>(
        std::vector<std::string>{*python, STALLCAST_SOURCE_DIR "/tests/core/object_probe/fault_server.py"},
        folder_.path());
    const auto port = server_->number_after("port ");
    ASSERT_TRUE(port) << server_->output();
    port_ = *port;
  }

  std::string server() const { return fmt::format("http://127.0.0.1:{}", port_); }
  std::string url(const std::string& path) const { return server() + path; }

  json stats() const {
    HttpPool pool({}, 1, 5.0);
    pool.start({.url = url("/stats"), .body_limit = 1e6, .keep_body = true, .tag = 0});
    for (int i = 0; i < 100; ++i)
      for (const HttpAnswer& answer : pool.wait(0.1)) return json::parse(answer.body);
    return {};
  }

  void use_store() {
    environment_.set("AWS_ENDPOINT_URL_S3", server());
    environment_.set("AWS_ACCESS_KEY_ID", "AKIDknownTestKey");
    environment_.set("AWS_SECRET_ACCESS_KEY", "kept/Secret+Of1The2Test");
    environment_.set("AWS_SESSION_TOKEN", "TokenOfTheSession123");
    environment_.set("AWS_REGION", "us-east-1");
  }
  std::vector<std::string> secrets() const {
    std::vector<std::string> all = {"AKIDknownTestKey", "kept/Secret+Of1The2Test", "TokenOfTheSession123"};
    const json counted = stats();
    for (const json& signature : counted["signatures"]) all.push_back(signature);
    return all;
  }

  CleanEnvironment environment_;
  ScratchFolder folder_;
  std::unique_ptr<ServerProcess> server_;
  int port_ = 0;
};

// The server sleeps 80 ms before the first byte: sleeps are never shorter, and half of them not 40 ms longer, unless
// the machine is overloaded. One in flight of 128 KiB then gives at most 128 KiB / 80 ms.
TEST_F(ProbeOfAFaultyServer, SlowFirstByteIsLatencyAndBoundsTheRateOfOneInFlight) {
  const Outcome outcome = probe(url("/slow/80/8388608"), options_of(6.0, 512 * kMiB, 2));
  ASSERT_EQ(outcome.error, "");
  const ReadPoint point = point_of(outcome.result, AccessPattern::kRandom, 128 * kKiB, 1);
  EXPECT_GE(point.first_byte.quantile(0.5), 0.080);
  EXPECT_LE(point.first_byte.quantile(0.5), 0.120);
  EXPECT_GE(point.latency.quantile(0.5), point.first_byte.quantile(0.5));
  EXPECT_LE(point.bytes_per_s(), 128 * kKiB / 0.080);
}

// Four requests at a time, 50 ms each: n in flight give min(n, 4) / 50 ms = 20, 40, 80, 80, 80 requests/s, so the curve
// ends with 16 in flight (two doublings without gain). A machine under load can make a doubling look like a gain, so
// what is compared is what was measured: n is visited if and only if n/2 or n/4 had gained 5 % on the best before.
// Little's law holds whatever the noise: what is in flight is rate times latency.
TEST_F(ProbeOfAFaultyServer, FindsWhereMoreInFlightGivesNoMore) {
  ProbeOptions options = options_of(16.0, 512 * kMiB, 64);
  std::map<double, double> first_rate;  // bytes/s of the first visit, by requests in flight
  options.measured = [&](const ReadPoint& point) {
    if (point.pattern == AccessPattern::kRandom && point.request_bytes == 128 * kKiB)
      first_rate.emplace(point.in_flight, point.bytes_per_s());
  };
  const Outcome outcome = probe(url("/slots/4/50/131072"), options);
  ASSERT_EQ(outcome.error, "");
  const auto at = [&](double n) { return point_of(outcome.result, AccessPattern::kRandom, 128 * kKiB, n); };
  EXPECT_LE(at(1).requests_per_s(), 20.0 * 1.02);
  EXPECT_GE(at(1).requests_per_s(), 15.0);
  EXPECT_LE(at(4).requests_per_s(), 80.0 * 1.2);  // completions come four at a time: one group more or less of ten
  EXPECT_GE(at(4).requests_per_s() / at(1).requests_per_s(), 3.0);
  EXPECT_LE(at(16).requests_per_s() / at(4).requests_per_s(), 1.25);
  for (const double n : {1.0, 4.0, 16.0})
    EXPECT_NEAR(at(n).requests_per_s() * at(n).latency.mean_s / n, 1.0, 0.25) << n << " in flight";

  double best = 0.0;
  bool gained = true;
  for (double n = 1.0; n <= 64.0; n *= 2.0) {
    const bool gained_before = std::exchange(gained, first_rate[n] >= (1.0 + kWorthwhileGain) * best);
    best = std::max(best, first_rate[n]);
    const bool goes_on = (gained || gained_before) && n < 64.0;
    EXPECT_EQ(first_rate.contains(2.0 * n), goes_on) << "after " << n << " in flight";
    if (!goes_on) break;
  }
}

// 20 ms for each request and nothing else: no flaw that only files have, and none that needs a second visit.
TEST_F(ProbeOfAFaultyServer, PointsAreVisitedTwiceAndASteadyServerIsNotBlamed) {
  const Outcome outcome = probe(url("/slow/20/1048576"), options_of(8.0, 512 * kMiB, 4));
  ASSERT_EQ(outcome.error, "");
  EXPECT_LE(outcome.result.seconds, 8.5);
  for (const ReadPoint& point : outcome.result.points) {
    ASSERT_EQ(point.slice_visit.size(), point.slice_bytes_per_s.size());
    ASSERT_EQ(point.slice_at_s.size(), point.slice_bytes_per_s.size());
    EXPECT_GE(point.slice_visit.back(), 1) << point.request_bytes << " " << point.in_flight;
    EXPECT_TRUE(std::is_sorted(point.slice_at_s.begin(), point.slice_at_s.end()));
    EXPECT_GT(point.slice_at_s.front(), 0.0);
    EXPECT_LT(point.slice_at_s.back(), outcome.result.seconds);
  }
  for (const char* code : {"one_visit", "page_cache", "one_request_size", "timer", "errors", "throttled", "gave_up"})
    EXPECT_FALSE(has_flaw(outcome.result, code)) << outcome.everything;
}

// Four times as slow from 3 of 8 s on, where second visits are still to come: each point then differs by up to ln 4
// between its visits, which no noise of a few per cent hides.
TEST_F(ProbeOfAFaultyServer, CreditsThatRunOutAreADrift) {
  const Outcome outcome = probe(url("/credits/3/20/1048576"), options_of(8.0, 512 * kMiB, 4));
  ASSERT_EQ(outcome.error, "");
  EXPECT_TRUE(has_flaw(outcome.result, "rate_drifts")) << outcome.everything;
  EXPECT_TRUE(outcome.result.refused()) << outcome.everything;
}

// What the server sent in bodies, by its own count, is what the probe says it received, and no more than allowed.
TEST_F(ProbeOfAFaultyServer, ReceivesWhatItWasAllowedAndCountsWhatWasSent) {
  const Outcome outcome = probe(url("/plain/67108864"), options_of(20.0, 96 * kMiB, 8));
  ASSERT_EQ(outcome.error, "");
  EXPECT_LE(outcome.result.bytes, 96 * kMiB);
  EXPECT_GT(outcome.result.bytes, 32 * kMiB);
  EXPECT_EQ(outcome.result.bytes, stats()["body_bytes"].get<double>());
  double measured = 0.0;
  for (const ReadPoint& point : outcome.result.points) measured += point.bytes;
  EXPECT_LE(measured, outcome.result.bytes);
  EXPECT_FALSE(outcome.result.interrupted);
}

TEST_F(ProbeOfAFaultyServer, KeepsConnectionsOpen) {
  const Outcome outcome = probe(url("/plain/1048576"), options_of(4.0, 256 * kMiB, 8));
  ASSERT_EQ(outcome.error, "");
  const json counted = stats();
  // 8 in flight, one that looked first, and the one that asks for the numbers
  EXPECT_LE(counted["connections"].get<double>(), 10.0);
  EXPECT_GT(counted["requests"].get<double>(), 100.0);
  EXPECT_FALSE(has_flaw(outcome.result, "connections"));
}

TEST_F(ProbeOfAFaultyServer, TimeIsKept) {
  const Outcome outcome = probe(url("/slow/200/67108864"), options_of(2.0, 2048 * kMiB, 64));
  ASSERT_EQ(outcome.error, "");
  EXPECT_LE(outcome.result.seconds, 2.5);  // what is under way at the end is abandoned
}

TEST_F(ProbeOfAFaultyServer, ThatIgnoresRangeIsCutOffAndNamed) {
  const Outcome outcome = probe(url("/no_range/33554432"), options_of(5.0, 128 * kMiB, 4));
  ASSERT_EQ(outcome.error, "");
  EXPECT_TRUE(has_flaw(outcome.result, "range_ignored"));
  EXPECT_TRUE(has_note(outcome.result, "ignores Range"));
  EXPECT_TRUE(has_flaw(outcome.result, "connections"));  // each cut closes one
  EXPECT_LE(outcome.result.bytes, 128 * kMiB);
  EXPECT_GT(point_of(outcome.result, AccessPattern::kRandom, 128 * kKiB, 1).requests, 0.0);
}

// RFC 9110, 14.4: a server may leave the length of the whole out.
TEST_F(ProbeOfAFaultyServer, ThatDoesNotSayTheLengthIsReadFromTheStart) {
  const Outcome outcome = probe(url("/unsized/33554432"), options_of(3.0, 64 * kMiB, 4));
  ASSERT_EQ(outcome.error, "");
  const ReadPoint point = point_of(outcome.result, AccessPattern::kRandom, 128 * kKiB, 1);
  EXPECT_GT(point.requests, 0.0);
  EXPECT_EQ(point.errors, 0.0);
}

TEST_F(ProbeOfAFaultyServer, ConnectionsCutMidReadAreErrorsAndTriedAgain) {
  const Outcome outcome = probe(url("/cut/10/8388608"), options_of(5.0, 512 * kMiB, 4));
  ASSERT_EQ(outcome.error, "");
  double errors = 0.0, throttled = 0.0, requests = 0.0;
  for (const ReadPoint& point : outcome.result.points) {
    errors += point.errors;
    throttled += point.throttled;
    requests += point.requests;
  }
  EXPECT_GT(errors, 0.0);
  EXPECT_EQ(throttled, 0.0);
  EXPECT_GT(requests, errors);  // nine of ten are served
  EXPECT_TRUE(has_flaw(outcome.result, "errors"));
}

TEST_F(ProbeOfAFaultyServer, ThatCutsEverythingIsReported) {
  const Outcome outcome = probe(url("/cut/1/8388608"), options_of(10.0, 512 * kMiB, 4));
  EXPECT_NE(outcome.error.find("cuts the connection before its answer is complete"), std::string::npos)
      << outcome.error;
}

TEST_F(ProbeOfAFaultyServer, StormOf503EndsThePointsAndRefusesTheProbe) {
  const Outcome outcome = probe(url("/storm/60/8388608"), options_of(8.0, 2048 * kMiB, 4));
  ASSERT_EQ(outcome.error, "");
  double throttled = 0.0;
  for (const ReadPoint& point : outcome.result.points) {
    throttled += point.throttled;
    EXPECT_LE(point.throttled, point.errors);
  }
  EXPECT_GE(throttled, 3.0);
  EXPECT_TRUE(has_note(outcome.result, "refused for their rate (HTTP 503)")) << outcome.everything;
  EXPECT_TRUE(has_flaw(outcome.result, "throttled"));
  EXPECT_TRUE(outcome.result.refused());
  // Pauses double, so a storm meets with few requests: not the thousands that a loop without pauses would send.
  EXPECT_LE(stats()["requests"].get<double>(), 60.0 + 120.0);
}

// Every 20th answer is 503: about one in twenty of those asked, far from the half that would refuse the probe. The
// share d of them widens by sqrt(1 + (d / 0.05)^2). (What the pauses after them do to the rates is no part of this
// flaw.)
TEST_F(ProbeOfAFaultyServer, FewRefusalsAreCountedAndWiden) {
  const Outcome outcome = probe(url("/flaky/20/1048576"), options_of(5.0, 512 * kMiB, 4));
  ASSERT_EQ(outcome.error, "");
  double asked = 0.0, throttled = 0.0;
  for (const ReadPoint& point : outcome.result.points) {
    asked += point.requests + point.errors;
    throttled += point.throttled;
    EXPECT_EQ(point.errors, point.throttled);
  }
  EXPECT_NEAR(throttled / asked, 0.05, 0.02);  // ramps are not in `asked`
  const auto flaw = std::find_if(outcome.result.flaws.begin(), outcome.result.flaws.end(),
                                 [](const ProbeFlaw& one) { return one.code == "throttled"; });
  ASSERT_NE(flaw, outcome.result.flaws.end()) << outcome.everything;
  EXPECT_EQ(flaw->weight, ProbeFlaw::Weight::kWiden);
  EXPECT_NEAR(flaw->widen, std::hypot(1.0, throttled / asked / 0.05), 1e-9);
  EXPECT_FALSE(has_flaw(outcome.result, "errors"));
}

TEST_F(ProbeOfAFaultyServer, OnlyEverRefusingIsAnError) {
  const Outcome outcome = probe(url("/all503/8388608"), options_of(10.0, 512 * kMiB, 4));
  EXPECT_NE(outcome.error.find("refused every request because of their rate (HTTP 503 SlowDown)"), std::string::npos)
      << outcome.error;
}

TEST_F(ProbeOfAFaultyServer, SilenceIsBounded) {
  const double began_s = monotonic_s();
  const Outcome outcome = probe(url("/silent"), options_of(3.0, 512 * kMiB, 4));
  EXPECT_NE(outcome.error.find(server()), std::string::npos) << outcome.error;
  EXPECT_LE(monotonic_s() - began_s, 4.0);
}

TEST_F(ProbeOfAFaultyServer, RedirectsAreFollowedAndLoopsNamed) {
  const Outcome followed = probe(url("/moved/plain/1048576"), options_of(2.0, 64 * kMiB, 2));
  ASSERT_EQ(followed.error, "");
  EXPECT_GT(followed.result.bytes, 0.0);
  const Outcome loop = probe(url("/loop"), options_of(2.0, 64 * kMiB, 2));
  EXPECT_NE(loop.error.find("redirected more than 5 times"), std::string::npos) << loop.error;
}

TEST_F(ProbeOfAFaultyServer, MissingObjectRefusedConnectionAndUnknownHostAreToldApart) {
  const ProbeOptions options = options_of(4.0, 64 * kMiB, 2);
  const std::string missing = probe(url("/nothing.bin"), options).error;
  EXPECT_NE(missing.find("has no " + url("/nothing.bin") + " (HTTP 404)"), std::string::npos) << missing;
  const std::string refused = probe(fmt::format("http://127.0.0.1:{}/x", free_port()), options).error;
  EXPECT_NE(refused.find("Nobody answers at http://127.0.0.1:"), std::string::npos) << refused;
  const std::string unknown = probe("http://no-such-host.invalid/x", options).error;
  EXPECT_NE(unknown.find("http://no-such-host.invalid is not known"), std::string::npos) << unknown;
}

TEST_F(ProbeOfAFaultyServer, StopKeepsWhatWasMeasured) {
  std::stop_source stop;
  ProbeOptions options = options_of(30.0, 2048 * kMiB, 8);
  options.stop = stop.get_token();
  options.progress = [&](const ProbeProgress& progress) {
    if (progress.seconds > 3.0) stop.request_stop();
  };
  const Outcome outcome = probe(url("/slow/20/8388608"), options);
  ASSERT_EQ(outcome.error, "");
  EXPECT_TRUE(outcome.result.interrupted);
  EXPECT_FALSE(outcome.result.points.empty());
  EXPECT_LE(outcome.result.seconds, 4.0);
}

TEST_F(ProbeOfAFaultyServer, SecretsOfAUrlAreNotShown) {
  const std::string signature = "5ig0fTheUrl77";
  for (const char* path : {"/plain/1048576", "/nothing", "/all503/100", "/cut/1/100"}) {
    const Outcome outcome =
        probe(fmt::format("http://ann:pa55w0rdOfAnn@127.0.0.1:{}{}?X-Amz-Signature={}&versionId=v9v9", port_, path,
                          signature),
              options_of(2.0, 64 * kMiB, 2));
    expect_no_secret(outcome, {"pa55w0rdOfAnn", signature, "v9v9", "ann:"});
    const std::string& shown = outcome.error.empty() ? outcome.result.target : outcome.error;
    EXPECT_NE(shown.find(fmt::format("127.0.0.1:{}", port_)), std::string::npos) << shown;
  }
}

TEST_F(ProbeOfAFaultyServer, BucketOfAnotherRegionIsFollowedOnce) {
  use_store();
  const Outcome moved = probe("s3://moved-bucket/", options_of(3.0, 128 * kMiB, 2));
  ASSERT_EQ(moved.error, "");
  EXPECT_TRUE(has_note(moved.result, "is in eu-test-1, not in us-east-1"));
  EXPECT_GT(point_of(moved.result, AccessPattern::kRandom, 1 * kMiB, 1).requests, 0.0);
  const Outcome lost = probe("s3://lost-bucket", options_of(3.0, 128 * kMiB, 2));
  EXPECT_NE(lost.error.find("set AWS_REGION to the bucket's"), std::string::npos) << lost.error;
  ASSERT_GT(secrets().size(), 4U);  // signatures were made
  expect_no_secret(moved, secrets());
  expect_no_secret(lost, secrets());
}

TEST_F(ProbeOfAFaultyServer, BucketThatMayNotBeListedIsReadByKey) {
  use_store();
  const Outcome by_key = probe("s3://denied-list-bucket/data.bin", options_of(3.0, 128 * kMiB, 2));
  ASSERT_EQ(by_key.error, "");
  EXPECT_TRUE(has_note(by_key.result, "may not be listed"));
  const Outcome whole = probe("s3://denied-list-bucket", options_of(3.0, 128 * kMiB, 2));
  EXPECT_NE(whole.error.find("the key from the environment is good but may not list bucket denied-list-bucket"),
            std::string::npos)
      << whole.error;
  expect_no_secret(by_key, secrets());
  expect_no_secret(whole, secrets());
}

TEST_F(ProbeOfAFaultyServer, AbsurdXmlIsNoListAndNoCrash) {
  use_store();
  const Outcome outcome = probe("s3://deep-bucket", options_of(3.0, 128 * kMiB, 2));
  EXPECT_NE(outcome.error.find("not as an S3-speaking store does"), std::string::npos) << outcome.error;
}

}  // namespace
}  // namespace stallcast::testing
